#include "drivers/vendor/staged_program.h"

#include <cstring>
#include <utility>

namespace nestrt::vendor {

Result<std::unique_ptr<StagedProgram>> StagedProgram::load(Device& device, std::span<const std::byte> blob,
                                                           std::span<const uint64_t> input_bytes,
                                                           std::span<const uint64_t> output_bytes) {
  std::unique_ptr<StagedProgram> staged(new StagedProgram(device));
  NESTRT_ASSIGN_OR_RETURN(staged->program_, device.load(blob, input_bytes, output_bytes));
  staged->num_inputs_ = input_bytes.size();
  staged->bytes_.assign(input_bytes.begin(), input_bytes.end());
  staged->bytes_.insert(staged->bytes_.end(), output_bytes.begin(), output_bytes.end());
  NESTRT_RETURN_IF_ERROR(staged->allocate());
  return staged;
}

// For every port: where a run has them is not known before.
Status StagedProgram::allocate() {
  const uint64_t alignment = device_.description().alignment;
  uint64_t all = 0;
  for (const uint64_t bytes : bytes_) all += align_up(bytes, alignment);
  if (device_.lends()) {
    NESTRT_ASSIGN_OR_RETURN(lent_, device_.lend(all));
    staging_ = lent_->bytes().data();
    return {};
  }
  NESTRT_ASSIGN_OR_RETURN(own_, AlignedMemory::allocate(all + alignment, "what a plug-in reads and writes"));
  const auto address = reinterpret_cast<uintptr_t>(own_.data());
  staging_ = own_.data() + (align_up(address, alignment) - address);
  return {};
}

Status StagedProgram::run(std::span<std::byte* const> ports, Deadline deadline, const std::atomic<bool>& stop) {
  copied_ = 0;
  place(ports);
  for (size_t i = 0; i < num_inputs_; ++i) copy(places_[i], ports[i], bytes_[i]);
  NESTRT_RETURN_IF_ERROR(program_->run({places_.data(), ports.size()}, deadline, stop));
  for (size_t i = num_inputs_; i < ports.size(); ++i) copy(ports[i], places_[i], bytes_[i]);
  return {};
}

void StagedProgram::place(std::span<std::byte* const> ports) {
  std::byte* free = staging_;
  for (size_t i = 0; i < ports.size(); ++i) {
    places_[i] = device_.reaches(ports[i], bytes_[i]) ? ports[i] : free;
    free += align_up(bytes_[i], device_.description().alignment);
  }
}

void StagedProgram::copy(void* to, const void* from, uint64_t bytes) {
  if (to == from || bytes == 0) return;
  std::memcpy(to, from, bytes);
  copied_ += bytes;
}

}  // namespace nestrt::vendor
