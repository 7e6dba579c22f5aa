// SPDX-License-Identifier: Apache-2.0
// Device: a device of a vendor's plug-in, which runs the vendor's programs in this process or in a separate one. Each
// Status names the plug-in and the failure.
//
// Threads: one run() or self_test() at a time for all programs. load() and its results, allocate_shared() and
// interrupt() are safe from any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "drivers/vendor/description.h"
#include "drivers/vendor/part.h"
#include "nestrt/driver/event.h"
#include "nestrt/driver/unit.h"
#include "nestrt/result.h"

namespace nestrt::vendor {

// A program that the plug-in has loaded. The Device must outlive it.
class LoadedProgram {
 public:
  virtual ~LoadedProgram() = default;
  // Runs to completion, or until `stop` is set and Device::interrupt() is called. `ports`, inputs first, must be in
  // memory that the device can access. Nothing accesses them afterwards, unless shared memory becomes unsafe. Errors:
  // kDeadlineExceeded, kCancelled, kDeviceFault.
  virtual Status run(std::span<void* const> ports, Deadline deadline, const std::atomic<bool>& stop) = 0;
  // Returns whether the program uses the port, counted from the first input, with its channels last.
  virtual bool has_channels_last(size_t /*port*/) const { return false; }
};

class Device {
 public:
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const std::string& file() const { return file_; }  // file of the plug-in
  const Description& description() const { return description_; }

  // The blob must stay in place as long as the program exists. Errors: kInvalidPlan, kIncompatible, kOutOfMemory,
  // kDeviceFault.
  virtual Result<std::unique_ptr<LoadedProgram>> load(const Part& part) = 0;
  // Returns whether programs can only access memory from allocate_shared().
  virtual bool needs_shared_memory() const = 0;
  // Returns whether a session's activations may be in memory from allocate_shared().
  virtual bool shares_memory_with_sessions() const = 0;
  // Dropping the last reference releases the memory. Errors: kOutOfMemory, kDeviceFault.
  virtual Result<std::shared_ptr<HostVisibleMemory>> allocate_shared(uint64_t bytes) = 0;
  // Returns whether the device can access the bytes and supports their alignment.
  virtual bool reaches(const std::byte* bytes, uint64_t size) const = 0;

  // Makes the running program check its `stop` flag.
  virtual void interrupt() = 0;
  // Resets the device and tests it. Errors: kDeviceFault.
  virtual Status self_test() = 0;

 protected:
  explicit Device(std::string file) : file_(std::move(file)) {}

  bool is_aligned(const void* address) const {
    return reinterpret_cast<uintptr_t>(address) % description_.alignment == 0;
  }

  Description description_;  // as reported when the device was opened

 private:
  const std::string file_;
};

}  // namespace nestrt::vendor
