// SPDX-License-Identifier: Apache-2.0
#include "drivers/vendor/staged_program.h"

#include <cstring>
#include <utility>

namespace nestrt::vendor {

Result<std::unique_ptr<StagedProgram>> StagedProgram::load(Device& device, PortedProgram source) {
  std::unique_ptr<StagedProgram> staged(new StagedProgram(device, std::move(source)));
  const PortedProgram& kept = staged->source_;
  NESTRT_ASSIGN_OR_RETURN(staged->program_, device.load(kept.blob, kept.input_bytes(), kept.output_bytes()));
  NESTRT_RETURN_IF_ERROR(staged->allocate());
  return staged;
}

// Allocates memory for every port, because a run's addresses are not known in advance.
Status StagedProgram::allocate() {
  const uint64_t alignment = device_.description().alignment;
  uint64_t bytes = 0;
  for_each_port([&](const Port& port, size_t) { bytes += align_up(port.bytes, alignment); });
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
  for_each_port([&](const Port& port, size_t index) {
    places_[index] = !port.reordered && device_.reaches(ports[index], port.bytes) ? ports[index] : free;
    free += align_up(port.bytes, device_.description().alignment);
  });
}

void StagedProgram::give_inputs(std::span<std::byte* const> ports) {
  for (size_t i = 0; i < source_.inputs.size(); ++i) {
    const Port& port = source_.inputs[i];
    if (port.reordered) port.reordered->to_plain(ports[i], static_cast<std::byte*>(places_[i]));
    copy(port, places_[i], ports[i]);
  }
}

void StagedProgram::take_outputs(std::span<std::byte* const> ports) {
  for (size_t i = 0; i < source_.outputs.size(); ++i) {
    const Port& port = source_.outputs[i];
    const size_t index = source_.inputs.size() + i;
    if (port.reordered) port.reordered->from_plain(static_cast<const std::byte*>(places_[index]), ports[index]);
    copy(port, ports[index], places_[index]);
  }
}

void StagedProgram::copy(const Port& port, void* to, const void* from) {
  if (to == from || port.bytes == 0) return;
  if (!port.reordered) std::memcpy(to, from, port.bytes);
  copied_ += port.bytes;
}

}  // namespace nestrt::vendor
