// SPDX-License-Identifier: Apache-2.0
// StagedProgram: a device program with staging memory for ports that the device cannot access directly.
//
// Threads: one at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "drivers/vendor/device.h"
#include "drivers/vendor/program.h"
#include "drivers/vendor/reordered_port.h"
#include "nestrt/vendor.h"
#include "runtime/platform/aligned_memory.h"

namespace nestrt::vendor {

class StagedProgram {
 public:
  // The device and the blob must outlive this object. Errors: as for Device::load() and allocate_shared().
  static Result<std::unique_ptr<StagedProgram>> load(Device& device, PortedProgram source);

  // `ports`: arbitrary addresses, inputs first. A failed run does not change outputs, unless the device accesses them
  // directly. Errors: as for LoadedProgram::run().
  Status run(std::span<std::byte* const> ports, Deadline deadline, const std::atomic<bool>& stop);
  // Returns the number of bytes that the last run copied.
  uint64_t copied() const { return copied_; }

 private:
  StagedProgram(Device& device, PortedProgram source) : device_(device), source_(std::move(source)) {}

  Status allocate();
  void place(std::span<std::byte* const> ports);
  void give_inputs(std::span<std::byte* const> ports);
  void take_outputs(std::span<std::byte* const> ports);
  // Copies a port and counts its bytes, including reordered ones.
  void copy(size_t port, void* to, const void* from);
  void find_reordered();
  size_t num_inputs() const { return source_.part.inputs.size(); }

  Device& device_;
  const PortedProgram source_;
  std::vector<std::optional<ReorderedPort>> reordered_;  // by port; set if the plug-in uses another layout
  std::unique_ptr<LoadedProgram> program_;
  std::shared_ptr<HostVisibleMemory> host_visible_;
  AlignedMemory own_;
  std::byte* staging_ = nullptr;  // within one of the blocks, with the device's alignment
  std::array<void*, NESTRT_VENDOR_MAX_PORTS> places_{};
  uint64_t copied_ = 0;
};

}  // namespace nestrt::vendor
