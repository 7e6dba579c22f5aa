// SPDX-License-Identifier: Apache-2.0
// Transport: gives the driver access to an accelerator, either the simulator (simulator_transport.h) or the hardware of
// a board.
//
// The accelerator accesses memory in a separate address space below 4 GiB. It runs one program at a time.
// Threads: one thread at a time uses a transport, except that any thread may call interrupt().
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

// Accelerator memory as seen by the host. If the two have separate caches or memories, each sees the other's writes
// only after to_device() or from_device(). Dropping the last reference releases the memory.
class DeviceBuffer {
 public:
  virtual ~DeviceBuffer() = default;
  virtual uint64_t address() const = 0;  // in the accelerator's address space
  virtual std::span<std::byte> bytes() const = 0;
  // Makes the bytes [offset, offset + size) written by the host visible to the accelerator. Errors: kDeviceFault.
  virtual Status to_device(uint64_t offset, uint64_t size) = 0;
  // Makes bytes written by the accelerator visible to the host. Errors: kDeviceFault.
  virtual Status from_device(uint64_t offset, uint64_t size) = 0;
};

// A program that a transport has loaded and that is ready to start.
class DeviceProgram {
 public:
  virtual ~DeviceProgram() = default;
};

// A register of an accelerator.
struct DeviceRegister {
  std::string name;  // "fetch control"
  uint32_t value = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;

  // Returns the name of the transport, such as "simulator".
  virtual std::string_view name() const = 0;
  // Returns the name of the memory. Accelerators whose transports return the same name share host-visible memory. Empty
  // if the memory is not shared.
  virtual std::string memory_name() const { return {}; }
  // Returns the line size of the host's non-coherent cache for the accelerator's memory, or 1 if there is no such cache
  // or it is coherent. Lines that the host has written may be written back as a whole at any time before to_device().
  virtual uint64_t cache_line_bytes() const { return 1; }
  // Returns whether a program takes about the same time in each run (UnitInfo::is_steady).
  virtual bool is_steady() const { return true; }
  // `offset`: distance of the address from a page boundary. Safe from any thread. Errors: kOutOfMemory.
  virtual Result<std::shared_ptr<DeviceBuffer>> allocate(uint64_t size, uint64_t offset) = 0;
  // Loads a checked program that uses device addresses; range i is in `memory[i]`. Copies the instructions. Safe from
  // any thread. Errors: kInvalidPlan, kOutOfMemory.
  virtual Result<std::shared_ptr<DeviceProgram>> load(const Program& program,
                                                      std::vector<std::shared_ptr<DeviceBuffer>> memory) = 0;
  // Starts a run. Errors: kUnavailable if a run is in progress, kDeviceFault.
  virtual Status start(std::shared_ptr<DeviceProgram> program) = 0;
  // Waits for the end of the run. Errors: kDeadlineExceeded or, after interrupt(), kCancelled (the run continues in
  // both cases); kDeviceFault.
  virtual Status wait(Deadline deadline) = 0;
  // Makes the current wait() return or, if no thread is waiting, the next one.
  virtual void interrupt() = 0;
  // Stops the run. After success the device does not access memory until the next start. Errors: kDeviceFault.
  virtual Status reset() = 0;
  // Returns the registers that can be read at any time without a side effect, for messages; may be empty.
  virtual std::vector<DeviceRegister> registers() { return {}; }
};

}  // namespace nestrt::evta
