// ProbeRun: a transport with the driver's probe program on it, whose steps a test takes one by one.
#pragma once

#include <memory>
#include <vector>

#include "drivers/evta/driver/probe_program.h"
#include "drivers/evta/driver/transport.h"

namespace nestrt::boards {

class ProbeRun {
 public:
  // Fails the test where the transport does not load it.
  explicit ProbeRun(std::unique_ptr<evta::Transport> transport);

  evta::Transport& transport() { return *transport_; }
  // Hands over what it reads. Until then the device has other bytes there.
  Status hand_over();
  Status start() { return transport_->start(program_); }
  Status wait(std::chrono::milliseconds limit = std::chrono::seconds(10));
  // Takes what it writes.
  Status take_results() { return results()->from_device(0, results()->bytes().size()); }
  // Whether the host sees what it should have written.
  bool is_right();
  // All of the above.
  Status run();

 private:
  std::shared_ptr<evta::DeviceBuffer>& results() { return buffers_.back(); }

  std::unique_ptr<evta::Transport> transport_;
  std::vector<std::shared_ptr<evta::DeviceBuffer>> buffers_;
  std::shared_ptr<evta::DeviceProgram> program_;
  std::vector<std::byte> expected_;
};

}  // namespace nestrt::boards
