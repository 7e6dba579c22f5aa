// Device: what runs programs of a vendor's: a device of his plug-in, in this process or in one of its own. A Status of
// it names the plug-in, and what was wrong.
//
// Threads: one program's run() or self_test() at a time; load() and what it gives, and allocate_shared(), from any;
// interrupt() from any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "drivers/vendor/description.h"
#include "nestrt/driver/event.h"
#include "nestrt/driver/unit.h"
#include "nestrt/result.h"

namespace nestrt::vendor {

// A program that the plug-in has loaded. The Device outlives it.
class LoadedProgram {
 public:
  virtual ~LoadedProgram() = default;
  // To its end, or until `stop` is set and Device::interrupt() was called. `ports`, inputs first, lie where the device
  // reaches them, and nothing touches them afterwards, unless lent memory is not safe any more. Errors:
  // kDeadlineExceeded, kCancelled, kDeviceFault.
  virtual Status run(std::span<void* const> ports, Deadline deadline, const std::atomic<bool>& stop) = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const std::string& file() const { return file_; }  // the plug-in's
  const Description& description() const { return description_; }

  // A blob for ports of these sizes, inputs first. It stays where it is while the program lives. Errors: kInvalidPlan,
  // kIncompatible, kOutOfMemory, kDeviceFault.
  virtual Result<std::unique_ptr<LoadedProgram>> load(std::span<const std::byte> blob,
                                                      std::span<const uint64_t> input_bytes,
                                                      std::span<const uint64_t> output_bytes) = 0;
  // Whether programs reach what was lent only.
  virtual bool lends() const = 0;
  // Whether a session's activations may lie there.
  virtual bool lends_to_sessions() const = 0;
  // Requires: lends(). Goes back with the last reference. Errors: kOutOfMemory, kDeviceFault.
  virtual Result<std::shared_ptr<HostVisibleMemory>> allocate_shared(uint64_t bytes) = 0;
  // Whether the device reaches the bytes and likes where they begin.
  virtual bool reaches(const std::byte* bytes, uint64_t size) const = 0;

  // The program that runs looks at its `stop`.
  virtual void interrupt() = 0;
  // Resets the device and lets it show that it works. Errors: kDeviceFault.
  virtual Status self_test() = 0;

 protected:
  explicit Device(std::string file) : file_(std::move(file)) {}

  bool is_aligned(const void* address) const {
    return reinterpret_cast<uintptr_t>(address) % description_.alignment == 0;
  }

  Description description_;  // stays as it was when the device was opened

 private:
  const std::string file_;
};

}  // namespace nestrt::vendor
