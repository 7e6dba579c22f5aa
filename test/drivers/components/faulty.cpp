// SPDX-License-Identifier: Apache-2.0
// A component whose accelerator shifts by one bit too many in the second shift of every program.
#include "drivers/evta/driver/component.h"
#include "drivers/evta/simulator/simulator_transport.h"
#include "test/support/evta/faulty_transport.h"

namespace nestrt::evta {
namespace {

void shift_too_far(std::vector<Instruction>& instructions) {
  size_t shifts = 0;
  for (Instruction& instruction : instructions)
    if (instruction.opcode == Opcode::kAlu && instruction.alu().opcode == AluOpcode::kShr && ++shifts == 2)
      ++std::get<Alu>(instruction.operands).immediate;
}

Result<std::unique_ptr<Transport>> make_transport(const TransportRequest& request) {
  return std::unique_ptr<Transport>(
      std::make_unique<test::FaultyTransport>(make_simulator_transport(), *request.configuration, shift_too_far));
}

Result<std::vector<Accelerator>> list() { return std::vector<Accelerator>{}; }

constexpr Component kComponent = {{NESTRT_VERSION}, make_transport, list};

}  // namespace
}  // namespace nestrt::evta

extern "C" __attribute__((visibility("default"))) const nestrt::drivers::Component* nestrt_evta_component() {
  return &nestrt::evta::kComponent;
}
