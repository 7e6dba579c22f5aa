// SPDX-License-Identifier: Apache-2.0
// Tests the order in which programs of several sessions run on one accelerator.
#include <atomic>
#include <catch2/catch.hpp>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "drivers/evta/driver/evta_unit.h"
#include "drivers/evta/simulator/simulator_transport.h"
#include "test/drivers/evta/driver/prepared_copy.h"

namespace nestrt::evta::test {
namespace {

// Delays the completion of programs until it is opened.
struct Gate {
  std::atomic<bool> is_open{true};
  std::atomic<int> waiting{0};  // number of programs that have ended on the accelerator and wait

  void open() {
    is_open = true;
    is_open.notify_all();
  }
};

class GatedTransport final : public Transport {
 public:
  explicit GatedTransport(std::shared_ptr<Gate> gate) : gate_(std::move(gate)) {}

  std::string_view name() const override { return simulator_->name(); }
  Result<std::shared_ptr<DeviceBuffer>> allocate(uint64_t size, uint64_t offset) override {
    return simulator_->allocate(size, offset);
  }
  Result<std::shared_ptr<DeviceProgram>> load(const Program& program,
                                              std::vector<std::shared_ptr<DeviceBuffer>> memory) override {
    return simulator_->load(program, std::move(memory));
  }
  Status start(std::shared_ptr<DeviceProgram> program) override { return simulator_->start(std::move(program)); }
  Status wait(Deadline deadline) override {
    ++gate_->waiting;
    gate_->is_open.wait(false);
    return simulator_->wait(deadline);
  }
  void interrupt() override { simulator_->interrupt(); }
  Status reset() override { return simulator_->reset(); }

 private:
  const std::shared_ptr<Gate> gate_;
  const std::unique_ptr<Transport> simulator_ = make_simulator_transport();
};

// Records which program has run.
class Note final : public RunObserver {
 public:
  Note(std::vector<int>& ran, int number) : ran_(ran), number_(number) {}
  void operator_done(uint32_t, Time, Time) override { ran_.push_back(number_); }

 private:
  std::vector<int>& ran_;
  const int number_;
};

TEST_CASE("Urgent programs run first on an accelerator, then those with early deadlines") {
  const auto gate = std::make_shared<Gate>();
  const auto unit = open_evta_unit({}, std::make_unique<GatedTransport>(gate));
  REQUIRE(unit);
  const auto in_hours = [](int hours) { return SteadyClock::now() + std::chrono::hours(hours); };
  struct Kind {
    bool urgent;
    Deadline deadline;
  };
  const std::vector<Kind> kinds = {{false, kNoDeadline}, {false, kNoDeadline}, {false, kNoDeadline},
                                   {false, in_hours(2)}, {false, in_hours(1)}, {true, kNoDeadline},
                                   {true, in_hours(3)}};
  std::vector<int> ran;
  std::deque<PreparedCopy> copies;
  std::deque<Note> notes;
  const int before = gate->waiting;
  gate->is_open = false;
  for (size_t i = 0; i < kinds.size(); ++i) {
    Submission submission;
    submission.urgent = kinds[i].urgent;
    submission.deadline = kinds[i].deadline;
    submission.observer = &notes.emplace_back(ran, static_cast<int>(i));
    copies.emplace_back(**unit).submit(submission);
    while (gate->waiting == before) std::this_thread::yield();  // the first is running
  }
  gate->open();
  for (PreparedCopy& copy : copies) {
    CHECK(copy.wait().ok());
    CHECK(copy.is_right());
  }
  CHECK(ran == std::vector<int>{0, 6, 5, 4, 3, 1, 2});
}

}  // namespace
}  // namespace nestrt::evta::test
