// SPDX-License-Identifier: Apache-2.0
// Tests the probe that determines whether a port is coherent in each direction, and that its result controls the
// driver.
#include "drivers/evta/board/coherence.h"

#include <catch2/catch.hpp>

#include "drivers/evta/simulator/simulator_transport.h"
#include "test/support/evta/evta_configuration.h"

namespace nestrt::evta {
namespace {

// Simulates a port that is coherent in one direction only, or whose accelerator hangs. The simulator has separate
// memory; copies make one direction coherent.
class OddPort final : public Transport {
 public:
  enum class Kind { kSeesInputs, kShowsResults, kHangs };

  explicit OddPort(Kind kind) : kind_(kind) {}

  int resets() const { return resets_; }

  std::string_view name() const override { return "odd"; }
  Result<std::shared_ptr<DeviceBuffer>> allocate(uint64_t size, uint64_t offset) override {
    return simulator_->allocate(size, offset);
  }
  Result<std::shared_ptr<DeviceProgram>> load(const Program& program,
                                              std::vector<std::shared_ptr<DeviceBuffer>> memory) override {
    buffers_ = memory;
    return simulator_->load(program, std::move(memory));
  }
  Status start(std::shared_ptr<DeviceProgram> program) override {
    for (size_t i = 0; kind_ == Kind::kSeesInputs && i + 1 < buffers_.size(); ++i)
      NESTRT_RETURN_IF_ERROR(buffers_[i]->to_device(0, buffers_[i]->bytes().size()));
    return simulator_->start(std::move(program));
  }
  Status wait(Deadline deadline) override {
    if (kind_ == Kind::kHangs) return Status(Code::kDeadlineExceeded, "hangs");
    NESTRT_RETURN_IF_ERROR(simulator_->wait(deadline));
    if (kind_ != Kind::kShowsResults) return {};
    return buffers_.back()->from_device(0, buffers_.back()->bytes().size());
  }
  void interrupt() override { simulator_->interrupt(); }
  Status reset() override {
    ++resets_;
    return simulator_->reset();
  }

 private:
  const Kind kind_;
  const std::unique_ptr<Transport> simulator_ = make_simulator_transport({.host_view = HostView::kSeparate});
  std::vector<std::shared_ptr<DeviceBuffer>> buffers_;
  int resets_ = 0;
};

Result<bool> probe_coherence(OddPort::Kind kind) {
  OddPort port(kind);
  return is_coherent(port, test::stock_configuration());
}

TEST_CASE("Memory that host and accelerator share is coherent in every configuration") {
  for (const Configuration& configuration : kConfigurations) {
    INFO(configuration.name);
    const auto transport = make_simulator_transport({.host_view = HostView::kShared});
    const Result<bool> coherent = is_coherent(*transport, configuration);
    REQUIRE(coherent);
    CHECK(*coherent);
  }
}

TEST_CASE("Memory with a cache that is written back late is not coherent") {
  const auto transport = make_simulator_transport({.host_view = HostView::kCached});
  const Result<bool> coherent = is_coherent(*transport, test::stock_configuration());
  REQUIRE(coherent);
  CHECK_FALSE(*coherent);
}

TEST_CASE("A port that is coherent in one direction is not coherent") {
  for (const auto kind : {OddPort::Kind::kSeesInputs, OddPort::Kind::kShowsResults}) {
    const Result<bool> coherent = probe_coherence(kind);
    REQUIRE(coherent);
    CHECK_FALSE(*coherent);
  }
}

TEST_CASE("An accelerator that hangs during the coherence test is stopped and treated as not coherent") {
  OddPort port(OddPort::Kind::kHangs);
  const Result<bool> coherent = is_coherent(port, test::stock_configuration());
  REQUIRE_FALSE(coherent);
  CHECK(coherent.error().code() == Code::kDeadlineExceeded);
  CHECK(port.resets() == 1);
}

}  // namespace
}  // namespace nestrt::evta
