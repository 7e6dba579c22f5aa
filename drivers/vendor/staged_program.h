// StagedProgram: a program of a device with memory for the ports that the device would not reach where they lie.
//
// Threads: one at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "drivers/vendor/device.h"
#include "drivers/vendor/program.h"
#include "nestrt/vendor.h"
#include "runtime/platform/aligned_memory.h"

namespace nestrt::vendor {

class StagedProgram {
 public:
  // The device, and the blob where it is, outlive it. Errors: those of Device::load() and allocate_shared().
  static Result<std::unique_ptr<StagedProgram>> load(Device& device, PortedProgram source);

  // `ports`: where they are, inputs first, anywhere. What a run that fails has computed does not get there, unless the
  // device reaches it. Errors: those of LoadedProgram::run().
  Status run(std::span<std::byte* const> ports, Deadline deadline, const std::atomic<bool>& stop);
  // Bytes, of the last run.
  uint64_t copied() const { return copied_; }

 private:
  StagedProgram(Device& device, PortedProgram source) : device_(device), source_(std::move(source)) {}

  Status allocate();
  void place(std::span<std::byte* const> ports);
  void give_inputs(std::span<std::byte* const> ports);
  void take_outputs(std::span<std::byte* const> ports);
  // Counts what was reordered, too.
  void copy(const Port& port, void* to, const void* from);

  // Calls visit(port, index).
  template <typename Visit>
  void for_each_port(Visit visit) const {
    size_t index = 0;
    for (const Port& port : source_.inputs) visit(port, index++);
    for (const Port& port : source_.outputs) visit(port, index++);
  }

  Device& device_;
  const PortedProgram source_;
  std::unique_ptr<LoadedProgram> program_;
  std::shared_ptr<HostVisibleMemory> host_visible_;
  AlignedMemory own_;
  std::byte* staging_ = nullptr;  // in one of them, aligned as the device wants it
  std::array<void*, NESTRT_VENDOR_MAX_PORTS> places_{};
  uint64_t copied_ = 0;
};

}  // namespace nestrt::vendor
