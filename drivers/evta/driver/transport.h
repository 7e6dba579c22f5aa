// Transport: how the driver reaches an accelerator: the simulator (simulator_transport.h), or the hardware of a board.
//
// The accelerator sees memory of its own address space, below 4 GiB. It runs one program at a time.
// Threads: one thread at a time uses a transport, but for interrupt(), which any may call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/evta/program.h"
#include "nestrt/driver/event.h"
#include "nestrt/result.h"

namespace nestrt::evta {

inline constexpr uint64_t kPageBytes = 4096;

// Memory of the accelerator, as the host sees it. What one of them writes the other sees after it has been handed over:
// where the two have caches or memories of their own that takes an operation, elsewhere nothing. Goes back with the
// last reference.
class DeviceBuffer {
 public:
  virtual ~DeviceBuffer() = default;
  virtual uint64_t address() const = 0;  // the accelerator's
  virtual std::span<std::byte> bytes() const = 0;
  // Hands over bytes [offset, offset + size), which the host has written, ...
  virtual Status to_device(uint64_t offset, uint64_t size) = 0;
  // ... or which the accelerator has. Errors, of both: kDeviceFault.
  virtual Status from_device(uint64_t offset, uint64_t size) = 0;
};

// What a transport has loaded, ready to start.
class DeviceProgram {
 public:
  virtual ~DeviceProgram() = default;
};

class Transport {
 public:
  virtual ~Transport() = default;

  // "simulator", ...
  virtual std::string_view name() const = 0;
  // Of the memory that it reaches: accelerators whose transports call it the same find in place what another of them
  // has lent. Empty: no other's.
  virtual std::string memory_name() const { return {}; }
  // Lines of this size of the accelerator's memory lie in a cache of the host's that is not coherent: what the host has
  // written is written back at any time before it is handed over, with the rest of its line. 1: no such cache, or a
  // coherent one.
  virtual uint64_t cache_line_bytes() const { return 1; }
  // Whether a program takes about as long each time (UnitInfo::is_steady).
  virtual bool is_steady() const { return true; }
  // `offset` is the address's distance from a page. Safe from any thread. Errors: kOutOfMemory.
  virtual Result<std::shared_ptr<DeviceBuffer>> allocate(uint64_t size, uint64_t offset) = 0;
  // Takes a checked program whose addresses are the device's; range i lies in `memory[i]`. Copies the instructions.
  // Safe from any thread. Errors: kInvalidPlan, kOutOfMemory.
  virtual Result<std::shared_ptr<DeviceProgram>> load(const Program& program,
                                                      std::vector<std::shared_ptr<DeviceBuffer>> memory) = 0;
  // Starts a run. Errors: kUnavailable where one is running, kDeviceFault.
  virtual Status start(std::shared_ptr<DeviceProgram> program) = 0;
  // Waits for its end. Errors: kDeadlineExceeded (it runs on), kCancelled after interrupt() (it runs on), kDeviceFault.
  virtual Status wait(Deadline deadline) = 0;
  // Makes the wait in progress, or else the next one, return.
  virtual void interrupt() = 0;
  // Stops whatever runs. After success the device touches no memory until the next start. Errors: kDeviceFault.
  virtual Status reset() = 0;
};

}  // namespace nestrt::evta
