// SPDX-License-Identifier: Apache-2.0
// ProbeRun: a transport with the driver's probe program, executed step by step by a test.
#pragma once

#include <memory>

#include "drivers/evta/board/probe_run.h"

namespace nestrt::boards {

class ProbeRun {
 public:
  // Fails the test if the transport does not load the program.
  explicit ProbeRun(std::unique_ptr<evta::Transport> transport);

  evta::Transport& transport() { return *transport_; }
  // Transfers the inputs. Before this call, the device memory contains other bytes.
  Status transfer_inputs() { return probe_.transfer_inputs(); }
  Status start() { return probe_.start(); }
  Status wait(std::chrono::milliseconds limit = std::chrono::seconds(10)) { return probe_.wait(limit); }
  // Transfers the results.
  Status take_results() { return probe_.take_results(); }
  // Returns whether the host sees the correct results.
  bool is_right() const { return probe_.is_right(); }
  // Performs all steps.
  Status run();

 private:
  std::unique_ptr<evta::Transport> transport_;
  evta::ProbeRun probe_;
};

}  // namespace nestrt::boards
