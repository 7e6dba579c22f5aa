// SPDX-License-Identifier: Apache-2.0
#include "test/support/evta/plain_simulator.h"

#include <fmt/core.h>

#include <map>

#include "drivers/evta/errors.h"
#include "drivers/evta/execution_order.h"
#include "drivers/evta/isa/decode.h"
#include "drivers/evta/isa/dispatch.h"
#include "test/support/evta/alu_operation.h"
#include "test/support/evta/recent_writes.h"
#include "test/support/evta/shadow_memory.h"

namespace nestrt::evta {
namespace {

// The shadows of all memories. They have no effect unless the simulation is strict.
class Shadows {
 public:
  Shadows(const Configuration& configuration, const Dram& dram, Strictness strictness)
      : dram_(dram), strict_(strictness != Strictness::kPermissive) {
    if (!strict_) return;
    const bool from_reset = strictness == Strictness::kStrictFromReset;
    for (const Memory memory : {Memory::kUop, Memory::kWgt, Memory::kInp, Memory::kAcc, Memory::kOut})
      sram_[memory] = ShadowMemory(std::string(name(memory)), configuration.depth(memory), from_reset);
    for (const Dram::Region& region : dram.regions()) {
      const bool holds_data = region.access == MemoryRange::Access::kRead;
      if (!holds_data)
        dram_bytes_[region.address] = ShadowMemory(fmt::format("dram {}", region.address), region.size, false);
    }
  }

  bool strict() const { return strict_; }
  void begin(const Accessor& accessor) { accessor_ = accessor; }

  Status read(Memory memory, size_t index) { return strict_ ? sram_[memory].read(accessor_, index) : Status(); }
  Status write(Memory memory, size_t index) { return strict_ ? sram_[memory].write(accessor_, index) : Status(); }
  Status write_undefined(Memory memory, size_t index) {
    return strict_ ? sram_[memory].write_undefined(accessor_, index) : Status();
  }
  Status read_dram(uint64_t address, uint64_t size) { return access_dram(address, size, &ShadowMemory::read); }
  Status write_dram(uint64_t address, uint64_t size) { return access_dram(address, size, &ShadowMemory::write); }

 private:
  Status access_dram(uint64_t address, uint64_t size, Status (ShadowMemory::*access)(const Accessor&, size_t)) {
    auto after = dram_bytes_.upper_bound(address);
    if (!strict_ || after == dram_bytes_.begin() || dram_.write(address, size) == nullptr) return {};
    --after;
    for (uint64_t i = 0; i < size; ++i)
      NESTRT_RETURN_IF_ERROR((after->second.*access)(accessor_, address - after->first + i));
    return {};
  }

  const Dram& dram_;
  bool strict_;
  Accessor accessor_;
  std::map<Memory, ShadowMemory> sram_;
  std::map<uint64_t, ShadowMemory> dram_bytes_;  // key: start address of a writable range
};

// Indices of one step of a loop.
struct Indices {
  size_t dst;
  size_t src;
  size_t wgt;
};

class Machine {
 public:
  Machine(const Configuration& configuration, const Dram& dram, Strictness strictness)
      : configuration_(configuration),
        dram_(dram),
        shadows_(configuration, dram, strictness),
        uop_(configuration.uop_depth()),
        wgt_(size_t{configuration.wgt_depth()} * configuration.wgt_bytes()),
        inp_(size_t{configuration.inp_depth()} * configuration.inp_bytes()),
        acc_(size_t{configuration.acc_depth()} * lanes()),
        out_(size_t{configuration.acc_depth()} * lanes()) {}

  Status execute(const Instruction& instruction, const Accessor& accessor) {
    shadows_.begin(accessor);
    return dispatch(instruction, *this);
  }

  Status load(const Transfer& transfer) {
    switch (transfer.memory) {
      case Memory::kUop:
        return load_uops(transfer);
      case Memory::kWgt:
        return load_rows(Memory::kWgt, without_pads(transfer));
      case Memory::kInp:
        return load_rows(Memory::kInp, transfer);
      case Memory::kAcc:
        return load_rows(Memory::kAcc, transfer);
      case Memory::kOut:
      case Memory::kAcc8Bit:
        return {};
    }
    return {};
  }

  Status store(const Transfer& transfer) {
    if (shadows_.strict() && transfer.x_size == 0 && transfer.y_size > 0)
      return device_fault("a store of empty rows, which corrupts later stores of the hardware");
    const auto size = static_cast<uint64_t>(configuration_.out_bytes());
    size_t index = transfer.sram_base;
    for (uint64_t y = 0; y < transfer.y_size; ++y) {
      for (uint64_t x = 0; x < transfer.x_size; ++x, ++index) {
        NESTRT_RETURN_IF_ERROR(check_index(Memory::kOut, index));
        NESTRT_RETURN_IF_ERROR(shadows_.read(Memory::kOut, index));
        NESTRT_ASSIGN_OR_RETURN(std::byte * to,
                                write_dram((transfer.dram_base + y * transfer.x_stride + x) * size, size));
        for (size_t i = 0; i < size; ++i) to[i] = static_cast<std::byte>(out_[index * size + i]);
      }
    }
    return {};
  }

  Status gemm(const Gemm& gemm) {
    RecentWrites recent(late_gemm_steps(configuration_.design));
    return for_each_step(gemm.loop, gemm.wgt_factor_out, gemm.wgt_factor_in, [&](const Indices& at) -> Status {
      NESTRT_RETURN_IF_ERROR(check_index(Memory::kAcc, at.dst));
      NESTRT_RETURN_IF_ERROR(check_index(Memory::kInp, at.src));
      NESTRT_RETURN_IF_ERROR(check_index(Memory::kWgt, at.wgt));
      if (!gemm.reset) NESTRT_RETURN_IF_ERROR(check_late(recent.has(at.dst), at.dst));
      NESTRT_RETURN_IF_ERROR(gemm.reset ? shadow_of_reset(at) : shadow_of_gemm(at));
      multiply(at, gemm.reset);
      recent.add(at.dst, at.src);
      return {};
    });
  }

  Status alu(const Alu& alu) {
    if (alu.opcode == AluOpcode::kMul) return Status(Code::kUnsupported, "the hardware has no ALU multiplication");
    RecentWrites recent(late_alu_steps(configuration_.design));
    return for_each_step(alu.loop, 0, 0, [&](const Indices& at) -> Status {
      NESTRT_RETURN_IF_ERROR(check_index(Memory::kAcc, at.dst));
      NESTRT_RETURN_IF_ERROR(check_index(Memory::kAcc, at.src));
      NESTRT_RETURN_IF_ERROR(check_operands(alu, at, recent));
      NESTRT_RETURN_IF_ERROR(shadow_of_alu(alu, at));
      operate(alu, at);
      recent.add(at.dst, alu.use_immediate ? 0 : at.src);
      return {};
    });
  }

 private:
  size_t lanes() const { return static_cast<size_t>(configuration_.batch()) * configuration_.block(); }

  static Transfer without_pads(Transfer transfer) {
    transfer.y_pad_begin = transfer.y_pad_end = transfer.x_pad_begin = transfer.x_pad_end = 0;
    return transfer;
  }

  Status load_uops(const Transfer& transfer) {
    if (transfer.is_empty()) return {};
    const auto size = static_cast<uint64_t>(configuration_.uop_bytes());
    for (uint32_t i = 0; i < transfer.x_size; ++i) {
      NESTRT_ASSIGN_OR_RETURN(const std::byte* from, read_dram((uint64_t{transfer.dram_base} + i) * size, size));
      NESTRT_RETURN_IF_ERROR(write_sram(Memory::kUop, size_t{transfer.sram_base} + i));
      NESTRT_ASSIGN_OR_RETURN(uop_[transfer.sram_base + i],
                              decode_micro_op(configuration_, read_micro_op(configuration_, {from, size}, 0)));
    }
    return {};
  }

  // Loads the dense block, including pads, row by row.
  Status load_rows(Memory memory, const Transfer& transfer) {
    const int rows = transfer.y_pad_begin + transfer.y_size + transfer.y_pad_end;
    const int columns = transfer.x_pad_begin + transfer.x_size + transfer.x_pad_end;
    const auto size = static_cast<uint64_t>(configuration_.element_bytes(memory));
    size_t index = transfer.sram_base;
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column, ++index) {
        NESTRT_RETURN_IF_ERROR(write_sram(memory, index));
        const int64_t y = row - transfer.y_pad_begin, x = column - transfer.x_pad_begin;
        const bool is_pad = y < 0 || y >= transfer.y_size || x < 0 || x >= transfer.x_size;
        const std::byte* from = nullptr;
        if (!is_pad) {
          NESTRT_ASSIGN_OR_RETURN(from, read_dram((transfer.dram_base + y * transfer.x_stride + x) * size, size));
        }
        set_element(memory, index, from);
      }
    }
    return {};
  }

  // Sets an element from little-endian bytes; null for zeros.
  void set_element(Memory memory, size_t index, const std::byte* from) {
    const auto size = static_cast<size_t>(configuration_.element_bytes(memory));
    if (memory == Memory::kAcc) {
      for (size_t i = 0; i < lanes(); ++i) acc_[index * lanes() + i] = from == nullptr ? 0 : read_int32(from + 4 * i);
      return;
    }
    auto& elements = memory == Memory::kWgt ? wgt_ : inp_;
    for (size_t i = 0; i < size; ++i)
      elements[index * size + i] = from == nullptr ? int8_t{0} : static_cast<int8_t>(from[i]);
  }

  static int32_t read_int32(const std::byte* from) {
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value |= std::to_integer<uint32_t>(from[i]) << (8 * i);
    return static_cast<int32_t>(value);
  }

  template <typename Body>
  Status for_each_step(const Loop& loop, uint32_t wgt_factor_out, uint32_t wgt_factor_in, const Body& body) {
    for (size_t o = 0; o < loop.iter_out; ++o) {
      for (size_t i = 0; i < loop.iter_in; ++i) {
        for (size_t u = loop.uop_begin; u < loop.uop_end; ++u) {
          NESTRT_RETURN_IF_ERROR(check_index(Memory::kUop, u));
          NESTRT_RETURN_IF_ERROR(shadows_.read(Memory::kUop, u));
          NESTRT_RETURN_IF_ERROR(body(Indices{uop_[u].dst + o * loop.dst_factor_out + i * loop.dst_factor_in,
                                              uop_[u].src + o * loop.src_factor_out + i * loop.src_factor_in,
                                              uop_[u].wgt + o * wgt_factor_out + i * wgt_factor_in}));
        }
      }
    }
    return {};
  }

  Status shadow_of_gemm(const Indices& at) {
    NESTRT_RETURN_IF_ERROR(shadows_.read(Memory::kInp, at.src));
    NESTRT_RETURN_IF_ERROR(shadows_.read(Memory::kWgt, at.wgt));
    NESTRT_RETURN_IF_ERROR(shadows_.read(Memory::kAcc, at.dst));
    NESTRT_RETURN_IF_ERROR(shadows_.write(Memory::kAcc, at.dst));
    return shadows_.write(Memory::kOut, at.dst);
  }

  Status shadow_of_reset(const Indices& at) {
    NESTRT_RETURN_IF_ERROR(shadows_.write(Memory::kAcc, at.dst));
    return shadows_.write_undefined(Memory::kOut, at.dst);
  }

  Status shadow_of_alu(const Alu& alu, const Indices& at) {
    NESTRT_RETURN_IF_ERROR(shadows_.read(Memory::kAcc, at.dst));
    if (!alu.use_immediate) NESTRT_RETURN_IF_ERROR(shadows_.read(Memory::kAcc, at.src));
    NESTRT_RETURN_IF_ERROR(shadows_.write(Memory::kAcc, at.dst));
    return shadows_.write(Memory::kOut, at.dst);
  }

  Status check_late(bool is_late, size_t accumulator) const {
    if (!is_late || !shadows_.strict()) return {};
    return device_fault(
        fmt::format("reads acc[{}], which one of the micro-ops right before has not written yet on "
                    "hardware",
                    accumulator));
  }

  // Rejects operands that the hardware of this design computes differently from other designs.
  Status check_operands(const Alu& alu, const Indices& at, const RecentWrites& recent) const {
    const bool repeatable = alu.opcode == AluOpcode::kMin || alu.opcode == AluOpcode::kMax;
    const size_t source = alu.use_immediate ? 0 : at.src;
    const bool late = recent.has(at.dst, repeatable ? std::optional(source) : std::nullopt);
    NESTRT_RETURN_IF_ERROR(check_late(late, at.dst));
    if (!alu.use_immediate) return check_late(recent.has(at.src), at.src);
    if (!shadows_.strict() || configuration_.design != Design::kChisel || at.src == at.dst) return {};
    return device_fault(fmt::format("an immediate operation on acc[{}] with source acc[{}]", at.dst, at.src));
  }

  void operate(const Alu& alu, const Indices& at) {
    for (size_t i = 0; i < lanes(); ++i) {
      int32_t& a = acc_[at.dst * lanes() + i];
      a = alu_operation(alu.opcode, a, alu.use_immediate ? alu.immediate : acc_[at.src * lanes() + i]);
      out_[at.dst * lanes() + i] = static_cast<int8_t>(a);
    }
  }

  void multiply(const Indices& at, bool reset) {
    const auto block = static_cast<size_t>(configuration_.block());
    for (size_t b = 0; b < static_cast<size_t>(configuration_.batch()); ++b) {
      for (size_t oc = 0; oc < block; ++oc) {
        int32_t sum = 0;
        for (size_t ic = 0; ic < block; ++ic)
          sum += inp_[at.src * lanes() + b * block + ic] * wgt_[(at.wgt * block + oc) * block + ic];
        const size_t lane = at.dst * lanes() + b * block + oc;
        const int32_t accumulated = wrapping_add(acc_[lane], sum);
        acc_[lane] = reset ? 0 : accumulated;
        out_[lane] = static_cast<int8_t>(accumulated);
      }
    }
  }

  Status check_index(Memory memory, size_t index) const {
    if (index < configuration_.depth(memory)) return {};
    return device_fault(
        fmt::format("{}[{}] is beyond the memory's {} elements", name(memory), index, configuration_.depth(memory)));
  }

  Status write_sram(Memory memory, size_t index) {
    NESTRT_RETURN_IF_ERROR(check_index(memory, index));
    return shadows_.write(memory, index);
  }

  Result<const std::byte*> read_dram(uint64_t address, uint64_t size) {
    const std::byte* bytes = dram_.read(address, size);
    if (bytes == nullptr)
      return device_fault(fmt::format("reads {} bytes at {}, which no range permits", size, address));
    NESTRT_RETURN_IF_ERROR(shadows_.read_dram(address, size));
    return bytes;
  }

  Result<std::byte*> write_dram(uint64_t address, uint64_t size) {
    std::byte* bytes = dram_.write(address, size);
    if (bytes == nullptr)
      return device_fault(fmt::format("writes {} bytes at {}, which no range permits", size, address));
    NESTRT_RETURN_IF_ERROR(shadows_.write_dram(address, size));
    return bytes;
  }

  const Configuration& configuration_;
  const Dram& dram_;
  Shadows shadows_;
  std::vector<MicroOp> uop_;
  std::vector<int8_t> wgt_;
  std::vector<int8_t> inp_;
  std::vector<int32_t> acc_;
  std::vector<int8_t> out_;
};

}  // namespace

Status simulate_plain(const Program& program, const Dram& dram, Strictness strictness) {
  NESTRT_ASSIGN_OR_RETURN(const auto instructions, decode(*program.configuration, program.instructions));
  NESTRT_ASSIGN_OR_RETURN(const auto order, execution_order(instructions));
  Machine machine(*program.configuration, dram, strictness);
  for (const OrderedInstruction& step : order) {
    const Instruction& instruction = instructions[step.index];
    const Status status = machine.execute(instruction, {module_of(instruction), step.before});
    if (!status.ok())
      return status.with_context(fmt::format("instruction {} ({})", step.index, name(instruction.opcode)));
  }
  return {};
}

}  // namespace nestrt::evta
