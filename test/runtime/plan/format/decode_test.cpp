// SPDX-License-Identifier: Apache-2.0
// Tests the decoding of a plan's tables: damage that exists only in the serialized form.
#include "runtime/plan/format/decode.h"

#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <vector>

#include "runtime/plan/format/encode.h"
#include "runtime/plan/format/plan_generated.h"
#include "test/support/plan/sample_plans.h"

namespace nestrt::test {
namespace {

using flatbuffers::FlatBufferBuilder;

void expect_refused(std::span<const std::byte> bytes, const std::string& message) {
  const auto tables = decode_tables(bytes);
  INFO("expected: " << message);
  REQUIRE_FALSE(tables);
  CHECK(tables.error().code() == Code::kInvalidPlan);
  CHECK(tables.error().message() == message + "; recompile the model with nestc or copy the file again");
}

template <typename Enum>
Enum unknown() {
  return static_cast<Enum>(200);
}

// Returns branches_plan with a range and a cost, so that every enumeration occurs.
plan::Tables complete_tables() {
  plan::Tables tables = branches_plan().tables();
  tables.branches[1].programs[0].costs.push_back({});
  tables.branches[1].programs[0].ranges.push_back({.size = 4});
  return tables;
}

// Gives the first operator's table a separate vtable of two bytes at the end of the tables.
std::vector<std::byte> with_short_vtable(std::vector<std::byte> bytes) {
  const auto* const op = wire::GetPlan(bytes.data())->operators()->Get(0);
  const auto at = static_cast<size_t>(reinterpret_cast<const std::byte*>(op) - bytes.data());
  const uint16_t vtable_bytes = 2;
  const auto from_vtable = static_cast<int32_t>(at) - static_cast<int32_t>(bytes.size());
  std::memcpy(&bytes[at], &from_vtable, sizeof from_vtable);
  const auto end = std::as_bytes(std::span(&vtable_bytes, 1));
  bytes.insert(bytes.end(), end.begin(), end.end());
  bytes.shrink_to_fit();  // so that AddressSanitizer detects reads past the end
  return bytes;
}

TEST_CASE("A vtable that is too short to contain its table's size is rejected without a read past its end") {
  expect_refused(with_short_vtable(encode_tables(complete_tables())), "a table has no size");
}

TEST_CASE("Unknown enumeration values are rejected") {
  const auto expect_unknown = [](const std::string& message, const std::function<void(plan::Tables&)>& damage) {
    plan::Tables tables = complete_tables();
    CHECK(decode_tables(encode_tables(tables)));
    damage(tables);
    expect_refused(encode_tables(tables), message + " is unknown");
  };
  const auto program = [](plan::Tables& p) -> plan::Program& { return p.branches[1].programs[0]; };
  const auto right = [](plan::Tables& p) -> ops::Binary& { return std::get<ops::Binary>(p.operators[1].attributes); };
  expect_unknown("buffer 2: kind 200", [](plan::Tables& p) { p.buffers[2].kind = unknown<plan::BufferKind>(); });
  expect_unknown("tensor 2: type 200", [](plan::Tables& p) { p.tensors[2].type = unknown<DataType>(); });
  expect_unknown("tensor 2: layout 200", [](plan::Tables& p) { p.tensors[2].layout = unknown<Layout>(); });
  expect_unknown("tensor 2: packing 200", [](plan::Tables& p) { p.tensors[2].packing = unknown<Packing>(); });
  expect_unknown("memory plan 0: kind 200",
                 [](plan::Tables& p) { p.memory_plans[0].kind = unknown<plan::MemoryPlanKind>(); });
  expect_unknown("branch 1: a program's kind 200",
                 [&](plan::Tables& p) { program(p).kind = unknown<plan::ProgramKind>(); });
  expect_unknown("branch 1: a cost's origin 200",
                 [&](plan::Tables& p) { program(p).costs[0].origin = unknown<plan::CostOrigin>(); });
  expect_unknown("branch 1: a range's access 200",
                 [&](plan::Tables& p) { program(p).ranges[0].access = unknown<plan::RangeAccess>(); });
  expect_unknown("branch 1: a range's layout 200",
                 [&](plan::Tables& p) { program(p).ranges[0].layout = unknown<plan::RangeLayout>(); });
  expect_unknown("operator 0 'left': operator kind 0", [](plan::Tables& p) { p.operators[0].attributes = {}; });
  expect_unknown("operator 0 'left' (Unary): kind = 49", [](plan::Tables& p) {
    std::get<ops::Unary>(p.operators[0].attributes).kind = static_cast<ops::UnaryKind>(49);
  });
  expect_unknown("operator 1 'right' (Binary): kind = 200",
                 [&](plan::Tables& p) { right(p).kind = unknown<ops::BinaryKind>(); });
  expect_unknown("operator 1 'right' (Binary): activation = 200",
                 [&](plan::Tables& p) { right(p).activation.kind = unknown<ops::ActivationKind>(); });
  expect_unknown("operator 1 'right' (Binary): rounding = 200",
                 [&](plan::Tables& p) { right(p).rounding = unknown<ops::Rounding>(); });
  const auto expect_unknown_in = [&]<typename Op, typename Enum>(const std::string& attribute, Enum Op::*member) {
    Op op;
    op.*member = unknown<Enum>();
    expect_unknown(fmt::format("operator 0 'left' ({}): {} = 200", ops::name(ops::kind_of(op)), attribute),
                   [&](plan::Tables& p) { p.operators[0].attributes = op; });
  };
  expect_unknown_in("kind", &ops::Pool::kind);
  expect_unknown_in("mode", &ops::Pad::mode);
  expect_unknown_in("mode", &ops::Resize::mode);
  expect_unknown_in("coordinate", &ops::Resize::coordinate);
  expect_unknown_in("nearest", &ops::Resize::nearest);
  expect_unknown_in("kind", &ops::Reduce::kind);
  expect_unknown_in("to", &ops::Cast::to);
  expect_unknown_in("to", &ops::Quantize::to);
  expect_unknown_in("to", &ops::Requantize::to);
}

// Generated tables inherit privately from flatbuffers::Table.
template <typename Table>
const flatbuffers::Table& raw(const Table* table) {
  return *reinterpret_cast<const flatbuffers::Table*>(table);
}

// Returns the mutable address of a table's field.
uint8_t* position(const flatbuffers::Table& table, flatbuffers::voffset_t field) {
  auto* const address = const_cast<uint8_t*>(table.GetAddressOf(field));
  REQUIRE(address != nullptr);
  return address;
}

TEST_CASE("An unknown operator is rejected") {
  const std::vector<std::byte> bytes = encode_tables(branches_plan().tables());
  const wire::Operator* const left = wire::GetPlan(bytes.data())->operators()->Get(0);
  for (const size_t kind : {ops::kNumKinds, size_t{200}}) {
    *position(raw(left), wire::Operator::VT_ATTRIBUTES_TYPE) = static_cast<uint8_t>(kind);
    expect_refused(bytes, "operator 0 'left': operator kind " + std::to_string(kind) + " is unknown");
  }
}

std::span<const std::byte> bytes_of(const FlatBufferBuilder& builder) {
  return std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
}

TEST_CASE("A shape with more than 8 dimensions is rejected") {
  for (const size_t rank : {8u, 9u, 1000u}) {
    FlatBufferBuilder builder;
    const auto shape = builder.CreateVector(std::vector<int64_t>(rank, 1));
    const auto tensor = wire::CreateTensor(builder, 0, wire::DataType::f32, shape);
    builder.Finish(wire::CreatePlan(builder, 0, 0, 0, 0, builder.CreateVector(&tensor, 1)), wire::PlanIdentifier());
    if (rank <= 8)
      CHECK(decode_tables(bytes_of(builder)));
    else
      expect_refused(bytes_of(builder), "tensor 0: rank " + std::to_string(rank) + " exceeds 8");
  }
}

TEST_CASE("Data that is not a FlatBuffer is rejected") {
  std::vector<std::byte> bytes = encode_tables(branches_plan().tables());
  expect_refused({}, "the tables are malformed");
  expect_refused(std::span(bytes).first(bytes.size() / 2), "the tables are malformed");
  bytes[0] = std::byte{0xFF};  // in the offset of the first table
  expect_refused(bytes, "the tables are malformed");
}

// --- Sharing -------------------------------------------------------------------------------------------------------

using Program = flatbuffers::Offset<wire::Program>;

// Builds tables with one branch that has `programs`.
void finish(FlatBufferBuilder& builder, const std::vector<Program>& programs) {
  const auto branch = wire::CreateBranch(builder, 0, builder.CreateVector(programs));
  const auto branches = builder.CreateVector(&branch, 1);
  builder.Finish(wire::CreatePlan(builder, 0, 0, 0, 0, 0, 0, 0, 0, 0, branches), wire::PlanIdentifier());
}

// Expects that programs that share data are rejected if there are too many. `make` returns N such programs.
void expect_refused_where_shared(const std::function<std::vector<Program>(FlatBufferBuilder&, size_t)>& make) {
  FlatBufferBuilder once, often;
  finish(once, make(once, 1));
  CHECK(decode_tables(bytes_of(once)));
  finish(often, make(often, 300));
  expect_refused(bytes_of(often), "the tables refer to more entries than fit into them");
}

TEST_CASE("A long list that many tables share is rejected") {
  expect_refused_where_shared([](FlatBufferBuilder& builder, size_t count) {
    const auto segments = builder.CreateVector(std::vector<uint32_t>(2000, 1));
    std::vector<Program> programs(count);
    for (Program& program : programs)
      program = wire::CreateProgram(builder, 0, wire::ProgramKind::kernels, 0, 0, segments);
    return programs;
  });
}

TEST_CASE("A long string that many tables share is rejected") {
  expect_refused_where_shared([](FlatBufferBuilder& builder, size_t count) {
    const auto unit = builder.CreateString(std::string(8000, 'x'));
    std::vector<Program> programs(count);
    for (Program& program : programs) program = wire::CreateProgram(builder, unit);
    return programs;
  });
}

TEST_CASE("A table that many lists share is rejected") {
  expect_refused_where_shared([](FlatBufferBuilder& builder, size_t count) {
    const auto unit = builder.CreateString("npu");
    return std::vector<Program>(count, wire::CreateProgram(builder, unit));
  });
}

TEST_CASE("Too many tables are rejected before memory is allocated for them") {
  FlatBufferBuilder builder;
  finish(builder, std::vector<Program>(2'000'000, wire::CreateProgram(builder)));
  expect_refused(bytes_of(builder), "there are too many tables");
}

TEST_CASE("A long name or list of numbers that many operators share is rejected") {
  for (const bool by_name : {true, false}) {
    const auto tables = [&](FlatBufferBuilder& builder, size_t count) {
      const auto name = builder.CreateString(std::string(8000, 'x'));
      const auto roi = builder.CreateVector(std::vector<float>(2000, 1));
      std::vector<flatbuffers::Offset<wire::Operator>> operators(count);
      for (auto& op : operators) {
        wire::ResizeBuilder resize(builder);
        if (!by_name) resize.add_roi(roi);
        const auto attributes = resize.Finish().Union();
        op = wire::CreateOperator(builder, by_name ? name : 0, wire::Attributes::Resize, attributes);
      }
      const auto list = builder.CreateVector(operators);
      builder.Finish(wire::CreatePlan(builder, 0, 0, 0, 0, 0, list), wire::PlanIdentifier());
      return bytes_of(builder);
    };
    FlatBufferBuilder once, often;
    CHECK(decode_tables(tables(once, 1)));
    expect_refused(tables(often, 300), "the tables refer to more entries than fit into them");
  }
}

// --- Alignment -----------------------------------------------------------------------------------------------------

// Moves a list of 8-byte elements by 4 bytes. Its length is then the low half of the former first element.
void misalign(const flatbuffers::Table& table, flatbuffers::voffset_t field) {
  uint8_t* const offset = position(table, field);
  flatbuffers::WriteScalar(offset, flatbuffers::ReadScalar<flatbuffers::uoffset_t>(offset) + 4);
}

// Equals {3, 5} after misalign().
const std::vector<int64_t> kToMove = {2 | int64_t{3} << 32, int64_t{5} << 32, 0};
const std::vector<int64_t> kMoved = {3, 5};

// FlatBuffers verifies that lists are aligned to 4 bytes, not to their element size.
TEST_CASE("Lists of 8-byte elements that are not aligned to 8 are read") {
  plan::Tables tables;
  tables.tensors.emplace_back().shape = Shape(kToMove);
  tables.memory_plans.emplace_back().offsets.assign(kToMove.begin(), kToMove.end());
  tables.operators.push_back({"slice", ops::Slice{kToMove, kToMove, kToMove}, {}, {}});
  tables.operators.push_back({"pad", ops::Pad{.begin = kToMove, .end = kToMove}, {}, {}});
  const std::vector<std::byte> bytes = encode_tables(tables);
  const wire::Plan& written = *wire::GetPlan(bytes.data());
  misalign(raw(written.tensors()->Get(0)), wire::Tensor::VT_SHAPE);
  misalign(raw(written.memory_plans()->Get(0)), wire::MemoryPlan::VT_OFFSETS);
  for (const auto field : {wire::Slice::VT_START, wire::Slice::VT_STEP, wire::Slice::VT_SHAPE})
    misalign(raw(written.operators()->Get(0)->attributes_as_Slice()), field);
  for (const auto field : {wire::Pad::VT_BEGIN, wire::Pad::VT_END})
    misalign(raw(written.operators()->Get(1)->attributes_as_Pad()), field);
  const auto read = decode_tables(bytes);
  REQUIRE(read);
  CHECK(read->tensors[0].shape == Shape(kMoved));
  CHECK(read->memory_plans[0].offsets == std::vector<uint64_t>(kMoved.begin(), kMoved.end()));
  CHECK(read->operators[0].attributes == ops::Attributes(ops::Slice{kMoved, kMoved, kMoved}));
  CHECK(read->operators[1].attributes == ops::Attributes(ops::Pad{.begin = kMoved, .end = kMoved}));
}

// --- Whole plans ---------------------------------------------------------------------------------------------------

TEST_CASE("Decoding and encoding tables restores the same bytes") {
  for (const auto make : {relu_plan, branches_plan, views_plan, blocked_plan, plain_conv_plan, unpacked_conv_plan,
                          movement_plan, selection_plan, integer_plan, classifier_plan}) {
    const std::vector<std::byte> bytes = encode_tables(make().tables());
    const auto read = decode_tables(bytes);
    REQUIRE(read);
    CHECK(encode_tables(*read) == bytes);
  }
}

TEST_CASE("Every field of every table survives encoding and decoding") {
  plan::Tables tables;
  tables.producer = "nestc";
  tables.model_name = "net";
  tables.targets = {{"cpu", "any"}, {"npu", "2x32", 333.25F}};
  tables.buffers = {{plan::BufferKind::kArena, 1, 2, 3, 4}};
  tables.tensors = {{"x", DataType::kS8, {1, 2}, Layout::kBlocked16, Packing::kS8Panel, 3, 4, std::nullopt},
                    {"y", DataType::kU8, {}, Layout::kPlain, Packing::kNone, 5, 6, plan::Quantization{}}};
  tables.tensors[0].quantization = {{1, -2}, {0.5F, 2}, {3, -4}, 1};
  tables.operators = {{"op", ops::Softmax{1, true}, {0, -1}, {1}}};
  tables.inputs = {{1, std::nullopt}, {2, Preprocessing{{1, 2}, {3, 4}, 5, true, true, 114, false}}};
  tables.outputs = {6, 7};
  tables.memory_plans = {{plan::MemoryPlanKind::kAnySchedule, 1, 2, {3, 4}}};
  tables.branches = {{{1, 2},
                      {{"npu",
                        plan::ProgramKind::kBlob,
                        "one",
                        {{"neon", {1, 2}, {3, -1}, {{1, 1, 3}}}},
                        {3},
                        {{1.5F, plan::CostOrigin::kModelled}},
                        {{1, 2, plan::RangeAccess::kReadWrite, 3, 4, plan::RangeLayout::kBlocked32}},
                        16}}}};
  tables.kernel_names = {"", "conv.fast"};
  tables.host_costs = {{"neon", 4, {1.5F, 0}}};
  tables.overheads = {{"npu", "one", 1, 1, 2, 3, 4}};
  tables.shapes.emplace_back().model_name = "other shape";
  const std::vector<std::byte> bytes = encode_tables(tables);
  const auto read = decode_tables(bytes);
  REQUIRE(read);
  CHECK(encode_tables(*read) == bytes);
  CHECK(read->tensors[0].quantization == tables.tensors[0].quantization);
  CHECK(read->tensors[1].quantization == plan::Quantization{});
  CHECK_FALSE(read->inputs[0].preprocessing);
  CHECK(read->inputs[1].preprocessing->mean == std::vector<float>{1, 2});
  CHECK(read->inputs[1].preprocessing->letterbox);
  CHECK(read->inputs[1].preprocessing->pad == 114);
  CHECK_FALSE(read->inputs[1].preprocessing->antialias);
  CHECK(read->branches[0].programs[0].selections[0].weights == std::vector<int32_t>{3, -1});
  CHECK(read->branches[0].programs[0].selections[0].alternatives == std::vector<plan::KernelAlternative>{{1, 1, 3}});
  CHECK(read->branches[0].programs[0].ranges[0].segment == 4);
  CHECK(read->host_costs[0].microseconds == std::vector<float>{1.5F, 0});
  CHECK(read->overheads[0].lane_us == 4);
  CHECK(read->shapes[0].model_name == "other shape");
}

}  // namespace
}  // namespace nestrt::test
