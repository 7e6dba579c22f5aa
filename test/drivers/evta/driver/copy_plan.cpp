#include "test/drivers/evta/driver/copy_plan.h"

#include <cstring>

#include "drivers/evta/isa/encode.h"

namespace nestrt::evta::test {
namespace {

constexpr uint64_t kUopAddress = 0x1000, kWgtAddress = 0x2000, kInpAddress = 0x3000, kOutAddress = 0x4000;

Transfer row(const Configuration& configuration, Memory memory, uint64_t address, uint16_t elements) {
  Transfer transfer;
  transfer.memory = memory;
  transfer.dram_base = static_cast<uint32_t>(address / static_cast<uint64_t>(configuration.element_bytes(memory)));
  transfer.y_size = 1;
  transfer.x_size = transfer.x_stride = elements;
  return transfer;
}

Gemm rows_gemm(bool reset) {
  Gemm gemm;
  gemm.reset = reset;
  gemm.loop.uop_end = 1;
  gemm.loop.iter_in = kCopyRows;
  gemm.loop.dst_factor_in = gemm.loop.src_factor_in = 1;
  return gemm;
}

std::vector<uint8_t> stream(const Configuration& configuration) {
  const Instruction instructions[] = {
      make_load(row(configuration, Memory::kUop, kUopAddress, 1)),
      make_gemm(rows_gemm(true)),
      make_load(row(configuration, Memory::kInp, kInpAddress, kCopyRows)),
      make_load(row(configuration, Memory::kWgt, kWgtAddress, 1), {.push_next = true}),
      make_gemm(rows_gemm(false), {.pop_prev = true, .push_next = true}),
      make_store(row(configuration, Memory::kOut, kOutAddress, kCopyRows), {.pop_prev = true, .push_prev = true}),
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

void add_range(plan::ProgramT* program, uint64_t address, uint64_t size, plan::RangeAccess access, int tensor,
               uint32_t segment = 0) {
  auto range = std::make_unique<plan::ProgramRangeT>();
  range->address = address;
  range->size = size;
  range->access = access;
  range->tensor = tensor;
  range->segment = segment;
  program->ranges.push_back(std::move(range));
}

}  // namespace

nestrt::test::PlanBuilder copy_plan(const Configuration& configuration) {
  nestrt::test::PlanBuilder builder;
  const Shape shape{kCopyRows, configuration.block()};
  const int x = builder.input("x", shape, DataType::kS8), y = builder.output("y", shape, DataType::kS8);
  plan::TransposeT transpose;
  transpose.permutation = {0, 1};
  builder.op("copy", std::move(transpose), {x}, {y});

  const auto constant = [&](const char* name, const std::vector<uint8_t>& bytes) {
    return builder.constant(name, Shape{static_cast<int64_t>(bytes.size())}, bytes, DataType::kU8);
  };
  const std::vector<uint8_t> words = stream(configuration), matrix = identity(configuration.block());
  const std::vector<uint8_t> micro_op(static_cast<size_t>(configuration.uop_bytes()), 0);
  const int segments[] = {constant("stream", words), constant("micro-op", micro_op), constant("identity", matrix)};

  auto program = std::make_unique<plan::ProgramT>();
  program->unit = "evta";
  program->kind = plan::ProgramKind::instructions;
  program->fingerprint = configuration.name;
  plan::PlanT& tables = builder.tables();
  for (int segment : segments) program->segments.push_back(tables.tensors[static_cast<size_t>(segment)]->buffer);
  const auto bytes = static_cast<uint64_t>(kCopyRows * configuration.block());
  add_range(program.get(), kUopAddress, micro_op.size(), plan::RangeAccess::read, -1, 1);
  add_range(program.get(), kWgtAddress, matrix.size(), plan::RangeAccess::read, -1, 2);
  add_range(program.get(), kInpAddress, bytes, plan::RangeAccess::read, x);
  add_range(program.get(), kOutAddress, bytes, plan::RangeAccess::write, y);
  tables.branches[0]->programs.push_back(std::move(program));
  return builder;
}

}  // namespace nestrt::evta::test
