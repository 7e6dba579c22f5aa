// ProbeRun: a transport with the driver's probe program on it, whose steps a test takes one by one.
#pragma once

#include <memory>

#include "drivers/evta/xrt/probe_run.h"

namespace nestrt::boards {

class ProbeRun {
 public:
  // Fails the test where the transport does not load it.
  explicit ProbeRun(std::unique_ptr<evta::Transport> transport);

  evta::Transport& transport() { return *transport_; }
  // Hands over what it reads. Until then the device has other bytes there.
  Status hand_over() { return probe_.hand_over_inputs(); }
  Status start() { return probe_.start(); }
  Status wait(std::chrono::milliseconds limit = std::chrono::seconds(10)) { return probe_.wait(limit); }
  // Takes what it writes.
  Status take_results() { return probe_.take_results(); }
  // Whether the host sees what it should have written.
  bool is_right() const { return probe_.is_right(); }
  // All of the above.
  Status run();

 private:
  std::unique_ptr<evta::Transport> transport_;
  evta::ProbeRun probe_;
};

}  // namespace nestrt::boards
