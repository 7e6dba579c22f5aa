// SPDX-License-Identifier: Apache-2.0
// A simulated accelerator. It computes with the functional simulator on a separate thread and in separate memory. With
// pacing, runs take the time that the cycle model predicts. Results are not recomputed if a program runs again with
// the same inputs, so the processors stay free for other work, as with the hardware.
#pragma once

#include <cstddef>
#include <memory>

#include "drivers/evta/cycles/profile.h"
#include "drivers/evta/driver/transport.h"
#include "drivers/evta/simulator/faults.h"
#include "drivers/evta/simulator/simulated_memory.h"

namespace nestrt::evta {

struct SimulatorOptions {
  const CycleProfile* profile = nullptr;  // must outlive the transport; null disables pacing
  // A run takes at least `pace` times the modelled time.
  double pace = 1;
  std::shared_ptr<FaultInjector> faults = nullptr;
  HostView host_view = HostView::kShared;
  uint64_t cache_line_bytes = kUsualCacheLine;  // line size for HostView::kCached
  std::byte stale{0};  // contents of newly allocated memory, and of on-chip memory before every run
};

std::unique_ptr<Transport> make_simulator_transport(const SimulatorOptions& options = {});

}  // namespace nestrt::evta
