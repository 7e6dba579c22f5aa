// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/checker/program_checker.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "drivers/evta/checker/access_order.h"
#include "drivers/evta/checker/dram_map.h"
#include "drivers/evta/checker/hazard.h"
#include "drivers/evta/checker/index_set.h"
#include "drivers/evta/checker/written_memory.h"
#include "drivers/evta/errors.h"
#include "drivers/evta/execution_order.h"
#include "drivers/evta/isa/decode.h"
#include "drivers/evta/isa/dispatch.h"
#include "runtime/core/budget.h"

namespace nestrt::evta {
namespace {

// Range of shift amounts that the hardware, which uses 5 bits, applies unchanged.
constexpr int kMinShift = -16;
constexpr int kMaxShift = 15;

bool has_pads(const Transfer& transfer) {
  return (transfer.y_pad_begin | transfer.y_pad_end | transfer.x_pad_begin | transfer.x_pad_end) != 0;
}

// Processes the instructions in an order that their tokens allow. With Results::kComplete, it verifies that all such
// orders are equivalent.
class Checker {
 public:
  Checker(const Configuration& configuration, const DramMap& dram, Results results, OnChip before, size_t instructions)
      : configuration_(configuration),
        dram_(dram),
        uop_(configuration.uop_depth()),
        looks_(Budget::of_file(kFreeMicroOps, kMicroOpsPerInstruction, instructions)) {
    for (const Memory memory : {Memory::kInp, Memory::kWgt, Memory::kAcc})
      if (before == OnChip::kZero) defined(memory).add_range(0, configuration.depth(memory));
    if (results == Results::kComplete) {
      written_.emplace(configuration, dram.ranges());
      order_.emplace(configuration, instructions);
    }
  }

  // Selects the instruction of the following calls. `before`: see execution_order().
  void begin(Module module, const ModuleCounts& before) {
    if (order_) order_->begin(module, before);
  }

  Status load(const Transfer& transfer) {
    const Memory memory = transfer.memory;
    if (memory == Memory::kOut || memory == Memory::kAcc8Bit)
      return invalid_program(fmt::format("the hardware cannot load into {}", name(memory)));
    if ((transfer.is_empty() || memory == Memory::kWgt || memory == Memory::kUop) && has_pads(transfer))
      return invalid_program(fmt::format("pads of {}{}", name(memory), transfer.is_empty() ? " without data" : ""));
    if (transfer.is_empty()) return {};
    if (memory == Memory::kUop) return load_micro_ops(transfer);
    NESTRT_ASSIGN_OR_RETURN(const MemoryRange* range, find_dram(transfer, MemoryRange::Access::kRead));
    NESTRT_ASSIGN_OR_RETURN(const size_t end, check_sram(transfer));
    if (written_ && allows(range->access, MemoryRange::Access::kWrite)) {
      NESTRT_RETURN_IF_ERROR(order_->load(*range));
      NESTRT_RETURN_IF_ERROR(written_->load(*range, transfer));
    }
    IndexSet loaded;
    loaded.add_range(transfer.sram_base, end);
    NESTRT_RETURN_IF_ERROR(write(memory, loaded));
    defined(memory).add(loaded);
    if (memory == Memory::kAcc) stored_from_.remove_range(transfer.sram_base, end);
    return {};
  }

  Status store(const Transfer& transfer) {
    if (transfer.memory != Memory::kOut)
      return invalid_program(fmt::format("the hardware cannot store from {}", name(transfer.memory)));
    if (has_pads(transfer)) return invalid_program("a store has padding");
    if (transfer.is_empty()) return check_empty_store(transfer);
    NESTRT_ASSIGN_OR_RETURN(const MemoryRange* range, find_dram(transfer, MemoryRange::Access::kWrite));
    NESTRT_ASSIGN_OR_RETURN(const size_t end, check_sram(transfer));
    if (written_) {
      NESTRT_RETURN_IF_ERROR(order_->store(*range));
      NESTRT_RETURN_IF_ERROR(written_->store(*range, transfer));
    }
    IndexSet stored;
    stored.add_range(transfer.sram_base, end);
    NESTRT_RETURN_IF_ERROR(read(Memory::kOut, stored));
    const size_t stale = stored.first_outside(stored_from_);
    if (stale == IndexSet::kCapacity) return {};
    return invalid_program(fmt::format(
        "stores out[{}], which no GEMM or ALU operation has written since its accumulator was loaded or reset", stale));
  }

  Status gemm(const Gemm& gemm) {
    const Loop& loop = gemm.loop;
    NESTRT_RETURN_IF_ERROR(check_micro_ops(loop));
    NESTRT_ASSIGN_OR_RETURN(const IndexSet dst, accessed(loop, dst_of(loop)));
    NESTRT_ASSIGN_OR_RETURN(const IndexSet src,
                            accessed(loop, {Memory::kInp, &MicroOp::src, loop.src_factor_out, loop.src_factor_in}));
    NESTRT_ASSIGN_OR_RETURN(const IndexSet wgt,
                            accessed(loop, {Memory::kWgt, &MicroOp::wgt, gemm.wgt_factor_out, gemm.wgt_factor_in}));
    NESTRT_RETURN_IF_ERROR(refuse(find_hazard(configuration_.design, gemm, micro_ops(loop))));
    NESTRT_RETURN_IF_ERROR(write(Memory::kOut, dst));  // a reset also writes, but the value is undefined
    if (gemm.reset) {
      defined(Memory::kAcc).add(dst);
      stored_from_.remove(dst);
      return {};
    }
    NESTRT_RETURN_IF_ERROR(read(Memory::kInp, src));
    NESTRT_RETURN_IF_ERROR(read(Memory::kWgt, wgt));
    NESTRT_RETURN_IF_ERROR(check_defined(Memory::kInp, src));
    NESTRT_RETURN_IF_ERROR(check_defined(Memory::kWgt, wgt));
    NESTRT_RETURN_IF_ERROR(check_defined(Memory::kAcc, dst));
    stored_from_.add(dst);
    return {};
  }

  Status alu(const Alu& alu) {
    const Loop& loop = alu.loop;
    if (alu.opcode == AluOpcode::kMul) return invalid_program("the hardware has no multiplication");
    if (alu.opcode == AluOpcode::kShr && alu.use_immediate && (alu.immediate < kMinShift || alu.immediate > kMaxShift))
      return invalid_program(
          fmt::format("shifts by {}, which is not between {} and {}", alu.immediate, kMinShift, kMaxShift));
    NESTRT_RETURN_IF_ERROR(check_micro_ops(loop));
    NESTRT_ASSIGN_OR_RETURN(const IndexSet dst, accessed(loop, dst_of(loop)));
    NESTRT_ASSIGN_OR_RETURN(const IndexSet src,
                            accessed(loop, {Memory::kAcc, &MicroOp::src, loop.src_factor_out, loop.src_factor_in}));
    NESTRT_RETURN_IF_ERROR(check_operand(alu));
    NESTRT_RETURN_IF_ERROR(refuse(find_hazard(configuration_.design, alu, micro_ops(loop))));
    NESTRT_RETURN_IF_ERROR(check_defined(Memory::kAcc, dst));
    if (!alu.use_immediate) NESTRT_RETURN_IF_ERROR(check_defined(Memory::kAcc, src));
    NESTRT_RETURN_IF_ERROR(write(Memory::kOut, dst));
    stored_from_.add(dst);
    return {};
  }

  // Call after the last instruction.
  Status finish() const { return written_ ? written_->finish() : Status(); }

 private:
  // One of the three indices used by a loop's steps.
  struct Index {
    Memory memory;
    uint32_t MicroOp::*field;
    uint32_t factor_out;
    uint32_t factor_in;
  };

  Status read(Memory memory, const IndexSet& elements) { return order_ ? order_->read(memory, elements) : Status(); }
  Status write(Memory memory, const IndexSet& elements) { return order_ ? order_->write(memory, elements) : Status(); }

  // Rejects a store of rows without elements. After one, the hardware's store module is off by one transfer from the
  // next store until the next reset.
  static Status check_empty_store(const Transfer& transfer) {
    return transfer.y_size == 0 ? Status() : invalid_program("a store has rows without elements");
  }

  Status load_micro_ops(const Transfer& transfer) {
    if (transfer.y_size != 1) return invalid_program("micro-ops must be loaded as one row");
    NESTRT_ASSIGN_OR_RETURN(const size_t end, check_sram(transfer));
    NESTRT_ASSIGN_OR_RETURN(const MemoryRange* range, find_dram(transfer, MemoryRange::Access::kRead));
    if (range->constant == nullptr || range->access != MemoryRange::Access::kRead)
      return invalid_program("micro-ops must be in constant memory");
    NESTRT_RETURN_IF_ERROR(charge_check(transfer.x_size));
    const auto size = static_cast<uint64_t>(configuration_.uop_bytes());
    const std::span<const std::byte> bytes(range->constant + (transfer.dram_base * size - range->address),
                                           transfer.x_size * size);
    for (size_t i = 0; i < transfer.x_size; ++i) {
      const auto micro_op = decode_micro_op(configuration_, read_micro_op(configuration_, bytes, i));
      if (!micro_op) return micro_op.error().with_context(fmt::format("micro-op {}", i));
      uop_[transfer.sram_base + i] = *micro_op;
    }
    defined_uop_.add_range(transfer.sram_base, end);
    return {};
  }

  // Returns the end of the block in SRAM, including pads.
  Result<size_t> check_sram(const Transfer& transfer) const {
    const size_t rows = size_t{transfer.y_pad_begin} + transfer.y_size + transfer.y_pad_end;
    const size_t columns = size_t{transfer.x_pad_begin} + transfer.x_size + transfer.x_pad_end;
    const size_t end = transfer.sram_base + rows * columns;
    if (end <= configuration_.depth(transfer.memory)) return end;
    return invalid_program(fmt::format("{}[{}, {}) is beyond the memory's {} elements", name(transfer.memory),
                                       transfer.sram_base, end, configuration_.depth(transfer.memory)));
  }

  Result<const MemoryRange*> find_dram(const Transfer& transfer, MemoryRange::Access access) const {
    const auto size = static_cast<uint64_t>(configuration_.element_bytes(transfer.memory));
    const uint64_t rows_before = transfer.y_size - 1u;
    const uint64_t elements = rows_before * (rows_before == 0 ? 0u : transfer.x_stride) + transfer.x_size;
    return dram_.find(transfer.dram_base * size, elements * size, access);
  }

  static Index dst_of(const Loop& loop) {
    return {Memory::kAcc, &MicroOp::dst, loop.dst_factor_out, loop.dst_factor_in};
  }

  std::span<const MicroOp> micro_ops(const Loop& loop) const {
    return std::span(uop_).subspan(loop.uop_begin, loop.uop_end - loop.uop_begin);
  }

  Status take_steps(uint64_t count) {
    if (steps_.charge(count)) return {};
    return invalid_program(fmt::format("the program executes more than {} micro-ops", kMaxSteps));
  }

  // Charges the checker's own work to the budget.
  Status charge_check(uint64_t micro_ops) {
    if (looks_.charge(micro_ops)) return {};
    return invalid_program(
        fmt::format("the program loads or refers to more than {} micro-ops (limit: {} plus {} per instruction)",
                    looks_.limit(), kFreeMicroOps, kMicroOpsPerInstruction));
  }

  Status check_micro_ops(const Loop& loop) {
    if (loop.uop_begin >= loop.uop_end || loop.iter_out == 0 || loop.iter_in == 0)
      return invalid_program("a loop executes nothing");
    NESTRT_RETURN_IF_ERROR(take_steps(uint64_t{loop.iter_out} * loop.iter_in * (loop.uop_end - loop.uop_begin)));
    NESTRT_RETURN_IF_ERROR(charge_check(loop.uop_end - loop.uop_begin));
    if (loop.uop_end > configuration_.uop_depth())
      return invalid_program(
          fmt::format("uop[{}] is beyond the memory's {} elements", loop.uop_end - 1, configuration_.uop_depth()));
    IndexSet executed;
    executed.add_range(loop.uop_begin, loop.uop_end);
    const size_t unknown = executed.first_outside(defined_uop_);
    return unknown == IndexSet::kCapacity
               ? Status()
               : invalid_program(fmt::format("executes uop[{}], which was not loaded", unknown));
  }

  // Returns the elements that one index accesses over all steps.
  Result<IndexSet> accessed(const Loop& loop, const Index& index) const {
    const uint64_t span = uint64_t{loop.iter_out - 1} * index.factor_out + uint64_t{loop.iter_in - 1} * index.factor_in;
    const uint32_t depth = configuration_.depth(index.memory);
    const auto check = [&](const MicroOp& micro_op) -> Status {
      if (micro_op.*index.field + span < depth) return {};
      return invalid_program(fmt::format("accesses {}[{}], beyond the memory's {} elements", name(index.memory),
                                         micro_op.*index.field + span, depth));
    };
    for (const MicroOp& micro_op : micro_ops(loop)) NESTRT_RETURN_IF_ERROR(check(micro_op));
    IndexSet all;
    for (const MicroOp& micro_op : micro_ops(loop)) all.add(micro_op.*index.field);
    all.spread(loop.iter_out, index.factor_out, loop.iter_in, index.factor_in);
    return all;
  }

  static Status refuse(Hazard hazard) {
    if (hazard == Hazard::kNone) return {};
    return invalid_program(hazard == Hazard::kWrite
                               ? "writes an accumulator that one of the two preceding micro-ops wrote"
                               : "reads as its source an accumulator that one of the two preceding micro-ops wrote");
  }

  // Checks the operand of an operation with an immediate. The Chisel design reads it from src, other designs from dst.
  Status check_operand(const Alu& alu) const {
    if (!alu.use_immediate || configuration_.design != Design::kChisel) return {};
    const Loop& loop = alu.loop;
    const bool moves_alike = (loop.iter_out == 1 || loop.src_factor_out == loop.dst_factor_out) &&
                             (loop.iter_in == 1 || loop.src_factor_in == loop.dst_factor_in);
    const auto ops = micro_ops(loop);
    if (moves_alike && std::all_of(ops.begin(), ops.end(), [](const MicroOp& m) { return m.src == m.dst; })) return {};
    return invalid_program("an operation with an immediate has src different from dst");
  }

  Status check_defined(Memory memory, const IndexSet& read) {
    const size_t unknown = read.first_outside(defined(memory));
    if (unknown == IndexSet::kCapacity) return {};
    return invalid_program(fmt::format("reads {}[{}], which the program has not written", name(memory), unknown));
  }

  IndexSet& defined(Memory memory) {
    return memory == Memory::kInp ? defined_inp_ : memory == Memory::kWgt ? defined_wgt_ : defined_acc_;
  }

  const Configuration& configuration_;
  const DramMap& dram_;
  std::vector<MicroOp> uop_;
  IndexSet defined_uop_;
  IndexSet defined_inp_;
  IndexSet defined_wgt_;
  IndexSet defined_acc_;
  Budget steps_{kMaxSteps}, looks_;
  IndexSet stored_from_;  // OUT elements written by an operation after their accumulator was last loaded or reset
  // Set if results must be complete.
  std::optional<WrittenMemory> written_;
  std::optional<AccessOrder> order_;
};

constexpr bool depths_fit() {
  for (const Configuration& configuration : kConfigurations) {
    for (int memory = 0; memory < kNumMemories; ++memory) {
      if (configuration.depth(static_cast<Memory>(memory)) > IndexSet::kCapacity) return false;
    }
    if (2 * configuration.acc_depth() > IndexSet::kCapacity) return false;  // differences of two ACC indices
  }
  return true;
}
static_assert(depths_fit(), "a memory is deeper than the capacity of IndexSet");

}  // namespace

Status check_program(const Program& program, Results results, OnChip before) {
  if (program.configuration == nullptr) return Status(Code::kInvalidArgument, "the program has no configuration");
  const Configuration& configuration = *program.configuration;
  NESTRT_ASSIGN_OR_RETURN(const DramMap dram, DramMap::create(program.ranges));
  NESTRT_ASSIGN_OR_RETURN(const auto instructions, decode(configuration, program.instructions));
  NESTRT_ASSIGN_OR_RETURN(const auto order, execution_order(instructions));
  Checker checker(configuration, dram, results, before, instructions.size());
  for (const auto& [index, counts] : order) {
    const Instruction& instruction = instructions[index];
    checker.begin(module_of(instruction), counts);
    const Status status = dispatch(instruction, checker);
    if (!status.ok()) return status.with_context(fmt::format("instruction {} ({})", index, name(instruction.opcode)));
  }
  return checker.finish();
}

}  // namespace nestrt::evta
