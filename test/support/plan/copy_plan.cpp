// SPDX-License-Identifier: Apache-2.0
#include "test/support/plan/copy_plan.h"

#include <array>
#include <random>
#include <string>

#include "drivers/evta/isa/encode.h"

namespace nestrt::evta::test {
namespace {

Transfer row(const Configuration& configuration, Memory memory, uint64_t address, uint16_t elements) {
  Transfer transfer;
  transfer.memory = memory;
  transfer.dram_base = static_cast<uint32_t>(address / static_cast<uint64_t>(configuration.element_bytes(memory)));
  transfer.y_size = 1;
  transfer.x_size = transfer.x_stride = elements;
  return transfer;
}

Gemm rows_gemm(bool reset, uint16_t rows) {
  Gemm gemm;
  gemm.reset = reset;
  gemm.loop.uop_end = 1;
  gemm.loop.iter_in = rows;
  gemm.loop.dst_factor_in = gemm.loop.src_factor_in = 1;
  return gemm;
}

std::vector<uint8_t> stream(const Configuration& configuration, uint16_t rows) {
  const Instruction instructions[] = {
      make_load(row(configuration, Memory::kUop, kUopAddress, 1)),
      make_gemm(rows_gemm(true, rows)),
      make_load(row(configuration, Memory::kInp, kInpAddress, rows)),
      make_load(row(configuration, Memory::kWgt, kWgtAddress, 1), {.push_next = true}),
      make_gemm(rows_gemm(false, rows), {.pop_prev = true, .push_next = true}),
      make_store(row(configuration, Memory::kOut, kOutAddress, rows), {.pop_prev = true, .push_prev = true}),
      make_finish({.pop_next = true}),
  };
  std::vector<uint8_t> bytes;
  for (const Instruction& instruction : instructions) {
    const InstructionWord word = encode(configuration, instruction).value();
    const auto* const data = reinterpret_cast<const uint8_t*>(word.data());
    bytes.insert(bytes.end(), data, data + sizeof(word));
  }
  return bytes;
}

std::vector<uint8_t> identity(int block) {
  std::vector<uint8_t> matrix(static_cast<size_t>(block * block), 0);
  for (int i = 0; i < block; ++i) matrix[static_cast<size_t>(i * block + i)] = 1;
  return matrix;
}

void add_range(plan::Program* program, uint64_t address, uint64_t size, plan::RangeAccess access, int tensor,
               uint32_t segment = 0) {
  program->ranges.push_back({address, size, access, tensor, segment});
}

void add_program(plan::Tables* tables, const Configuration& configuration, const std::vector<int>& segments,
                 size_t branch, int x, int y) {
  plan::Program program;
  program.unit = "evta";
  program.kind = plan::ProgramKind::kInstructions;
  program.configuration = configuration.name;
  for (int segment : segments) program.segments.push_back(tables->tensors[static_cast<size_t>(segment)].buffer);
  const auto block = static_cast<uint64_t>(configuration.block());
  const auto uop_bytes = static_cast<uint64_t>(configuration.uop_bytes());
  add_range(&program, kUopAddress, uop_bytes, plan::RangeAccess::kRead, -1, 1);
  add_range(&program, kWgtAddress, block * block, plan::RangeAccess::kRead, -1, 2);
  add_range(&program, kInpAddress, kCopyRows * block, plan::RangeAccess::kRead, x);
  add_range(&program, kOutAddress, kCopyRows * block, plan::RangeAccess::kWrite, y);
  tables->branches[branch].programs.push_back(std::move(program));
}

ops::Transpose copy() { return {.permutation = {0, 1}}; }

}  // namespace

std::vector<int> add_copy_segments(nestrt::test::PlanBuilder* builder, const Configuration& configuration,
                                   uint16_t rows) {
  const auto constant = [&](const char* name, const std::vector<uint8_t>& bytes) {
    return builder->constant(name, Shape{static_cast<int64_t>(bytes.size())}, bytes, DataType::kU8);
  };
  const std::vector<uint8_t> micro_op(static_cast<size_t>(configuration.uop_bytes()), 0);
  return {constant("stream", stream(configuration, rows)), constant("micro-op", micro_op),
          constant("identity", identity(configuration.block()))};
}

nestrt::test::PlanBuilder copy_plan(const Configuration& configuration) {
  nestrt::test::PlanBuilder builder;
  const Shape shape{kCopyRows, configuration.block()};
  const int x = builder.input("x", shape, DataType::kS8), y = builder.output("y", shape, DataType::kS8);
  builder.op("copy", copy(), {x}, {y});
  const std::vector<int> segments = add_copy_segments(&builder, configuration);
  add_program(&builder.tables(), configuration, segments, 0, x, y);
  return builder;
}

nestrt::test::PlanBuilder random_network(const Configuration& configuration, int branches, uint32_t seed) {
  nestrt::test::PlanBuilder builder;
  std::mt19937 random(seed);
  const Shape shape{kCopyRows, configuration.block() / 4};
  std::vector<int> values = {builder.input("x", shape, DataType::kS32)};
  std::vector<std::array<int, 3>> copies;  // branch, x, y
  for (int branch = 0; branch < branches; ++branch) {
    const std::string name = std::to_string(branch);
    const bool is_last = branch + 1 == branches;
    const int y = is_last ? builder.output("y", shape, DataType::kS32) : builder.arena(name, shape, DataType::kS32);
    const auto earlier = [&] { return values[random() % values.size()]; };
    const int x = is_last ? values.back() : earlier();
    if (random() % 3 != 0) {
      builder.op(name, copy(), {x}, {y});
      copies.push_back({branch, x, y});
    } else {
      const ops::BinaryKind kind = random() % 2 == 0 ? ops::BinaryKind::kMin : ops::BinaryKind::kMax;
      builder.op(name, nestrt::test::binary(kind), {x, earlier()}, {y});
    }
    builder.branch();
    values.push_back(y);
  }
  const std::vector<int> segments = add_copy_segments(&builder, configuration);
  plan::Tables& tables = builder.tables();
  for (const auto& [branch, x, y] : copies)
    add_program(&tables, configuration, segments, static_cast<size_t>(branch), x, y);
  plan::MemoryPlan any = tables.memory_plans[0];
  any.kind = plan::MemoryPlanKind::kAnySchedule;
  tables.memory_plans.push_back(std::move(any));
  return builder;
}

}  // namespace nestrt::evta::test
