// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/driver/probe_program.h"

#include <cstring>
#include <numeric>

#include "drivers/evta/driver/transport.h"
#include "drivers/evta/isa/encode.h"

namespace nestrt::evta {
namespace {

// Addresses far enough apart for the elements of every configuration.
constexpr uint64_t kMicroOpAddress = 1 << 20, kAccAddress = 2 << 20, kInpAddress = 3 << 20, kWgtAddress = 4 << 20,
                   kOutAddress = 5 << 20;
// Index of the identity weights. Weights 0 are all zero; a zero micro-op uses them.
constexpr uint32_t kIdentity = 1;

Transfer transfer_of(const Configuration& configuration, Memory memory, uint64_t address, uint32_t elements) {
  Transfer transfer;
  transfer.memory = memory;
  transfer.dram_base = static_cast<uint32_t>(address / static_cast<uint64_t>(configuration.element_bytes(memory)));
  transfer.y_size = 1;
  transfer.x_size = transfer.x_stride = static_cast<uint16_t>(elements);
  return transfer;
}

template <typename T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

}  // namespace

ProbeProgram::ProbeProgram(const Configuration& configuration, uint32_t elements)
    : configuration_(&configuration),
      micro_op_(static_cast<size_t>(configuration.uop_bytes())),
      accumulators_(static_cast<size_t>(configuration.out_bytes()) * elements),
      inputs_(static_cast<size_t>(configuration.inp_bytes()) * elements),
      weights_(static_cast<size_t>(configuration.wgt_bytes()) * (kIdentity + 1)) {
  std::iota(accumulators_.begin(), accumulators_.end(), 1);
  for (size_t i = 0; i < inputs_.size(); ++i) inputs_[i] = static_cast<int8_t>(1 + i % 31);
  const auto block = static_cast<size_t>(configuration.block());
  for (size_t i = 0; i < block; ++i) weights_[(kIdentity * block + i) * block + i] = 1;
}

Result<ProbeProgram> ProbeProgram::create(const Configuration& configuration, uint32_t elements) {
  ProbeProgram probe(configuration, elements);
  NESTRT_RETURN_IF_ERROR(probe.assemble(elements));
  return probe;
}

Status ProbeProgram::assemble(uint32_t elements) {
  const auto transfer = [&](Memory memory, uint64_t address, uint32_t count) {
    return transfer_of(*configuration_, memory, address, count);
  };
  Gemm gemm;
  gemm.loop = {.uop_end = 1, .iter_out = elements, .dst_factor_out = 1, .src_factor_out = 1};
  for (const Instruction& instruction :
       {make_load(transfer(Memory::kInp, kInpAddress, elements)),
        make_load(transfer(Memory::kWgt, kWgtAddress, kIdentity + 1), {.push_next = true}),
        make_load(transfer(Memory::kUop, kMicroOpAddress, 1)), make_load(transfer(Memory::kAcc, kAccAddress, elements)),
        make_gemm(gemm, {.pop_prev = true, .push_next = true}),
        make_store(transfer(Memory::kOut, kOutAddress, elements), {.pop_prev = true, .push_prev = true}),
        make_finish({.pop_next = true})}) {
    NESTRT_ASSIGN_OR_RETURN(const InstructionWord word, encode(*configuration_, instruction));
    instructions_.push_back(word);
  }
  NESTRT_ASSIGN_OR_RETURN(const uint64_t micro_op, encode(*configuration_, MicroOp{.wgt = kIdentity}));
  std::memcpy(micro_op_.data(), &micro_op, micro_op_.size());
  return {};
}

BoundProgram ProbeProgram::bound_program() const {
  BoundProgram program;
  program.configuration = configuration_;
  program.instructions = instructions_;
  const auto add_constant = [&](uint64_t address, std::span<const std::byte> bytes) {
    program.ranges.push_back({address, bytes.size(), MemoryRange::Access::kRead, bytes.data()});
  };
  add_constant(kMicroOpAddress, bytes_of(micro_op_));
  add_constant(kAccAddress, bytes_of(accumulators_));
  add_constant(kInpAddress, bytes_of(inputs_));
  add_constant(kWgtAddress, bytes_of(weights_));
  program.ranges.push_back({kOutAddress, accumulators_.size(), MemoryRange::Access::kWrite, nullptr});
  program.bindings.resize(program.ranges.size());
  return program;
}

std::vector<std::byte> ProbeProgram::expected() const {
  std::vector<std::byte> bytes;
  for (size_t i = 0; i < accumulators_.size(); ++i)
    bytes.push_back(static_cast<std::byte>(accumulators_[i] + inputs_[i]));
  return bytes;
}

}  // namespace nestrt::evta
