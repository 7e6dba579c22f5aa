#include "drivers/evta/driver/probe_program.h"

#include <cstring>
#include <numeric>

#include "drivers/evta/driver/transport.h"
#include "drivers/evta/isa/encode.h"

namespace nestrt::evta {
namespace {

constexpr uint64_t kMicroOpAddress = kPageBytes, kAccAddress = 2 * kPageBytes, kOutAddress = 3 * kPageBytes;

// One element.
Transfer element(const Configuration& configuration, Memory memory, uint64_t address) {
  Transfer transfer;
  transfer.memory = memory;
  transfer.dram_base = static_cast<uint32_t>(address / static_cast<uint64_t>(configuration.element_bytes(memory)));
  transfer.y_size = transfer.x_size = transfer.x_stride = 1;
  return transfer;
}

}  // namespace

Result<ProbeProgram> ProbeProgram::create(const Configuration& configuration) {
  ProbeProgram probe;
  probe.configuration_ = &configuration;
  Alu add;
  add.loop.uop_end = 1;
  add.use_immediate = true;
  add.immediate = 1;
  for (const Instruction& instruction :
       {make_load(element(configuration, Memory::kUop, kMicroOpAddress)),
        make_load(element(configuration, Memory::kAcc, kAccAddress)), make_alu(add, {.push_next = true}),
        make_store(element(configuration, Memory::kOut, kOutAddress), {.pop_prev = true, .push_prev = true}),
        make_finish({.pop_next = true})}) {
    NESTRT_ASSIGN_OR_RETURN(const InstructionWord word, encode(configuration, instruction));
    probe.instructions_.push_back(word);
  }
  NESTRT_ASSIGN_OR_RETURN(const uint64_t micro_op, encode(configuration, MicroOp{}));
  probe.micro_op_.resize(static_cast<size_t>(configuration.uop_bytes()));
  std::memcpy(probe.micro_op_.data(), &micro_op, probe.micro_op_.size());
  probe.accumulators_.resize(static_cast<size_t>(configuration.out_bytes()));
  std::iota(probe.accumulators_.begin(), probe.accumulators_.end(), 0);
  return probe;
}

BoundProgram ProbeProgram::bound_program() const {
  using Access = MemoryRange::Access;
  BoundProgram program;
  program.configuration = configuration_;
  program.instructions = instructions_;
  program.ranges = {
      {kMicroOpAddress, micro_op_.size(), Access::kRead, micro_op_.data()},
      {kAccAddress, accumulators_.size() * sizeof(int32_t), Access::kRead,
       reinterpret_cast<const std::byte*>(accumulators_.data())},
      {kOutAddress, accumulators_.size(), Access::kWrite, nullptr},
  };
  program.bindings.resize(program.ranges.size());
  return program;
}

std::vector<std::byte> ProbeProgram::expected() const {
  std::vector<std::byte> bytes;
  for (int32_t accumulator : accumulators_) bytes.push_back(static_cast<std::byte>(accumulator + 1));
  return bytes;
}

}  // namespace nestrt::evta
