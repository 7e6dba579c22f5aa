// SPDX-License-Identifier: Apache-2.0
// ProbeRun: the driver's probe program (driver/probe_program.h) on a transport, executed step by step.
#pragma once

#include <memory>
#include <vector>

#include "drivers/evta/driver/probe_program.h"
#include "drivers/evta/driver/transport.h"

namespace nestrt::evta {

class ProbeRun {
 public:
  // All memory is initially zero. `elements`: number of elements computed. The transport must outlive the result.
  // Errors: kInvalidPlan, kOutOfMemory.
  static Result<ProbeRun> create(Transport& transport, const Configuration& configuration, uint32_t elements = 1);

  // --- Memory as seen by the host.
  void write_inputs();
  void clear_results();
  // Returns whether the results are correct.
  bool is_right() const;
  std::span<const std::shared_ptr<DeviceBuffer>> buffers() const { return buffers_; }

  // --- Transfers and runs. Errors: kDeviceFault, or an error of Transport.
  Status transfer_inputs();
  Status start() { return transport_->start(program_); }
  Status wait(SteadyClock::duration limit) { return transport_->wait(SteadyClock::now() + limit); }
  Status take_results();

 private:
  ProbeRun(Transport& transport, ProbeProgram probe) : transport_(&transport), probe_(std::move(probe)) {}
  Status load();

  Transport* transport_;
  ProbeProgram probe_;
  std::vector<std::shared_ptr<DeviceBuffer>> buffers_;  // per range of the program; the last one contains the results
  std::shared_ptr<DeviceProgram> program_;
};

}  // namespace nestrt::evta
