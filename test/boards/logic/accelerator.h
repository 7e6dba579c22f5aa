// SPDX-License-Identifier: Apache-2.0
// The compute unit of an emulated board: the functional simulator on the board's memory.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "drivers/evta/simulator/functional_simulator.h"
#include "test/boards/logic/device_memory.h"

namespace nestrt::boards {

// Number of micro-ops that a processor, real or emulated, computes in a second or two. Layers of a network need up to
// 2^19; a corrupted byte can request 2^28 and more.
#if defined(__aarch64__)
inline constexpr uint64_t kFewMicroOps = uint64_t{1} << 17;
#else
inline constexpr uint64_t kFewMicroOps = uint64_t{1} << 22;
#endif

inline constexpr uint64_t kAnyNumberOfMicroOps = UINT64_MAX;

class Accelerator {
 public:
  // Requires: `configuration` is from read_configuration(), and the memory outlives the accelerator.
  Accelerator(const evta::Configuration& configuration, DeviceMemory& memory, uint64_t most_micro_ops = kFewMicroOps)
      : configuration_(configuration), memory_(memory), most_micro_ops_(most_micro_ops) {}

  // Makes the hardware execute other instructions than those it fetches.
  using Defect = std::function<void(std::vector<evta::Instruction>&)>;
  void set_defect(Defect defect) { defect_ = std::move(defect); }

  // Fetches `count` instructions at `address`, calls `fetched`, and runs them. Their addresses are relative to `base`.
  // Errors: kDeadlineExceeded beyond
  // the limit of micro-ops (the caller should hang); kDeviceFault for instructions or data outside allocated memory;
  // errors of the simulator.
  Status run(
      uint32_t count, uint64_t address, uint64_t base = 0, const std::function<void()>& fetched = [] {});

 private:
  const evta::Configuration& configuration_;
  DeviceMemory& memory_;
  const uint64_t most_micro_ops_;
  Defect defect_;
  std::shared_ptr<evta::FunctionalSimulator::Memories> on_chip_;
};

}  // namespace nestrt::boards
