// SPDX-License-Identifier: Apache-2.0
// Breaks each rule of the structural verifier once and expects a message that names the problem.
#include "runtime/plan/verify/verify.h"

#include <catch2/catch.hpp>
#include <functional>
#include <limits>

#include "test/support/plan/sample_plans.h"

namespace nestrt::test {
namespace {

struct Damage {
  const char* message;  // part of the expected message
  std::function<void(plan::Tables&)> apply;
};

void expect_refused(const std::function<PlanBuilder()>& make, const Damage& damage) {
  PlanBuilder builder = make();
  damage.apply(builder.tables());
  const PlanFile file = builder.build();
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

// Tensors of branches_plan: x 0, c 1, left 2, right 3, y 4. The buffer of a tensor has the same number. Each branch has
// one operator.

TEST_CASE("The sample plans pass verification") {
  for (const auto make : {relu_plan, branches_plan, views_plan, blocked_plan, plain_conv_plan, unpacked_conv_plan,
                          movement_plan, selection_plan, integer_plan, classifier_plan}) {
    const PlanFile file = make().build();
    const auto plan = Plan::from_memory(file.bytes(), Verification::kComplete);
    INFO(plan.error().to_string());
    CHECK(plan);
  }
}

TEST_CASE("Plans with too many targets are rejected because lookups search all targets") {
  const auto has_longest = [](plan::Tables& p) {
    p.targets.assign(64, {std::string(256, 'u'), std::string(256, 'c')});
  };
  PlanBuilder builder = branches_plan();
  has_longest(builder.tables());
  CHECK(Plan::from_memory(builder.build().bytes()));
  expect_all_refused(branches_plan, {
                                        {"the plan has 65 targets, more than 64",
                                         [](plan::Tables& p) {
                                           p.targets.assign(65, {"evta", "c"});
                                         }},
                                        {"target 63: has a unit name or configuration of more than 256 bytes",
                                         [&](plan::Tables& p) {
                                           has_longest(p);
                                           p.targets[63].unit += "u";
                                         }},
                                        {"target 0: has a unit name or configuration of more than 256 bytes",
                                         [&](plan::Tables& p) {
                                           has_longest(p);
                                           p.targets[0].configuration += "c";
                                         }},
                                        {"target 1: invalid clock; expected 0 to",
                                         [](plan::Tables& p) {
                                           p.targets = {{"cpu", "any"}, {"evta", "c", -1}};
                                         }},
                                        {"target 0: invalid clock; expected 0 to",
                                         [](plan::Tables& p) {
                                           p.targets = {{"evta", "c", 2e6F}};
                                         }},
                                        {"target 0: invalid clock; expected 0 to",
                                         [](plan::Tables& p) {
                                           p.targets = {{"evta", "c", std::numeric_limits<float>::quiet_NaN()}};
                                         }},
                                    });
}

TEST_CASE("Invalid buffers are rejected") {
  expect_all_refused(
      branches_plan,
      {
          {"buffer 1: data offset 8 is not a multiple of 64", [](plan::Tables& p) { p.buffers[1].data_offset = 8; }},
          {"buffer 1: 1000 bytes at 0 end outside the data area", [](plan::Tables& p) { p.buffers[1].size = 1000; }},
          {"end outside the data area", [](plan::Tables& p) { p.buffers[1].data_offset = ~uint64_t{63}; }},
      });
}

TEST_CASE("Invalid tensors are rejected") {
  expect_all_refused(
      branches_plan,
      {
          {"tensor 2 'left': dimension -2 is negative",
           [](plan::Tables& p) {
             p.tensors[2].shape = {-2, -8};
           }},
          {"tensor 2 'left': the shape has more than 2^40 elements",
           [](plan::Tables& p) {
             p.tensors[2].shape = {1 << 30, 1 << 30};
           }},
          {"more than 2^40 elements",
           [](plan::Tables& p) { p.tensors[2].shape = Shape(std::vector<int64_t>(8, int64_t{1} << 62)); }},
          {"more than 2^40 elements",
           [](plan::Tables& p) {
             p.tensors[2].shape = {0, int64_t{1} << 50};
           }},
          {"tensor 2 'left': buffer 77 does not exist", [](plan::Tables& p) { p.tensors[2].buffer = 77; }},
          {"tensor 2 'left': 64 bytes at 4 end outside buffer 2", [](plan::Tables& p) { p.tensors[2].offset = 4; }},
          {"end outside buffer 2", [](plan::Tables& p) { p.tensors[2].offset = ~uint64_t{3}; }},
          {"tensor 2 'left': offset 2 is not a multiple",
           [](plan::Tables& p) {
             p.buffers[2].size = 66;
             p.tensors[2].offset = 2;
           }},
          {"packing panel16 is for plain f32 constants",
           [](plan::Tables& p) { p.tensors[2].packing = Packing::kPanel16; }},
          {"packing panel16 does not apply to shape 8",
           [](plan::Tables& p) { p.tensors[1].packing = Packing::kPanel16; }},
          {"tensor 2 'left': 128 bytes at 0 end outside buffer 2",
           [](plan::Tables& p) { p.tensors[2].layout = Layout::kBlocked16; }},
          {"tensor 1 'c': layout blocked16 requires rank 2",
           [](plan::Tables& p) { p.tensors[1].layout = Layout::kBlocked16; }},
      });
}

TEST_CASE("Invalid quantization is rejected") {
  const auto quantized = [](auto change) {
    return [change](plan::Tables& p) { change(p.tensors[2].quantization.emplace()); };
  };
  expect_all_refused(
      branches_plan,
      {
          {"quantization axis 2 is outside shape 2x8", quantized([](plan::Quantization& q) { q.axis = 2; })},
          {"quantization has 2 values, expected 1", quantized([](plan::Quantization& q) {
             q.exponents = {1, 2};
           })},
          {"quantization has 2 values, expected 8", quantized([](plan::Quantization& q) {
             q.axis = 1;
             q.exponents = {1, 2};
           })},
          {"quantization has exponents, which are only for s8, but the tensor is f32",
           quantized([](plan::Quantization& q) { q.exponents = {1}; })},
          {"quantization exponent -65 is outside [-64, 64]",
           [](plan::Tables& p) {
             p.tensors[2].type = DataType::kS8;
             p.tensors[2].quantization.emplace().exponents = {-65};
           }},
          {"a quantization scale is not positive", quantized([](plan::Quantization& q) { q.scales = {-1}; })},
      });
}

TEST_CASE("Invalid inputs and outputs are rejected") {
  expect_all_refused(
      branches_plan,
      {
          {"input 0, tensor 99: does not exist", [](plan::Tables& p) { p.inputs[0].tensor = 99; }},
          {"input 0, tensor 2 'left': is in a buffer of kind arena", [](plan::Tables& p) { p.inputs[0].tensor = 2; }},
          {"two inputs are named 'x'",
           [](plan::Tables& p) {
             p.buffers.push_back(p.buffers[0]);
             p.memory_plans[0].offsets.push_back(0);
             p.tensors.push_back(p.tensors[0]);
             p.tensors[5].buffer = 5;
             p.inputs.emplace_back().tensor = 5;
           }},
          {"output 0, tensor 99: does not exist", [](plan::Tables& p) { p.outputs[0] = 99; }},
          {"output 1, tensor 4 'y': buffer 4 belongs to another output",
           [](plan::Tables& p) {
             p.outputs = {4, 4};
           }},
          {"the plan has no output", [](plan::Tables& p) { p.outputs.clear(); }},
          {"buffer 0 is of kind input, but does not belong to an input", [](plan::Tables& p) { p.inputs.clear(); }},
          {"does not cover buffer 0 of 128 bytes", [](plan::Tables& p) { p.buffers[0].size = 128; }},
          {"must be plain and unquantized", [](plan::Tables& p) { p.tensors[0].quantization = plan::Quantization(); }},
          {"preprocessing needs an input of rank 4, not 2",
           [](plan::Tables& p) { p.inputs[0].preprocessing.emplace(); }},
      });
}

TEST_CASE("Invalid preprocessing is rejected") {
  const auto image_plan = [] {
    PlanBuilder builder;
    const int x = builder.input("x", {1, 3, 2, 2});
    const int y = builder.output("y", {1, 3, 2, 2});
    builder.op("relu", unary(ops::UnaryKind::kRelu), {x}, {y});
    builder.tables().inputs[0].preprocessing.emplace();
    return builder;
  };
  expect_all_refused(image_plan,
                     {
                         {"preprocessing has 2 values for 3 channels",
                          [](plan::Tables& p) {
                            p.inputs[0].preprocessing->mean = {1, 2};
                          }},
                         {"both crops the image and resizes all of it",
                          [](plan::Tables& p) {
                            p.inputs[0].preprocessing->letterbox = true;
                            p.inputs[0].preprocessing->resize = 8;
                          }},
                         {"is not finite",
                          [](plan::Tables& p) {
                            p.inputs[0].preprocessing->scale = {1, 2, std::numeric_limits<float>::infinity()};
                          }},
                     });
}

TEST_CASE("Invalid operands are rejected") {
  expect_all_refused(
      branches_plan,
      {
          {"operator 2 'join' (Binary): input tensor 99 does not exist",
           [](plan::Tables& p) { p.operators[2].inputs[0] = 99; }},
          {"input tensor -2 does not exist", [](plan::Tables& p) { p.operators[2].inputs[0] = -2; }},
          {"output tensor -1 does not exist", [](plan::Tables& p) { p.operators[0].outputs[0] = -1; }},
          {"operator 0 'left' (Unary): has 0 outputs", [](plan::Tables& p) { p.operators[0].outputs.clear(); }},
          {"reads tensor 3 'right', which no earlier operator computes",
           [](plan::Tables& p) { p.operators[0].inputs[0] = 3; }},
          {"computes tensor 2 'left', which already has a value",
           [](plan::Tables& p) { p.operators[1].outputs[0] = 2; }},
          {"computes tensor 0 'x', which already has a value", [](plan::Tables& p) { p.operators[1].outputs[0] = 0; }},
          {"writes tensor 1 'c', which is in a buffer of kind constant",
           [](plan::Tables& p) { p.operators[0].outputs[0] = 1; }},
          {"operator 0 'left' (Unary): tensor 2 'left' and tensor 5 'twin' overlap in buffer 2",
           [](plan::Tables& p) {
             p.tensors.push_back(p.tensors[2]);
             p.tensors[5].name = "twin";
             p.operators[0].outputs = {2, 5};
           }},
          {"tensor 0 'x' and tensor 2 'left' overlap in buffer 0", [](plan::Tables& p) { p.tensors[2].buffer = 0; }},
          {"output tensor 4 'y': no operator computes it",
           [](plan::Tables& p) {
             p.tensors.push_back(p.tensors[4]);
             p.operators[2].outputs[0] = 5;
           }},
      });
}

TEST_CASE("Tensors that share bytes without being computed in place are rejected") {
  // Tensors: x 0, whole 1, relu 2, neg 3, tall 4, tail 5, y 6, z 7.
  expect_all_refused(views_plan, {
                                     {"operator 4 'slice' (Slice): tensor 4 'tall' and tensor 5 'tail' overlap",
                                      [](plan::Tables& p) { p.tensors[5].offset = 16; }},
                                     {"operator 3 'reshape' (Reshape): tensor 1 'whole' and tensor 4 'tall' overlap",
                                      [](plan::Tables& p) {
                                        p.tensors[4].offset = 4;
                                        p.buffers[1].size = 36;
                                      }},
                                     {"operator 2 'concat' (Concat): tensor 3 'neg' and tensor 1 'whole' overlap",
                                      [](plan::Tables& p) { p.tensors[3].offset = 12; }},
                                 });
}

// Returns whole = concat(first, none, last): the first part is in place, the second is empty, and the last overlaps
// itself.
PlanBuilder concat_plan_with_empty_part() {
  PlanBuilder builder;
  const int x = builder.input("x", {1, 4});
  const int none = builder.input("none", {1, 0});
  const int whole = builder.arena("whole", {1, 8});
  const int first = builder.view("first", whole, {1, 4});
  const int last = builder.view("last", whole, {1, 4}, 8);
  const int y = builder.output("y", {1, 8});
  builder.op("first", unary(ops::UnaryKind::kRelu), {x}, {first});
  builder.op("last", unary(ops::UnaryKind::kNeg), {x}, {last});
  builder.op("concat", ops::Concat{.axis = 1}, {first, none, last}, {whole});
  builder.op("abs", unary(ops::UnaryKind::kAbs), {whole}, {y});
  return builder;
}

TEST_CASE("An empty operand of a Concat does not hide an overlap") {
  expect_refused(concat_plan_with_empty_part,
                 {"operator 2 'concat' (Concat): tensor 4 'last' and tensor 2 'whole' overlap", [](plan::Tables&) {}});
  PlanBuilder apart = concat_plan_with_empty_part();
  apart.tables().tensors[4].offset = 16;
  const PlanFile file = apart.build();
  const auto plan = Plan::from_memory(file.bytes());
  if (!plan) FAIL(plan.error().to_string());
}

TEST_CASE("Invalid memory plans are rejected") {
  expect_all_refused(
      branches_plan,
      {
          {"the plan has no memory plan", [](plan::Tables& p) { p.memory_plans.clear(); }},
          {"memory plan 0: kind 1 is out of order",
           [](plan::Tables& p) { p.memory_plans[0].kind = plan::MemoryPlanKind::kAnySchedule; }},
          {"memory plan 0: has 2 offsets for 5 buffers", [](plan::Tables& p) { p.memory_plans[0].offsets.resize(2); }},
          {"offset 32 of buffer 3 is not a multiple of 64", [](plan::Tables& p) { p.memory_plans[0].offsets[3] = 32; }},
          {"buffer 3 of 64 bytes at 128 ends outside the arena of 128",
           [](plan::Tables& p) { p.memory_plans[0].offsets[3] = 128; }},
          {"ends outside the arena", [](plan::Tables& p) { p.memory_plans[0].offsets[3] = ~uint64_t{63}; }},
          {"buffers 2 and 3 share bytes while both are in use",
           [](plan::Tables& p) { p.memory_plans[0].offsets[3] = 0; }},
          {"buffer 2: its lifetime from operator 1 to 2 does not cover its use from 0 to 2",
           [](plan::Tables& p) { p.buffers[2].first_use = 1; }},
          {"buffer 2: its lifetime from operator 0 to 1", [](plan::Tables& p) { p.buffers[2].last_use = 1; }},
          {"buffer 2: its lifetime from operator 0 to 9", [](plan::Tables& p) { p.buffers[2].last_use = 9; }},
      });
}

TEST_CASE("A constant with an exponent for each of many channels is accepted") {
  constexpr int64_t kChannels = 4096;
  PlanBuilder builder = relu_plan();
  const int w = builder.constant<int8_t>("w", {kChannels}, std::vector<int8_t>(kChannels), DataType::kS8);
  builder.quantize(w, std::vector<int8_t>(kChannels, 7), 0);
  const PlanFile file = builder.build();
  const auto plan = Plan::from_memory(file.bytes());
  INFO(plan.error().to_string());
  CHECK(plan);
}

TEST_CASE("Invalid branches and programs are rejected") {
  const auto program = [](plan::Tables& p) -> plan::Program& { return p.branches[1].programs[0]; };
  expect_all_refused(
      branches_plan,
      {
          {"branch 1: starts with operator 2, expected 1", [](plan::Tables& p) { p.branches[1].operators = {2}; }},
          {"branch 1: has no operators", [](plan::Tables& p) { p.branches[1].operators.clear(); }},
          {"operator 2 'join' (Binary): does not belong to a branch", [](plan::Tables& p) { p.branches.pop_back(); }},
          {"branch 1: has no kernel program, which any host can run",
           [](plan::Tables& p) { p.branches[1].programs.clear(); }},
          {"branch 1: has no kernel program, which any host can run",
           [=](plan::Tables& p) { program(p).configuration = "one of several"; }},
          {"branch 1: has no kernel program, which any host can run",
           [=](plan::Tables& p) {
             program(p).kind = plan::ProgramKind::kBlob;
             program(p).segments = {1};
           }},
          {"branch 1: has a program for unit 'cpu' that does not consist of kernels",
           [](plan::Tables& p) {
             p.branches[1].programs.push_back(p.branches[1].programs[0]);
             p.branches[1].programs[1].kind = plan::ProgramKind::kBlob;
             p.branches[1].programs[1].segments = {1};
           }},
          {"branch 1: has a program without a unit", [=](plan::Tables& p) { program(p).unit.clear(); }},
          {"branch 1: has a program in buffer 2, which is not a constant",
           [=](plan::Tables& p) { program(p).segments = {2}; }},
          {"branch 1: selects 2 kernels for 1 operators",
           [=](plan::Tables& p) {
             program(p).selections.emplace_back().kernels = {0, 0};
           }},
          {"branch 1: has kernel 1, which does not exist: the plan has 1",
           [=](plan::Tables& p) {
             p.kernel_names = {"a"};
             program(p).selections.emplace_back().kernels = {1};
           }},
          {"branch 1: has an invalid cost", [=](plan::Tables& p) { program(p).costs.push_back({.microseconds = -1}); }},
      });
}

// Returns branches_plan with a second program of its first branch, for an NPU. The program's memory consists of the
// operator's tensors and one segment.
PlanBuilder npu_plan() {
  PlanBuilder builder = branches_plan();
  plan::Tables& tables = builder.tables();
  plan::Program& program = tables.branches[0].programs.emplace_back();
  program.unit = "npu";
  program.kind = plan::ProgramKind::kInstructions;
  program.segments = {1};
  program.ranges = {{0, 4, plan::RangeAccess::kRead, -1},
                    {64, 64, plan::RangeAccess::kRead, tables.operators[0].inputs[0]},
                    {128, 64, plan::RangeAccess::kWrite, tables.operators[0].outputs[0]}};
  return builder;
}

TEST_CASE("An instruction program that lists the memory it uses is accepted") {
  CHECK(Plan::from_memory(npu_plan().build().bytes()));
}

TEST_CASE("An instruction program without a stream, or with memory of other branches, is rejected") {
  const auto program = [](plan::Tables& p) -> plan::Program& { return p.branches[0].programs[1]; };
  const auto range = [=](plan::Tables& p, size_t index) -> plan::ProgramRange& { return program(p).ranges[index]; };
  expect_all_refused(
      npu_plan,
      {
          {"branch 0: has a program of kind instructions without segments",
           [=](plan::Tables& p) { program(p).segments.clear(); }},
          {"branch 0: has a range of 64 bytes at address 2 that is empty, too long, or not after the previous range",
           [=](plan::Tables& p) { range(p, 1).address = 2; }},
          {"branch 0: has a range of 0 bytes at address 64", [=](plan::Tables& p) { range(p, 1).size = 0; }},
          {"branch 0: has a range of 64 bytes at address 18446744073709551613",
           [=](plan::Tables& p) { range(p, 2).address = UINT64_MAX - 2; }},
          {"branch 0: has a range of segment 1, which does not exist: the program has 1",
           [=](plan::Tables& p) { range(p, 0).segment = 1; }},
          {"branch 0: has a range of 60 bytes at offset 0 of segment 0",
           [=](plan::Tables& p) { range(p, 0).size = 60; }},
          {"branch 0: has a program that writes a segment",
           [=](plan::Tables& p) { range(p, 0).access = plan::RangeAccess::kWrite; }},
          {"branch 0: has a range of tensor 900, which does not exist",
           [=](plan::Tables& p) { range(p, 1).tensor = 900; }},
          {"branch 0: has a range of tensor -2, which does not exist",
           [=](plan::Tables& p) { range(p, 1).tensor = -2; }},
          {", but its operators do not", [=](plan::Tables& p) { range(p, 1).tensor = p.operators[2].outputs[0]; }},
          {"branch 0: has a program that writes tensor",
           [=](plan::Tables& p) { range(p, 1).access = plan::RangeAccess::kReadWrite; }},
          {"branch 0: has a range of 65 bytes at offset 0 of tensor", [=](plan::Tables& p) { range(p, 2).size = 65; }},
          {"in a layout that it cannot be converted to",
           [=](plan::Tables& p) { range(p, 1).layout = plan::RangeLayout::kBlocked32; }},
      });
}

TEST_CASE("An instruction program that writes a view of the caller's input is rejected") {
  PlanBuilder builder;
  const int x = builder.input("x", {1, 4}), view = builder.view("view", x, {4, 1}), y = builder.output("y", {4, 1});
  builder.op("reshape", ops::Reshape{.shape = {4, 1}}, {x}, {view});
  builder.op("relu", unary(ops::UnaryKind::kRelu), {view}, {y});
  const int stream = builder.constant<float>("stream", {4}, {0, 0, 0, 0});
  plan::Program program;
  program.unit = "npu";
  program.kind = plan::ProgramKind::kInstructions;
  program.ranges.push_back({.size = 16, .tensor = view});
  program.ranges.push_back({.address = 64, .size = 16, .access = plan::RangeAccess::kWrite, .tensor = y});
  program.segments = {builder.tables().tensors[static_cast<size_t>(stream)].buffer};
  builder.tables().branches[0].programs.push_back(std::move(program));
  CHECK(Plan::from_memory(builder.build().bytes()));
  builder.tables().branches[0].programs[1].ranges[0].access = plan::RangeAccess::kWrite;
  const auto plan = Plan::from_memory(builder.build().bytes());
  REQUIRE_FALSE(plan);
  CHECK(plan.error().message().find("has a program that writes tensor 1 'view', but its operators do not") !=
        std::string_view::npos);
}

TEST_CASE("An instruction program that reads its branch's result before writing it is rejected") {
  const auto reads_result = [](plan::Tables& p) {
    auto& ranges = p.branches[0].programs[1].ranges;
    ranges[1].tensor = ranges[2].tensor;
  };
  constexpr const char* kComplaint = "branch 0: has a program that reads tensor 2 'left', which its operators compute";
  expect_all_refused(npu_plan, {{kComplaint, reads_result}, {kComplaint, [](plan::Tables& p) {
                                                               p.branches[0].programs[1].ranges[2].access =
                                                                   plan::RangeAccess::kRead;
                                                             }}});
}

TEST_CASE("An instruction program that does not write a tensor that other branches read is rejected") {
  expect_all_refused(npu_plan, {{"branch 0: has a program for unit 'npu' that does not write tensor 2 'left'",
                                 [](plan::Tables& p) { p.branches[0].programs[1].ranges.pop_back(); }},
                                {"branch 0: has a program for unit 'npu' that does not write tensor 2 'left'",
                                 [](plan::Tables& p) { p.branches[0].programs[1].ranges[2].size = 63; }}});
}

TEST_CASE("Branches with more than 256 programs are rejected") {
  expect_refused(npu_plan, {"branch 0: has 257 programs, more than 256",
                            [](plan::Tables& p) { p.branches[0].programs.resize(257, p.branches[0].programs[1]); }});
}

TEST_CASE("Operators that break their rules are rejected by name on every unit") {
  expect_all_refused(
      branches_plan,
      {{"operator 1 'right' (Binary): output 0 is f32 4x4, but the operator computes f32 2x8",
        [](plan::Tables& p) {
          p.tensors[3].shape = {4, 4};
        }},
       {"operator 0 'left' (Unary): has 0 inputs", [](plan::Tables& p) { p.operators[0].inputs.clear(); }}});
}

// Returns a plan in which `left` and `right` compute the halves of one buffer and `whole` reads both.
PlanBuilder halves_plan() {
  PlanBuilder builder;
  const int x = builder.input("x", {4}), whole = builder.arena("whole", {8}), y = builder.output("y", {8});
  const int left = builder.view("left", whole, {4}), right = builder.view("right", whole, {4}, 16);
  builder.op("left", unary(ops::UnaryKind::kRelu), {x}, {left});
  builder.op("right", unary(ops::UnaryKind::kNeg), {x}, {right});
  builder.op("whole", ops::Concat{.axis = 0}, {left, right}, {whole});
  builder.op("abs", unary(ops::UnaryKind::kAbs), {whole}, {y});
  return builder;
}

TEST_CASE("Tensors that share bytes without being views of each other are rejected") {
  CHECK(Plan::from_memory(halves_plan().build().bytes()));
  expect_refused(halves_plan,
                 {"operator 0 'left' (Unary) and operator 1 'right' (Unary) compute the same bytes of buffer",
                  [](plan::Tables& p) {
                    p.tensors[4].offset = 8;
                    p.operators.resize(2);
                    p.operators.push_back({"y", ops::Concat{.axis = 0}, {3, 4}, {2}});
                    p.branches[0].operators = {0, 1, 2};
                  }});
}

TEST_CASE("Plans with too many dependencies between branches are rejected") {
  constexpr int kParts = 2100;  // squared, more than plan_format::kMaxDependencies
  PlanBuilder builder;
  const int x = builder.input("x", {4}), whole = builder.arena("whole", {4 * kParts});
  std::vector<int> parts;
  for (int i = 0; i < kParts; ++i) {
    parts.push_back(builder.view("part", whole, {4}, static_cast<uint64_t>(i) * 16));
    builder.op("part", unary(ops::UnaryKind::kRelu), {x}, {parts.back()});
  }
  builder.op("whole", ops::Concat{.axis = 0}, parts, {whole});
  for (int i = 0; i < kParts; ++i)
    builder.op("slice", ops::Slice{.start = {4 * i}, .step = {1}, .shape = {4}}, {whole},
               {builder.view("slice", whole, {4}, static_cast<uint64_t>(i) * 16)});
  const int y = builder.output("y", {4});
  builder.op("last", unary(ops::UnaryKind::kRelu), {parts[0]}, {y});
  const PlanFile file = builder.build();
  const auto plan = Plan::from_memory(file.bytes());
  REQUIRE_FALSE(plan);
  CHECK(plan.error().message().find("have more than 4194304 dependencies") != std::string_view::npos);
}

// Returns a hundred additions of 4 MB, more than 256 MB and 16 times 4 MB.
PlanFile many_additions(bool are_equal) {
  constexpr int64_t kElements = 1 << 20;
  constexpr int kMany = 100;
  PlanBuilder builder;
  const int x = builder.input("x", {kElements}), y = builder.output("y", {kElements});
  const int c = builder.constant<float>("c", {kElements}, std::vector<float>(kElements, 1));
  for (int i = 0; i < kMany; ++i) {
    ops::Binary add = binary(ops::BinaryKind::kAdd);
    if (!are_equal) add.activation = {ops::ActivationKind::kLeakyRelu, static_cast<float>(i), 0};
    builder.op("add", add, {x, c}, {builder.arena("sum", {kElements})});
  }
  builder.op("add", binary(ops::BinaryKind::kAdd), {x, c}, {y});
  return builder.build();
}

TEST_CASE("Equal operators count a constant once") { CHECK(Plan::from_memory(many_additions(true).bytes())); }

TEST_CASE("Plans whose different operators read too many bytes of shared constants are rejected") {
  const PlanFile file = many_additions(false);
  const auto plan = Plan::from_memory(file.bytes());
  REQUIRE_FALSE(plan);
  CHECK(plan.error().message().find("bytes of constants and quantization") != std::string_view::npos);
}

// Expects the plan to be rejected with a message that contains `text`.
void check_shared(PlanBuilder& builder, std::string_view text) {
  const PlanFile file = builder.build();
  const auto plan = Plan::from_memory(file.bytes());
  REQUIRE_FALSE(plan);
  INFO(plan.error().to_string());
  CHECK(plan.error().message().find(text) != std::string_view::npos);
}

TEST_CASE("Plans whose operators share too much quantization are rejected even without bytes of constants") {
  constexpr int kChannels = 100'000, kUses = 400;
  PlanBuilder builder;
  const int x = builder.input("x", {1}), y = builder.output("y", {1});
  const int c = builder.constant<int8_t>("c", {kChannels, 0}, {}, DataType::kS8);
  plan::Tensor& tensor = builder.tables().tensors[static_cast<size_t>(c)];
  tensor.quantization.emplace();
  tensor.quantization->scales.assign(kChannels, 1);
  tensor.quantization->axis = 0;
  builder.op("y", ops::Concat{.axis = 1}, std::vector<int>(kUses, c), {y});
  static_cast<void>(x);
  check_shared(builder, "bytes of constants and quantization");
}

TEST_CASE("Plans whose weights grow too large when they are packed are rejected") {
  PlanBuilder builder;
  const int x = builder.input("x", {1, 1, 1000, 1000}), y = builder.output("y", {1, 1, 1, 1});
  const int weights = builder.constant<int8_t>("w", {1, 1, 1000, 1000}, std::vector<int8_t>(1'000'000), DataType::kS8);
  for (int i = 0; i < 40; ++i) {
    ops::Conv conv;
    conv.activation = {ops::ActivationKind::kLeakyRelu, static_cast<float>(i), 0};
    builder.op("conv", conv, {x, weights}, {builder.arena("z", {1, 1, 1, 1})});
  }
  builder.op("conv", ops::Conv{}, {x, weights}, {y});
  check_shared(builder, "bytes of constants and quantization");
}

TEST_CASE("Plans whose operators have too many operands are rejected") {
  PlanBuilder builder;
  const int x = builder.input("x", {0}), y = builder.output("y", {0});
  builder.op("y", ops::Concat{.axis = 0}, std::vector<int>(400'000, x), {y});
  check_shared(builder, "more than 400000 operands");
}

TEST_CASE("Plans whose programs share too many bytes of segments are rejected") {
  PlanBuilder builder = relu_plan();
  const int big = builder.constant<int8_t>("big", {1 << 21}, std::vector<int8_t>(1 << 21), DataType::kS8);
  for (int i = 0; i < 200; ++i) {
    plan::Program program;
    program.unit = "idle" + std::to_string(i);
    program.kind = plan::ProgramKind::kBlob;
    program.segments = {builder.tables().tensors[static_cast<size_t>(big)].buffer};
    builder.tables().branches[0].programs.push_back(std::move(program));
  }
  check_shared(builder, "bytes of segments of programs and their ranges");
}

}  // namespace
}  // namespace nestrt::test
