// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/simulator/functional_simulator.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "drivers/evta/errors.h"
#include "drivers/evta/isa/decode.h"
#include "drivers/evta/isa/dispatch.h"
#include "drivers/evta/simulator/vector_engine.h"
#include "runtime/platform/aligned_memory.h"

namespace nestrt::evta {
namespace {

static_assert(std::endian::native == std::endian::little, "accumulators are copied from DRAM as they are");

// One of the indices used by a loop's steps.
struct Index {
  Memory memory;
  uint32_t MicroOp::*field;
  uint32_t factor_out;
  uint32_t factor_in;
};

bool is_empty(const Loop& loop) { return loop.iter_out == 0 || loop.iter_in == 0 || loop.uop_begin >= loop.uop_end; }

void widen(const std::byte* from, int16_t* to, size_t count) {
  const auto* values = reinterpret_cast<const int8_t*>(from);
  for (size_t i = 0; i < count; ++i) to[i] = values[i];
}

// Converts [outputs][inputs] to widened [inputs / 2][outputs][2].
template <size_t kBlock>
void pack_weights(const std::byte* from, int16_t* to) {
  const auto* values = reinterpret_cast<const int8_t*>(from);
  for (size_t pair = 0; pair < kBlock / 2; ++pair) {
    for (size_t out = 0; out < kBlock; ++out) {
      to[(pair * kBlock + out) * 2] = values[out * kBlock + pair * 2];
      to[(pair * kBlock + out) * 2 + 1] = values[out * kBlock + pair * 2 + 1];
    }
  }
}

void pack_weights(size_t block, const std::byte* from, int16_t* to) {
  if (block == 8) return pack_weights<8>(from, to);
  block == 16 ? pack_weights<16>(from, to) : pack_weights<32>(from, to);
}

// Returns the start of a transfer's data in DRAM, or null if it has none.
template <typename Find>
auto locate(const Transfer& transfer, uint64_t size, const Find& find) -> Result<decltype(find(0, 0))> {
  if (transfer.is_empty()) return nullptr;
  const uint64_t elements = uint64_t{transfer.y_size - 1u} * transfer.x_stride + transfer.x_size;
  const auto bytes = find(transfer.dram_base * size, elements * size);
  if (bytes == nullptr)
    return device_fault(
        fmt::format("accesses {} bytes at {}, which no range permits", elements * size, transfer.dram_base * size));
  return bytes;
}

}  // namespace

struct FunctionalSimulator::Memories {
  const Configuration& configuration;
  Engine engine;
  std::vector<MicroOp> uop;
  AlignedMemory block;  // contains the other memories
  int16_t* wgt = nullptr;
  int16_t* inp = nullptr;
  int32_t* acc = nullptr;
  int8_t* out = nullptr;
  const Dram* dram = nullptr;
  std::array<uint64_t, kNumMemories> reached{};  // per memory, the number of elements that the run may have accessed

  int8_t initial;  // value of every byte before a run

  Memories(const Configuration& wanted, std::byte initial_byte)
      : configuration(wanted),
        engine(select_engine(wanted.block())),
        uop(wanted.uop_depth()),
        initial(static_cast<int8_t>(initial_byte)) {}

  Status allocate();
  // Prepares one run, during which `run_dram` must stay valid. Resets the memory that the previous run has used.
  void begin(const Dram& run_dram);

  Status load(const Transfer& transfer);
  Status store(const Transfer& transfer);
  Status gemm(const Gemm& gemm);
  Status alu(const Alu& alu);

 private:
  size_t lanes() const { return static_cast<size_t>(configuration.block()); }
  EngineMemories view() const { return {uop.data(), wgt, inp, acc, out}; }

  // Returns the initial value of an accumulator.
  int32_t initial_word() const { return static_cast<int32_t>(0x01010101u * static_cast<uint8_t>(initial)); }
  uint64_t take_reached(Memory memory) { return std::exchange(reached[static_cast<size_t>(memory)], 0); }
  // Prepares elements up to `end` for use.
  Status reach(Memory memory, uint64_t end);
  // Prepares the elements that the steps of a loop access. Requires: at least one step.
  Status reach(const Loop& loop, const Index& index);
  Status load_uops(const Transfer& transfer);
  Status load_rows(const Transfer& transfer);
  void copy(Memory memory, size_t index, const std::byte* from, size_t count);
  void fill_zeros(Memory memory, size_t index, size_t count);
};

Status FunctionalSimulator::Memories::allocate() {
  const uint64_t wgt_bytes = uint64_t{configuration.wgt_depth()} * configuration.wgt_bytes() * sizeof(int16_t);
  const uint64_t inp_bytes = uint64_t{configuration.inp_depth()} * configuration.inp_bytes() * sizeof(int16_t);
  const uint64_t acc_bytes = uint64_t{configuration.acc_depth()} * configuration.acc_bytes();
  const uint64_t out_bytes = uint64_t{configuration.acc_depth()} * configuration.out_bytes();
  NESTRT_ASSIGN_OR_RETURN(block, AlignedMemory::allocate(wgt_bytes + inp_bytes + acc_bytes + out_bytes,
                                                         "an EVTA simulator's on-chip memories"));
  wgt = reinterpret_cast<int16_t*>(block.data());
  inp = reinterpret_cast<int16_t*>(block.data() + wgt_bytes);
  acc = reinterpret_cast<int32_t*>(block.data() + wgt_bytes + inp_bytes);
  out = reinterpret_cast<int8_t*>(block.data() + wgt_bytes + inp_bytes + acc_bytes);
  for (const Memory memory : {Memory::kUop, Memory::kWgt, Memory::kInp, Memory::kAcc, Memory::kOut})
    reached[static_cast<size_t>(memory)] = configuration.depth(memory);
  return {};
}

void FunctionalSimulator::Memories::begin(const Dram& run_dram) {
  dram = &run_dram;
  const uint64_t accumulators = std::max(take_reached(Memory::kAcc), take_reached(Memory::kOut)) * lanes();
  const uint32_t index = static_cast<uint8_t>(initial);
  std::fill_n(uop.begin(), take_reached(Memory::kUop), MicroOp{index, index, index});
  std::fill_n(wgt, take_reached(Memory::kWgt) * lanes() * lanes(), int16_t{initial});
  std::fill_n(inp, take_reached(Memory::kInp) * lanes(), int16_t{initial});
  std::fill_n(acc, accumulators, initial_word());
  std::fill_n(out, accumulators, initial);
}

Status FunctionalSimulator::Memories::reach(Memory memory, uint64_t end) {
  if (end > configuration.depth(memory))
    return device_fault(
        fmt::format("{}[{}] is beyond the memory's {} elements", name(memory), end - 1, configuration.depth(memory)));
  uint64_t& most = reached[static_cast<size_t>(memory)];
  most = std::max(most, end);
  return {};
}

Status FunctionalSimulator::Memories::load(const Transfer& transfer) {
  if (transfer.memory == Memory::kUop) return load_uops(transfer);
  if (transfer.memory == Memory::kOut || transfer.memory == Memory::kAcc8Bit) return {};
  if (transfer.memory != Memory::kWgt) return load_rows(transfer);
  Transfer without_pads = transfer;
  without_pads.y_pad_begin = without_pads.y_pad_end = without_pads.x_pad_begin = without_pads.x_pad_end = 0;
  return load_rows(without_pads);
}

Status FunctionalSimulator::Memories::load_uops(const Transfer& transfer) {
  const auto size = static_cast<uint64_t>(configuration.uop_bytes());
  if (transfer.is_empty()) return {};
  NESTRT_RETURN_IF_ERROR(reach(Memory::kUop, uint64_t{transfer.sram_base} + transfer.x_size));
  const std::byte* from = dram->read(transfer.dram_base * size, transfer.x_size * size);
  if (from == nullptr)
    return device_fault(fmt::format("micro-ops at {} are not in a range", transfer.dram_base * size));
  for (size_t i = 0; i < transfer.x_size; ++i) {
    const uint64_t raw = read_micro_op(configuration, {from, transfer.x_size * size}, i);
    NESTRT_ASSIGN_OR_RETURN(uop[transfer.sram_base + i], decode_micro_op(configuration, raw));
  }
  return {};
}

Status FunctionalSimulator::Memories::load_rows(const Transfer& transfer) {
  const auto size = static_cast<uint64_t>(configuration.element_bytes(transfer.memory));
  const size_t columns = size_t{transfer.x_pad_begin} + transfer.x_size + transfer.x_pad_end;
  const size_t rows = size_t{transfer.y_pad_begin} + transfer.y_size + transfer.y_pad_end;
  if (rows * columns == 0) return {};
  NESTRT_RETURN_IF_ERROR(reach(transfer.memory, transfer.sram_base + rows * columns));
  NESTRT_ASSIGN_OR_RETURN(const std::byte* from, locate(transfer, size, [&](uint64_t address, uint64_t bytes) {
                            return dram->read(address, bytes);
                          }));
  size_t index = transfer.sram_base;
  fill_zeros(transfer.memory, index, transfer.y_pad_begin * columns);
  index += transfer.y_pad_begin * columns;
  for (size_t y = 0; y < transfer.y_size; ++y, index += columns) {
    fill_zeros(transfer.memory, index, transfer.x_pad_begin);
    if (from != nullptr)
      copy(transfer.memory, index + transfer.x_pad_begin, from + y * transfer.x_stride * size, transfer.x_size);
    fill_zeros(transfer.memory, index + transfer.x_pad_begin + transfer.x_size, transfer.x_pad_end);
  }
  fill_zeros(transfer.memory, index, transfer.y_pad_end * columns);
  return {};
}

void FunctionalSimulator::Memories::copy(Memory memory, size_t index, const std::byte* from, size_t count) {
  const size_t block_bytes = lanes() * lanes();
  if (memory == Memory::kAcc) std::memcpy(acc + index * lanes(), from, count * lanes() * sizeof(int32_t));
  if (memory == Memory::kInp) widen(from, inp + index * lanes(), count * lanes());
  if (memory != Memory::kWgt) return;
  for (size_t i = 0; i < count; ++i) {
    int16_t* const to = wgt + (index + i) * block_bytes;
    pack_weights(lanes(), from + i * block_bytes, to);
  }
}

// Writes zero padding. Weights have no padding.
void FunctionalSimulator::Memories::fill_zeros(Memory memory, size_t index, size_t count) {
  if (memory == Memory::kAcc) std::fill_n(acc + index * lanes(), count * lanes(), 0);
  if (memory == Memory::kInp) std::fill_n(inp + index * lanes(), count * lanes(), int16_t{0});
}

Status FunctionalSimulator::Memories::store(const Transfer& transfer) {
  const size_t size = lanes();
  const size_t count = size_t{transfer.y_size} * transfer.x_size;
  if (count == 0) return {};
  NESTRT_RETURN_IF_ERROR(reach(Memory::kOut, transfer.sram_base + count));
  NESTRT_ASSIGN_OR_RETURN(std::byte * to, locate(transfer, size, [&](uint64_t address, uint64_t bytes) {
                            return dram->write(address, bytes);
                          }));
  const int8_t* from = out + transfer.sram_base * size;
  for (size_t y = 0; y < transfer.y_size; ++y)
    std::memcpy(to + y * transfer.x_stride * size, from + y * transfer.x_size * size, transfer.x_size * size);
  return {};
}

Status FunctionalSimulator::Memories::reach(const Loop& loop, const Index& index) {
  const uint64_t span = uint64_t{loop.iter_out - 1} * index.factor_out + uint64_t{loop.iter_in - 1} * index.factor_in;
  for (size_t u = loop.uop_begin; u < loop.uop_end; ++u)
    NESTRT_RETURN_IF_ERROR(reach(index.memory, uop[u].*index.field + span + 1));
  return {};
}

Status FunctionalSimulator::Memories::gemm(const Gemm& gemm) {
  const Loop& loop = gemm.loop;
  if (is_empty(loop)) return {};
  NESTRT_RETURN_IF_ERROR(reach(Memory::kUop, loop.uop_end));
  for (const Index& index : {Index{Memory::kAcc, &MicroOp::dst, loop.dst_factor_out, loop.dst_factor_in},
                             Index{Memory::kInp, &MicroOp::src, loop.src_factor_out, loop.src_factor_in},
                             Index{Memory::kWgt, &MicroOp::wgt, gemm.wgt_factor_out, gemm.wgt_factor_in}})
    NESTRT_RETURN_IF_ERROR(reach(loop, index));
  engine.gemm(view(), gemm);
  return {};
}

Status FunctionalSimulator::Memories::alu(const Alu& alu) {
  const Loop& loop = alu.loop;
  if (alu.opcode == AluOpcode::kMul) return Status(Code::kUnsupported, "the hardware has no ALU multiplication");
  if (is_empty(loop)) return {};
  NESTRT_RETURN_IF_ERROR(reach(Memory::kUop, loop.uop_end));
  for (const Index& index : {Index{Memory::kAcc, &MicroOp::dst, loop.dst_factor_out, loop.dst_factor_in},
                             Index{Memory::kAcc, &MicroOp::src, loop.src_factor_out, loop.src_factor_in}})
    NESTRT_RETURN_IF_ERROR(reach(loop, index));
  engine.alu(view(), alu);
  return {};
}

FunctionalSimulator::FunctionalSimulator() = default;
FunctionalSimulator::FunctionalSimulator(FunctionalSimulator&&) noexcept = default;
FunctionalSimulator& FunctionalSimulator::operator=(FunctionalSimulator&&) noexcept = default;
FunctionalSimulator::~FunctionalSimulator() = default;

Result<std::shared_ptr<FunctionalSimulator::Memories>> FunctionalSimulator::make_memories(
    const Configuration& configuration, std::byte initial) {
  if (configuration.batch() != 1 || configuration.block() < 8 || configuration.block() > 32)
    return Status(Code::kUnsupported,
                  fmt::format("the simulator supports 1x8, 1x16 and 1x32, not {}", configuration.name));
  auto memories = std::make_shared<Memories>(configuration, initial);
  NESTRT_RETURN_IF_ERROR(memories->allocate());
  return memories;
}

Result<FunctionalSimulator> FunctionalSimulator::create(const Program& program, std::shared_ptr<Memories> memories) {
  const Configuration& configuration = *program.configuration;
  if (memories == nullptr) {
    NESTRT_ASSIGN_OR_RETURN(memories, make_memories(configuration));
  }
  FunctionalSimulator simulator;
  simulator.configuration_ = program.configuration;
  NESTRT_ASSIGN_OR_RETURN(simulator.instructions_, decode(configuration, program.instructions));
  NESTRT_ASSIGN_OR_RETURN(simulator.order_, execution_order(simulator.instructions_));
  simulator.memories_ = std::move(memories);
  return simulator;
}

Status FunctionalSimulator::run(const Dram& dram) {
  memories_->begin(dram);
  for (const OrderedInstruction& step : order_) {
    const Instruction& instruction = instructions_[step.index];
    const Status status = dispatch(instruction, *memories_);
    if (!status.ok())
      return status.with_context(fmt::format("instruction {} ({})", step.index, name(instruction.opcode)));
  }
  return {};
}

}  // namespace nestrt::evta
