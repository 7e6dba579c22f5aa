// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/board/probe_run.h"

#include <algorithm>

#include "drivers/evta/driver/relocate.h"

namespace nestrt::evta {

Result<ProbeRun> ProbeRun::create(Transport& transport, const Configuration& configuration, uint32_t elements) {
  NESTRT_ASSIGN_OR_RETURN(ProbeProgram probe, ProbeProgram::create(configuration, elements));
  ProbeRun run(transport, std::move(probe));
  NESTRT_RETURN_IF_ERROR(run.load());
  return run;
}

Status ProbeRun::load() {
  const BoundProgram program = probe_.bound_program();
  std::vector<MemoryRange> ranges = program.ranges;
  std::vector<uint64_t> addresses;
  for (MemoryRange& range : ranges) {
    NESTRT_ASSIGN_OR_RETURN(buffers_.emplace_back(), transport_->allocate(range.size, 0));
    std::ranges::fill(buffers_.back()->bytes(), std::byte{0});
    range.address = buffers_.back()->address();
    addresses.push_back(range.address);
  }
  NESTRT_ASSIGN_OR_RETURN(const std::vector<InstructionWord> words, relocate(program.program(), addresses));
  NESTRT_ASSIGN_OR_RETURN(program_, transport_->load({program.configuration, words, ranges}, buffers_));
  return {};
}

void ProbeRun::write_inputs() {
  const BoundProgram program = probe_.bound_program();
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const MemoryRange& range = program.ranges[i];
    if (range.constant != nullptr) std::copy_n(range.constant, range.size, buffers_[i]->bytes().data());
  }
}

void ProbeRun::clear_results() { std::ranges::fill(buffers_.back()->bytes(), std::byte{0}); }

bool ProbeRun::is_right() const { return std::ranges::equal(buffers_.back()->bytes(), probe_.expected()); }

Status ProbeRun::transfer_inputs() {
  for (size_t i = 0; i + 1 < buffers_.size(); ++i)
    NESTRT_RETURN_IF_ERROR(buffers_[i]->to_device(0, buffers_[i]->bytes().size()));
  return {};
}

Status ProbeRun::take_results() { return buffers_.back()->from_device(0, buffers_.back()->bytes().size()); }

}  // namespace nestrt::evta
