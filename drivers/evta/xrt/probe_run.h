// ProbeRun: the driver's probe program (driver/probe_program.h) on a transport, whose steps are taken one by one.
#pragma once

#include <memory>
#include <vector>

#include "drivers/evta/driver/probe_program.h"
#include "drivers/evta/driver/transport.h"

namespace nestrt::evta {

class ProbeRun {
 public:
  // All that it reads and writes is zero. `elements`: how many the probe computes. The transport outlives the result.
  // Errors: kInvalidPlan, kOutOfMemory.
  static Result<ProbeRun> create(Transport& transport, const Configuration& configuration, uint32_t elements = 1);

  // --- As the host sees it.
  void write_inputs();
  void clear_results();
  // Whether the results are what they should be.
  bool is_right() const;
  std::span<const std::shared_ptr<DeviceBuffer>> buffers() const { return buffers_; }

  // --- What passes between host and accelerator. Errors: kDeviceFault, and those of Transport.
  Status hand_over_inputs();
  Status start() { return transport_->start(program_); }
  Status wait(SteadyClock::duration limit) { return transport_->wait(SteadyClock::now() + limit); }
  Status take_results();

 private:
  ProbeRun(Transport& transport, ProbeProgram probe) : transport_(&transport), probe_(std::move(probe)) {}
  Status load();

  Transport* transport_;
  ProbeProgram probe_;
  std::vector<std::shared_ptr<DeviceBuffer>> buffers_;  // by range of the program; the last one is for results
  std::shared_ptr<DeviceProgram> program_;
};

}  // namespace nestrt::evta
