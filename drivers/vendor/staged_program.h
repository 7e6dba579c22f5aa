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
#include <vector>

#include "drivers/vendor/device.h"
#include "nestrt/vendor.h"
#include "runtime/core/aligned_memory.h"

namespace nestrt::vendor {

class StagedProgram {
 public:
  // The device, and the blob where it is, outlive it. NESTRT_VENDOR_MAX_PORTS at most. Errors: those of Device::load()
  // and lend().
  static Result<std::unique_ptr<StagedProgram>> load(Device& device, std::span<const std::byte> blob,
                                                     std::span<const uint64_t> input_bytes,
                                                     std::span<const uint64_t> output_bytes);

  // `ports`: inputs first, anywhere. What a run that fails has computed does not get there, unless the device reaches
  // it. Errors: those of LoadedProgram::run().
  Status run(std::span<std::byte* const> ports, Deadline deadline, const std::atomic<bool>& stop);
  // Bytes, of the last run.
  uint64_t copied() const { return copied_; }

 private:
  explicit StagedProgram(Device& device) : device_(device) {}

  Status allocate();
  void place(std::span<std::byte* const> ports);
  void copy(void* to, const void* from, uint64_t bytes);

  Device& device_;
  std::unique_ptr<LoadedProgram> program_;
  size_t num_inputs_ = 0;
  std::vector<uint64_t> bytes_;  // by port
  std::shared_ptr<LentMemory> lent_;
  AlignedMemory own_;
  std::byte* staging_ = nullptr;  // in one of them, aligned as the device wants it
  std::array<void*, NESTRT_VENDOR_MAX_PORTS> places_{};
  uint64_t copied_ = 0;
};

}  // namespace nestrt::vendor
