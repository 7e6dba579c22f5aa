// SPDX-License-Identifier: Apache-2.0
#include "drivers/vendor/staged_program.h"

#include <cstring>
#include <utility>

namespace nestrt::vendor {

Result<std::unique_ptr<StagedProgram>> StagedProgram::load(Device& device, PortedProgram source) {
  std::unique_ptr<StagedProgram> staged(new StagedProgram(device, std::move(source)));
  NESTRT_ASSIGN_OR_RETURN(staged->program_, device.load(staged->source_.part));
  staged->find_reordered();
  NESTRT_RETURN_IF_ERROR(staged->allocate());
  return staged;
}

// A port whose type is unknown is in row-major order on both sides.
void StagedProgram::find_reordered() {
  reordered_.resize(source_.ports.size());
  for (size_t i = 0; i < reordered_.size(); ++i) {
    const PortSpec& spec = source_.part.port(i);
    const bool has_channels_last = program_->has_channels_last(i);
    if (has_channels_last || source_.ports[i].layout != Layout::kPlain)
      reordered_[i].emplace(*spec.type, spec.shape, source_.ports[i].layout, has_channels_last);
  }
}

// Allocates memory for every port, because a run's addresses are not known in advance.
Status StagedProgram::allocate() {
  const uint64_t alignment = device_.description().alignment;
  uint64_t bytes = 0;
  for (const Port& port : source_.ports) bytes += align_up(port.bytes, alignment);
  if (device_.needs_shared_memory()) {
    NESTRT_ASSIGN_OR_RETURN(host_visible_, device_.allocate_shared(bytes));
    staging_ = host_visible_->bytes().data();
    return {};
  }
  NESTRT_ASSIGN_OR_RETURN(own_, AlignedMemory::allocate(bytes + alignment, "the data of a plug-in"));
  const auto address = reinterpret_cast<uintptr_t>(own_.data());
  staging_ = own_.data() + (align_up(address, alignment) - address);
  return {};
}

Status StagedProgram::run(std::span<std::byte* const> ports, Deadline deadline, const std::atomic<bool>& stop) {
  copied_ = 0;
  place(ports);
  give_inputs(ports);
  NESTRT_RETURN_IF_ERROR(program_->run({places_.data(), ports.size()}, deadline, stop));
  take_outputs(ports);
  return {};
}

void StagedProgram::place(std::span<std::byte* const> ports) {
  std::byte* free = staging_;
  for (size_t i = 0; i < source_.ports.size(); ++i) {
    const uint64_t bytes = source_.ports[i].bytes;
    places_[i] = !reordered_[i] && device_.reaches(ports[i], bytes) ? ports[i] : free;
    free += align_up(bytes, device_.description().alignment);
  }
}

void StagedProgram::give_inputs(std::span<std::byte* const> ports) {
  for (size_t i = 0; i < num_inputs(); ++i) {
    if (reordered_[i]) reordered_[i]->to_plugin(ports[i], static_cast<std::byte*>(places_[i]));
    copy(i, places_[i], ports[i]);
  }
}

void StagedProgram::take_outputs(std::span<std::byte* const> ports) {
  for (size_t i = num_inputs(); i < source_.ports.size(); ++i) {
    if (reordered_[i]) reordered_[i]->from_plugin(static_cast<const std::byte*>(places_[i]), ports[i]);
    copy(i, ports[i], places_[i]);
  }
}

void StagedProgram::copy(size_t port, void* to, const void* from) {
  const uint64_t bytes = source_.ports[port].bytes;
  if (to == from || bytes == 0) return;
  if (!reordered_[port]) std::memcpy(to, from, bytes);
  copied_ += bytes;
}

}  // namespace nestrt::vendor
