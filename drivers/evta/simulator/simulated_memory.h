// SPDX-License-Identifier: Apache-2.0
// SimulatedMemory: the memory of a simulated accelerator and the host's view of it.
#pragma once

#include <memory>
#include <optional>

#include "drivers/evta/driver/transport.h"
#include "runtime/platform/aligned_memory.h"

namespace nestrt::evta {

// The host's view of the accelerator's memory.
enum class HostView : uint8_t {
  kShared,    // the same bytes, coherent
  kSeparate,  // a copy, as with PCIe
  // A non-coherent cache, as on a Zynq. Lines written by the host are written back as a whole and as late as possible:
  // at the end of a run, over the accelerator's results.
  kCached,
};

inline constexpr uint64_t kUsualCacheLine = 64;  // line size of ARM's cores

class SimulatedBuffer final : public DeviceBuffer {
 public:
  // `addresses`: owner of the address range. `copy`: the bytes that the host sees; if empty, the memory itself.
  SimulatedBuffer(std::shared_ptr<const void> addresses, uint64_t address, AlignedMemory memory,
                  std::optional<AlignedMemory> copy, std::optional<AlignedMemory> clean, uint64_t line_bytes);

  uint64_t address() const override { return address_; }
  std::span<std::byte> bytes() const override;
  Status to_device(uint64_t offset, uint64_t size) override;
  Status from_device(uint64_t offset, uint64_t size) override;

  // Returns the accelerator's view.
  std::span<std::byte> device_bytes() const;
  // Writes back every cache line of the range that the host has changed but not passed to the device.
  void write_back(uint64_t offset, uint64_t size) const;

 private:
  struct Lines {
    uint64_t begin, end;  // offsets
  };
  Lines lines_of(uint64_t offset, uint64_t size) const;

  const std::shared_ptr<const void> addresses_;
  const uint64_t address_;
  const AlignedMemory memory_;
  const std::optional<AlignedMemory> copy_;   // the bytes that the host sees
  const std::optional<AlignedMemory> clean_;  // kCached: contents of the lines when they last matched the memory
  const uint64_t line_bytes_;
};

// Allocates memory at addresses below 4 GiB; page 0 stays unused. Threads: all members are safe from any thread.
// Buffers may outlive this object.
class SimulatedMemory {
 public:
  // `line_bytes`: line size of the cache.
  SimulatedMemory(HostView view, uint64_t line_bytes, std::byte stale);

  // Errors: kOutOfMemory.
  Result<std::shared_ptr<SimulatedBuffer>> allocate(uint64_t size, uint64_t offset);

 private:
  class AddressSpace;

  const HostView view_;
  const uint64_t line_bytes_;
  const std::byte stale_;  // contents of newly allocated memory
  const std::shared_ptr<AddressSpace> space_;
};

}  // namespace nestrt::evta
