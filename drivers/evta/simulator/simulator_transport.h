// A simulated accelerator: computes with the functional simulator on a thread of its own, in memory of its own, and is
// as slow as the cycle model says where it is paced. For inputs that a paced program has had before it does not compute
// again, so that it leaves the processors to others as the hardware would.
#pragma once

#include <cstddef>
#include <memory>

#include "drivers/evta/cycles/profile.h"
#include "drivers/evta/driver/transport.h"
#include "drivers/evta/simulator/faults.h"
#include "drivers/evta/simulator/simulated_memory.h"

namespace nestrt::evta {

struct SimulatorOptions {
  const CycleProfile* profile = nullptr;  // must outlive the transport; null: not paced
  // A run ends no earlier than `pace` times the modelled seconds after its start.
  double pace = 1;
  std::shared_ptr<FaultInjector> faults = nullptr;
  HostView host_view = HostView::kShared;
  uint64_t cache_line_bytes = kUsualCacheLine;  // where that is kCached
  std::byte stale{0};  // what memory of the accelerator holds when it is handed out, on-chip memory at every run
};

std::unique_ptr<Transport> make_simulator_transport(const SimulatorOptions& options = {});

}  // namespace nestrt::evta
