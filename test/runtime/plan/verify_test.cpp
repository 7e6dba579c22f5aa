// Breaks each rule of the structural verifier once, and expects a message that names what is wrong.
#include "runtime/plan/verify.h"

#include <catch2/catch.hpp>
#include <functional>
#include <limits>

#include "test/support/sample_plans.h"

namespace nestrt::test {
namespace {

struct Damage {
  const char* message;  // part of the message that must come
  std::function<void(plan::PlanT&)> apply;
};

void expect_refused(const std::function<PlanBuilder()>& make, const Damage& damage) {
  PlanBuilder builder = make();
  damage.apply(builder.tables());
  const PlanBytes file = builder.build();
  const auto plan = Plan::from_memory(file.bytes());
  INFO("expected: " << damage.message);
  REQUIRE_FALSE(plan);
  INFO("got: " << plan.error().message());
  CHECK(plan.error().code() == Code::kInvalidPlan);
  CHECK(plan.error().message().find(damage.message) != std::string_view::npos);
  CHECK(plan.error().message().find("recompile the model with nestc or copy the file again") != std::string_view::npos);
}

void expect_all_refused(const std::function<PlanBuilder()>& make, const std::vector<Damage>& damages) {
  for (const Damage& damage : damages) expect_refused(make, damage);
}

template <typename Enum>
Enum unknown() {
  return static_cast<Enum>(200);
}

// In branches_plan: tensors x 0, c 1, left 2, right 3, y 4, each in the buffer of its number; one operator per branch.

TEST_CASE("The sample plans pass verification") {
  for (const auto make : {relu_plan, branches_plan, views_plan, blocked_plan, plain_conv_plan, unpacked_conv_plan,
                          movement_plan, classifier_plan}) {
    const PlanBytes file = make().build();
    const auto plan = Plan::from_memory(file.bytes(), Verification::kComplete);
    if (!plan) FAIL(plan.error().to_string());
  }
}

TEST_CASE("Broken buffers are refused") {
  expect_all_refused(branches_plan, {
      {"buffer 2: kind 200 is unknown", [](plan::PlanT& p) { p.buffers[2]->kind = unknown<plan::BufferKind>(); }},
      {"buffer 1: data offset 8 is not a multiple of 64", [](plan::PlanT& p) { p.buffers[1]->data_offset = 8; }},
      {"buffer 1: 1000 bytes at 0 end outside the data area", [](plan::PlanT& p) { p.buffers[1]->size = 1000; }},
      {"end outside the data area", [](plan::PlanT& p) { p.buffers[1]->data_offset = ~uint64_t{63}; }},
  });
}

TEST_CASE("Broken tensors are refused") {
  expect_all_refused(
      branches_plan,
      {
          {"tensor 2 'left': type 200 is unknown",
           [](plan::PlanT& p) { p.tensors[2]->type = unknown<plan::DataType>(); }},
          {"tensor 2 'left': layout 200 is unknown",
           [](plan::PlanT& p) { p.tensors[2]->layout = unknown<plan::Layout>(); }},
          {"tensor 2 'left': packing 200 is unknown",
           [](plan::PlanT& p) { p.tensors[2]->packing = unknown<plan::Packing>(); }},
          {"tensor 2 'left': rank 9 exceeds 8", [](plan::PlanT& p) { p.tensors[2]->shape.assign(9, 1); }},
          {"tensor 2 'left': dimension -2 is negative",
           [](plan::PlanT& p) {
             p.tensors[2]->shape = {-2, -8};
           }},
          {"tensor 2 'left': the shape has more than 2^40 elements",
           [](plan::PlanT& p) {
             p.tensors[2]->shape = {1 << 30, 1 << 30};
           }},
          {"more than 2^40 elements", [](plan::PlanT& p) { p.tensors[2]->shape.assign(8, int64_t{1} << 62); }},
          {"more than 2^40 elements",
           [](plan::PlanT& p) {
             p.tensors[2]->shape = {0, int64_t{1} << 50};
           }},
          {"tensor 2 'left': buffer 77 does not exist", [](plan::PlanT& p) { p.tensors[2]->buffer = 77; }},
          {"tensor 2 'left': 64 bytes at 4 end outside buffer 2", [](plan::PlanT& p) { p.tensors[2]->offset = 4; }},
          {"end outside buffer 2", [](plan::PlanT& p) { p.tensors[2]->offset = ~uint64_t{3}; }},
          {"tensor 2 'left': offset 2 is not a multiple",
           [](plan::PlanT& p) {
             p.buffers[2]->size = 66;
             p.tensors[2]->offset = 2;
           }},
          {"packing panel16 is for plain f32 constants",
           [](plan::PlanT& p) { p.tensors[2]->packing = plan::Packing::panel16; }},
          {"packing panel16 does not apply to shape 8",
           [](plan::PlanT& p) { p.tensors[1]->packing = plan::Packing::panel16; }},
          {"tensor 2 'left': 128 bytes at 0 end outside buffer 2",
           [](plan::PlanT& p) { p.tensors[2]->layout = plan::Layout::blocked16; }},
          {"tensor 1 'c': layout blocked16 needs rank 2",
           [](plan::PlanT& p) { p.tensors[1]->layout = plan::Layout::blocked16; }},
      });
}

TEST_CASE("Broken quantization is refused") {
  const auto quantized = [](auto change) {
    return [change](plan::PlanT& p) {
      p.tensors[2]->quantization = std::make_unique<plan::QuantizationT>();
      change(*p.tensors[2]->quantization);
    };
  };
  expect_all_refused(
      branches_plan,
      {
          {"quantization axis 2 is outside shape 2x8", quantized([](plan::QuantizationT& q) { q.axis = 2; })},
          {"quantization has 2 values where 1", quantized([](plan::QuantizationT& q) {
             q.exponents = {1, 2};
           })},
          {"quantization has 2 values where 8", quantized([](plan::QuantizationT& q) {
             q.axis = 1;
             q.exponents = {1, 2};
           })},
          {"quantization has exponents, which are for s8, but the tensor is f32",
           quantized([](plan::QuantizationT& q) { q.exponents = {1}; })},
          {"quantization exponent -65 is outside [-64, 64]",
           [](plan::PlanT& p) {
             p.tensors[2]->type = plan::DataType::s8;
             p.tensors[2]->quantization = std::make_unique<plan::QuantizationT>();
             p.tensors[2]->quantization->exponents = {-65};
           }},
          {"a quantization scale is not positive", quantized([](plan::QuantizationT& q) { q.scales = {-1}; })},
      });
}

TEST_CASE("Broken inputs and outputs are refused") {
  expect_all_refused(
      branches_plan,
      {
          {"input 0, tensor 99: does not exist", [](plan::PlanT& p) { p.inputs[0]->tensor = 99; }},
          {"input 0, tensor 2 'left': lies in a buffer of kind arena", [](plan::PlanT& p) { p.inputs[0]->tensor = 2; }},
          {"two inputs are named 'x'",
           [](plan::PlanT& p) {
             p.buffers.push_back(std::make_unique<plan::BufferT>(*p.buffers[0]));
             p.memory_plans[0]->offsets.push_back(0);
             p.tensors.push_back(std::make_unique<plan::TensorT>(*p.tensors[0]));
             p.tensors[5]->buffer = 5;
             p.inputs.push_back(std::make_unique<plan::InputT>());
             p.inputs[1]->tensor = 5;
           }},
          {"output 0, tensor 99: does not exist", [](plan::PlanT& p) { p.outputs[0] = 99; }},
          {"output 1, tensor 4 'y': buffer 4 is another output's",
           [](plan::PlanT& p) {
             p.outputs = {4, 4};
           }},
          {"the plan has no output", [](plan::PlanT& p) { p.outputs.clear(); }},
          {"buffer 0: of kind input, but belongs to no input", [](plan::PlanT& p) { p.inputs.clear(); }},
          {"does not fill buffer 0 of 128 bytes", [](plan::PlanT& p) { p.buffers[0]->size = 128; }},
          {"must be plain and unquantized",
           [](plan::PlanT& p) { p.tensors[0]->quantization = std::make_unique<plan::QuantizationT>(); }},
          {"preprocessing needs an input of rank 4, not 2",
           [](plan::PlanT& p) { p.inputs[0]->preprocessing = std::make_unique<plan::PreprocessingT>(); }},
      });
}

TEST_CASE("Broken preprocessing is refused") {
  const auto picture_plan = [] {
    PlanBuilder builder;
    const int x = builder.input("x", {1, 3, 2, 2});
    const int y = builder.output("y", {1, 3, 2, 2});
    builder.op("relu", unary(plan::UnaryKind::relu), {x}, {y});
    builder.tables().inputs[0]->preprocessing = std::make_unique<plan::PreprocessingT>();
    return builder;
  };
  expect_all_refused(picture_plan, {
      {"preprocessing has 2 values for 3 channels", [](plan::PlanT& p) { p.inputs[0]->preprocessing->mean = {1, 2}; }},
      {"is not finite",
       [](plan::PlanT& p) { p.inputs[0]->preprocessing->scale = {1, 2, std::numeric_limits<float>::infinity()}; }},
  });
}

TEST_CASE("Broken attributes are refused") {
  const auto clip = [](plan::PlanT& p) -> plan::BinaryT& { return *p.operators[1]->attributes.AsBinary(); };
  expect_all_refused(
      branches_plan,
      {
          {"operator 0 'left' (NONE): operator kind 0 is unknown",
           [](plan::PlanT& p) { p.operators[0]->attributes.Reset(); }},
          {"operator 0 'left' (Unary): kind = 49 is unknown",
           [](plan::PlanT& p) { p.operators[0]->attributes.AsUnary()->kind = static_cast<plan::UnaryKind>(49); }},
          {"operator 1 'right' (Binary): kind = 200 is unknown",
           [=](plan::PlanT& p) { clip(p).kind = unknown<plan::BinaryKind>(); }},
          {"operator 1 'right' (Binary): activation = 200 is unknown",
           [=](plan::PlanT& p) {
             clip(p).activation = std::make_unique<plan::Activation>(unknown<plan::ActivationKind>(), 0.0f, 0.0f);
           }},
      });
}

TEST_CASE("Broken operands are refused") {
  expect_all_refused(
      branches_plan,
      {
          {"operator 2 'join' (Binary): input tensor 99 does not exist",
           [](plan::PlanT& p) { p.operators[2]->inputs[0] = 99; }},
          {"input tensor -2 does not exist", [](plan::PlanT& p) { p.operators[2]->inputs[0] = -2; }},
          {"output tensor -1 does not exist", [](plan::PlanT& p) { p.operators[0]->outputs[0] = -1; }},
          {"operator 0 'left' (Unary): has 0 outputs", [](plan::PlanT& p) { p.operators[0]->outputs.clear(); }},
          {"reads tensor 3 'right', which no earlier operator computes",
           [](plan::PlanT& p) { p.operators[0]->inputs[0] = 3; }},
          {"computes tensor 2 'left', which has its value already",
           [](plan::PlanT& p) { p.operators[1]->outputs[0] = 2; }},
          {"computes tensor 0 'x', which has its value already",
           [](plan::PlanT& p) { p.operators[1]->outputs[0] = 0; }},
          {"writes tensor 1 'c', which lies in a buffer of kind constant",
           [](plan::PlanT& p) { p.operators[0]->outputs[0] = 1; }},
          {"operator 0 'left' (Unary): tensor 2 'left' and tensor 5 'twin' overlap in buffer 2",
           [](plan::PlanT& p) {
             p.tensors.push_back(std::make_unique<plan::TensorT>(*p.tensors[2]));
             p.tensors[5]->name = "twin";
             p.operators[0]->outputs = {2, 5};
           }},
          {"tensor 0 'x' and tensor 2 'left' overlap in buffer 0", [](plan::PlanT& p) { p.tensors[2]->buffer = 0; }},
          {"output tensor 4 'y': no operator computes it",
           [](plan::PlanT& p) {
             p.tensors.push_back(std::make_unique<plan::TensorT>(*p.tensors[4]));
             p.operators[2]->outputs[0] = 5;
           }},
      });
}

TEST_CASE("Sharing that is not in place is refused") {
  // Tensors: x 0, whole 1, relu 2, neg 3, tall 4, tail 5, y 6, z 7.
  expect_all_refused(views_plan, {
                                     {"operator 4 'slice' (Slice): tensor 4 'tall' and tensor 5 'tail' overlap",
                                      [](plan::PlanT& p) { p.tensors[5]->offset = 16; }},
                                     {"operator 3 'reshape' (Reshape): tensor 1 'whole' and tensor 4 'tall' overlap",
                                      [](plan::PlanT& p) {
                                        p.tensors[4]->offset = 4;
                                        p.buffers[1]->size = 36;
                                      }},
                                     {"operator 2 'concat' (Concat): tensor 3 'neg' and tensor 1 'whole' overlap",
                                      [](plan::PlanT& p) { p.tensors[3]->offset = 12; }},
                                 });
}

// whole = concat(first, none, last): the first part is in place, the second empty, the last in the way of itself.
PlanBuilder concat_plan_with_empty_part() {
  PlanBuilder builder;
  const int x = builder.input("x", {1, 4});
  const int none = builder.input("none", {1, 0});
  const int whole = builder.arena("whole", {1, 8});
  const int first = builder.view("first", whole, {1, 4});
  const int last = builder.view("last", whole, {1, 4}, 8);
  const int y = builder.output("y", {1, 8});
  builder.op("first", unary(plan::UnaryKind::relu), {x}, {first});
  builder.op("last", unary(plan::UnaryKind::neg), {x}, {last});
  plan::ConcatT concat;
  concat.axis = 1;
  builder.op("concat", concat, {first, none, last}, {whole});
  builder.op("abs", unary(plan::UnaryKind::abs), {whole}, {y});
  return builder;
}

TEST_CASE("An empty part of a Concat hides no overlap") {
  expect_refused(concat_plan_with_empty_part,
                 {"operator 2 'concat' (Concat): tensor 4 'last' and tensor 2 'whole' overlap", [](plan::PlanT&) {}});
  PlanBuilder apart = concat_plan_with_empty_part();
  apart.tables().tensors[4]->offset = 16;
  const PlanBytes file = apart.build();
  const auto plan = Plan::from_memory(file.bytes());
  if (!plan) FAIL(plan.error().to_string());
}

TEST_CASE("Broken memory plans are refused") {
  expect_all_refused(
      branches_plan,
      {
          {"the plan has no memory plan", [](plan::PlanT& p) { p.memory_plans.clear(); }},
          {"memory plan 0: kind 1 is out of order",
           [](plan::PlanT& p) { p.memory_plans[0]->kind = plan::MemoryPlanKind::any_schedule; }},
          {"memory plan 0: has 2 offsets for 5 buffers", [](plan::PlanT& p) { p.memory_plans[0]->offsets.resize(2); }},
          {"offset 32 of buffer 3 is not a multiple of 64", [](plan::PlanT& p) { p.memory_plans[0]->offsets[3] = 32; }},
          {"buffer 3 of 64 bytes at 128 ends outside the arena of 128",
           [](plan::PlanT& p) { p.memory_plans[0]->offsets[3] = 128; }},
          {"ends outside the arena", [](plan::PlanT& p) { p.memory_plans[0]->offsets[3] = ~uint64_t{63}; }},
          {"buffers 2 and 3 share bytes while both are in use",
           [](plan::PlanT& p) { p.memory_plans[0]->offsets[3] = 0; }},
          {"buffer 2: its life from operator 1 to 2 does not cover its use from 0 to 2",
           [](plan::PlanT& p) { p.buffers[2]->first_use = 1; }},
          {"buffer 2: its life from operator 0 to 1", [](plan::PlanT& p) { p.buffers[2]->last_use = 1; }},
          {"buffer 2: its life from operator 0 to 9", [](plan::PlanT& p) { p.buffers[2]->last_use = 9; }},
      });
}

// Moves a vector of 8-byte elements by 4 bytes: its length is then the low half of what was its first element.
void misalign(const flatbuffers::Table* table, flatbuffers::voffset_t field) {
  auto* const position = const_cast<uint8_t*>(table->GetAddressOf(field));
  REQUIRE(position != nullptr);
  const auto moved = flatbuffers::ReadScalar<flatbuffers::uoffset_t>(position) + 4;
  flatbuffers::WriteScalar(position, moved);
}

// The generated tables hide that they are FlatBuffers' tables.
template <typename Table>
const flatbuffers::Table* raw(const Table* table) {
  return reinterpret_cast<const flatbuffers::Table*>(table);
}

void expect_misaligned(const std::function<PlanBuilder()>& make, const char* message,
                       const std::function<void(const plan::Plan&)>& damage) {
  PlanBytes file = make().build();
  damage(*plan::GetPlan(file.tables().data()));
  file.write_digests();
  const auto plan = Plan::from_memory(file.bytes());
  REQUIRE_FALSE(plan);
  INFO(message << "; got: " << plan.error().message());
  CHECK(plan.error().message().find(message) != std::string_view::npos);
}

TEST_CASE("Vectors of 8-byte elements that are not aligned to 8 are refused") {
  expect_misaligned(branches_plan, "tensor 2 'left': the shape is misaligned", [](const plan::Plan& p) {
    misalign(raw(p.tensors()->Get(2)), plan::Tensor::VT_SHAPE);
  });
  expect_misaligned(branches_plan, "memory plan 0: the offsets are misaligned", [](const plan::Plan& p) {
    auto* const lengths = const_cast<uint64_t*>(p.memory_plans()->Get(0)->offsets()->data());
    lengths[0] = 5;  // the new length; buffer 0 is an input, whose offset nobody reads
    misalign(raw(p.memory_plans()->Get(0)), plan::MemoryPlan::VT_OFFSETS);
  });
  const auto attributes = [](uint32_t index, flatbuffers::voffset_t field) {
    return [=](const plan::Plan& p) {
      misalign(static_cast<const flatbuffers::Table*>(p.operators()->Get(index)->attributes()), field);
    };
  };
  expect_misaligned(views_plan, "operator 3 'reshape' (Reshape): a list of its attributes is misaligned",
                    attributes(3, plan::Reshape::VT_SHAPE));
  for (auto field : {plan::Slice::VT_START, plan::Slice::VT_STEP, plan::Slice::VT_SHAPE})
    expect_misaligned(views_plan, "operator 4 'slice' (Slice): a list of its attributes is misaligned",
                      attributes(4, field));
  for (auto field : {plan::Pad::VT_BEGIN, plan::Pad::VT_END})
    expect_misaligned(movement_plan, "operator 0 'pad' (Pad): a list of its attributes is misaligned",
                      attributes(0, field));
  expect_misaligned(movement_plan, "operator 1 'resize' (Resize): a list of its attributes is misaligned",
                    attributes(1, plan::Resize::VT_SIZES));
}

TEST_CASE("A constant with an exponent for each of many channels is taken") {
  constexpr int64_t kChannels = 4096;
  PlanBuilder builder = relu_plan();
  builder.constant<int8_t>("w", {kChannels}, std::vector<int8_t>(kChannels), DataType::kS8);
  auto quantization = std::make_unique<plan::QuantizationT>();
  quantization->axis = 0;
  quantization->exponents.assign(kChannels, 7);
  builder.tables().tensors.back()->quantization = std::move(quantization);
  const PlanBytes file = builder.build();
  const auto plan = Plan::from_memory(file.bytes());
  if (!plan) FAIL(plan.error().to_string());
}

// Makes the second table's field refer to the vector of the first's.
void share(const flatbuffers::Table* from, const flatbuffers::Table* to, flatbuffers::voffset_t field) {
  auto* const source = from->GetAddressOf(field);
  auto* const target = const_cast<uint8_t*>(to->GetAddressOf(field));
  REQUIRE(source != nullptr);
  REQUIRE(target != nullptr);
  const uint8_t* const vector = source + flatbuffers::ReadScalar<flatbuffers::uoffset_t>(source);
  flatbuffers::WriteScalar(target, static_cast<flatbuffers::uoffset_t>(vector - target));
}

TEST_CASE("A long list that many tables share is refused") {
  PlanBuilder builder = branches_plan();
  auto& programs = builder.tables().branches[0]->programs;
  for (int i = 0; i < 300; ++i) {
    programs.push_back(std::make_unique<plan::ProgramT>());
    programs.back()->unit = "npu";
    programs.back()->segments = {1};
  }
  // FlatBuffers' offsets point forwards, and Pack() writes backwards: the list of the first lies behind all others.
  programs[1]->segments.assign(2000, 1);
  PlanBytes file = builder.build();
  REQUIRE(Plan::from_memory(file.bytes()));
  const auto& written = *plan::GetPlan(file.tables().data())->branches()->Get(0)->programs();
  for (uint32_t i = 2; i < written.size(); ++i)
    share(raw(written.Get(1)), raw(written.Get(i)), plan::Program::VT_SEGMENTS);
  file.write_digests();
  const auto plan = Plan::from_memory(file.bytes());
  REQUIRE_FALSE(plan);
  CHECK(plan.error().message().find("the tables refer to more entries than they can hold") != std::string_view::npos);
}

TEST_CASE("Broken branches and programs are refused") {
  const auto program = [](plan::PlanT& p) -> plan::ProgramT& { return *p.branches[1]->programs[0]; };
  expect_all_refused(
      branches_plan,
      {
          {"branch 1: has operator 2 where 1 is next", [](plan::PlanT& p) { p.branches[1]->operators = {2}; }},
          {"branch 1: has no operators", [](plan::PlanT& p) { p.branches[1]->operators.clear(); }},
          {"operator 2 'join' (Binary): belongs to no branch", [](plan::PlanT& p) { p.branches.pop_back(); }},
          {"branch 1: has no program of kernels for unit 'cpu'",
           [](plan::PlanT& p) { p.branches[1]->programs.clear(); }},
          {"branch 1: has no program of kernels for unit 'cpu'",
           [=](plan::PlanT& p) { program(p).fingerprint = "one of several"; }},
          {"branch 1: has a program of unknown kind 200",
           [=](plan::PlanT& p) { program(p).kind = unknown<plan::ProgramKind>(); }},
          {"branch 1: has a program for unit 'cpu' that is not made of kernels",
           [=](plan::PlanT& p) { program(p).kind = plan::ProgramKind::blob; }},
          {"branch 1: has a program for no unit", [=](plan::PlanT& p) { program(p).unit.clear(); }},
          {"branch 1: has a program in buffer 2, which is not a constant",
           [=](plan::PlanT& p) { program(p).segments = {2}; }},
          {"branch 1: names 2 kernels for 1 operators",
           [=](plan::PlanT& p) {
             program(p).selections.push_back(std::make_unique<plan::KernelSelectionT>());
             program(p).selections[0]->kernels = {0, 0};
           }},
          {"branch 1: has kernel 1, which does not exist: there are 1",
           [=](plan::PlanT& p) {
             p.kernel_names = {"a"};
             program(p).selections.push_back(std::make_unique<plan::KernelSelectionT>());
             program(p).selections[0]->kernels = {1};
           }},
          {"branch 1: has a cost of unknown origin 200",
           [=](plan::PlanT& p) {
             program(p).costs.push_back(std::make_unique<plan::CostT>());
             program(p).costs[0]->origin = unknown<plan::CostOrigin>();
           }},
          {"branch 1: has a cost that is not a time",
           [=](plan::PlanT& p) {
             program(p).costs.push_back(std::make_unique<plan::CostT>());
             program(p).costs[0]->microseconds = -1;
           }},
      });
}

// branches_plan with a second program of its first branch, for an NPU, whose memory is the operator's and one segment.
PlanBuilder npu_plan() {
  PlanBuilder builder = branches_plan();
  plan::PlanT& tables = builder.tables();
  auto& programs = tables.branches[0]->programs;
  programs.push_back(std::make_unique<plan::ProgramT>());
  programs[1]->unit = "npu";
  programs[1]->kind = plan::ProgramKind::instructions;
  programs[1]->segments = {1};
  const auto add_range = [&](uint64_t address, plan::RangeAccess access, int tensor) {
    auto range = std::make_unique<plan::ProgramRangeT>();
    range->address = address;
    range->size = 4;
    range->access = access;
    range->tensor = tensor;
    programs[1]->ranges.push_back(std::move(range));
  };
  add_range(0, plan::RangeAccess::read, -1);
  add_range(64, plan::RangeAccess::read, tables.operators[0]->inputs[0]);
  add_range(128, plan::RangeAccess::write, tables.operators[0]->outputs[0]);
  return builder;
}

TEST_CASE("A program of instructions names the memory that it uses") {
  CHECK(Plan::from_memory(npu_plan().build().bytes()));
}

TEST_CASE("A program of instructions without a stream, or with memory that is not its branch's, is refused") {
  const auto program = [](plan::PlanT& p) -> plan::ProgramT& { return *p.branches[0]->programs[1]; };
  const auto range = [=](plan::PlanT& p, size_t index) -> plan::ProgramRangeT& { return *program(p).ranges[index]; };
  expect_all_refused(
      npu_plan,
      {
          {"branch 0: has a program of kind instructions without segments",
           [=](plan::PlanT& p) { program(p).segments.clear(); }},
          {"branch 0: has a range of unknown access 200",
           [=](plan::PlanT& p) { range(p, 0).access = unknown<plan::RangeAccess>(); }},
          {"branch 0: has a range of 4 bytes at address 2, which is empty, too long, or not after the range before it",
           [=](plan::PlanT& p) { range(p, 1).address = 2; }},
          {"branch 0: has a range of 0 bytes at address 64", [=](plan::PlanT& p) { range(p, 1).size = 0; }},
          {"branch 0: has a range of 4 bytes at address 18446744073709551613",
           [=](plan::PlanT& p) { range(p, 2).address = UINT64_MAX - 2; }},
          {"branch 0: has a range of segment 1, which does not exist: there are 1",
           [=](plan::PlanT& p) { range(p, 0).segment = 1; }},
          {"branch 0: has a range of 60 bytes in segment 0", [=](plan::PlanT& p) { range(p, 0).size = 60; }},
          {"branch 0: has a program that writes a segment",
           [=](plan::PlanT& p) { range(p, 0).access = plan::RangeAccess::write; }},
          {"branch 0: has a range of tensor 900, which does not exist",
           [=](plan::PlanT& p) { range(p, 1).tensor = 900; }},
          {"branch 0: has a range of tensor -2, which does not exist",
           [=](plan::PlanT& p) { range(p, 1).tensor = -2; }},
          {", unlike its operators", [=](plan::PlanT& p) { range(p, 1).tensor = p.operators[2]->outputs[0]; }},
          {"branch 0: has a program that writes tensor",
           [=](plan::PlanT& p) { range(p, 1).access = plan::RangeAccess::read_write; }},
          {"branch 0: has a range of 65 bytes in tensor", [=](plan::PlanT& p) { range(p, 2).size = 65; }},
          {"in a layout that it cannot be brought to",
           [=](plan::PlanT& p) { range(p, 1).layout = plan::Layout::blocked32; }},
      });
}

TEST_CASE("A program of instructions that writes a view of the caller's input is refused") {
  PlanBuilder builder;
  const int x = builder.input("x", {1, 4}), view = builder.view("view", x, {4, 1}), y = builder.output("y", {4, 1});
  plan::ReshapeT reshape;
  reshape.shape = {4, 1};
  builder.op("reshape", reshape, {x}, {view});
  builder.op("relu", unary(plan::UnaryKind::relu), {view}, {y});
  const int stream = builder.constant<float>("stream", {4}, {0, 0, 0, 0});
  auto program = std::make_unique<plan::ProgramT>();
  program->unit = "npu";
  program->kind = plan::ProgramKind::instructions;
  auto range = std::make_unique<plan::ProgramRangeT>();
  range->size = 16;
  range->tensor = view;
  program->ranges.push_back(std::move(range));
  program->segments = {builder.tables().tensors[static_cast<size_t>(stream)]->buffer};
  builder.tables().branches[0]->programs.push_back(std::move(program));
  CHECK(Plan::from_memory(builder.build().bytes()));
  builder.tables().branches[0]->programs[1]->ranges[0]->access = plan::RangeAccess::write;
  const auto plan = Plan::from_memory(builder.build().bytes());
  REQUIRE_FALSE(plan);
  CHECK(plan.error().message().find("has a program that writes tensor 1 'view', unlike its operators") !=
        std::string_view::npos);
}

TEST_CASE("Broken region trees are refused") {
  // Regions 0 to 2 are branches, 3 is the root.
  expect_all_refused(branches_plan, {
      {"the plan has no regions", [](plan::PlanT& p) { p.regions.clear(); }},
      {"region 3: kind 200 is unknown", [](plan::PlanT& p) { p.regions[3]->kind = unknown<plan::RegionKind>(); }},
      {"region 3: child 3 does not come before it", [](plan::PlanT& p) { p.regions[3]->children[0] = 3; }},
      {"region 3: child 1 is another region's", [](plan::PlanT& p) { p.regions[3]->children[0] = 1; }},
      {"region 1: branch 0 is another region's", [](plan::PlanT& p) { p.regions[1]->branch = 0; }},
      {"region 1: branch 9 does not exist", [](plan::PlanT& p) { p.regions[1]->branch = 9; }},
      {"region 1: is a branch with children", [](plan::PlanT& p) { p.regions[1]->children = {0}; }},
      {"region 3: has no children", [](plan::PlanT& p) { p.regions[3]->children.clear(); }},
      {"region 0: has no parent", [](plan::PlanT& p) { p.regions[3]->children = {1, 2}; }},
      {"region 67: is nested deeper than 64",
       [](plan::PlanT& p) {
         for (uint32_t i = 3; i < 70; ++i) {
           p.regions.push_back(std::make_unique<plan::RegionT>());
           p.regions.back()->kind = plan::RegionKind::series;
           p.regions.back()->children = {i};
         }
       }},
  });
}

}  // namespace
}  // namespace nestrt::test
