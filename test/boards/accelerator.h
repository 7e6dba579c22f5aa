// The compute unit of an emulated board: the functional simulator on the board's memory.
#pragma once

#include "drivers/evta/simulator/functional_simulator.h"
#include "test/boards/device_memory.h"

namespace nestrt::boards {

class Accelerator {
 public:
  // `configuration` is one of kConfigurations. The memory outlives it.
  Accelerator(const evta::Configuration& configuration, DeviceMemory& memory)
      : configuration_(configuration), memory_(memory) {}

  // Errors: kDeadlineExceeded for what takes so long that it had better hang, kDeviceFault for instructions or data
  // that are nowhere, and as the simulator.
  Status run(uint32_t count, uint64_t address);

 private:
  const evta::Configuration& configuration_;
  DeviceMemory& memory_;
  std::shared_ptr<evta::FunctionalSimulator::Memories> on_chip_;
};

}  // namespace nestrt::boards
