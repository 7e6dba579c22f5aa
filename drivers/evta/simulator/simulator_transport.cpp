// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/simulator/simulator_transport.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "drivers/evta/cycles/cycle_model.h"
#include "drivers/evta/simulator/functional_simulator.h"
#include "drivers/evta/simulator/simulated_memory.h"
#include "nestrt/driver/mutex.h"
#include "runtime/platform/guard.h"
#include "runtime/platform/named_thread.h"
#include "runtime/platform/spin.h"

namespace nestrt::evta {
namespace {

// Interval for polling the status register, in case an interrupt is lost.
constexpr std::chrono::milliseconds kPollInterval{5};
// Time that the system may need to wake a waiting thread. A longer value only costs CPU time.
constexpr std::chrono::microseconds kWakeTime{100};
constexpr double kLongestRun = 1e8;  // seconds; representable by a clock

// The inputs and results of a program's last run. A paced simulator reuses them for two reasons: an accelerator does
// not use the host's processors while it computes, and measurements include concurrent work.
class LastRun {
 public:
  void add_input(std::span<const std::byte> memory) { inputs_.push_back({memory, {}}); }
  void add_result(std::span<std::byte> memory) { results_.push_back({memory, {}}); }

  // Restores the results if the inputs are the same.
  bool recall() {
    if (!is_known_) return false;
    for (const auto& [memory, before] : inputs_)
      if (!std::equal(memory.begin(), memory.end(), before.begin())) return false;
    for (const auto& [memory, computed] : results_) std::copy(computed.begin(), computed.end(), memory.begin());
    return true;
  }
  void begin() {
    is_known_ = false;
    for (auto& [memory, before] : inputs_) before.assign(memory.begin(), memory.end());
  }
  void end() {
    for (auto& [memory, computed] : results_) computed.assign(memory.begin(), memory.end());
    is_known_ = true;
  }

 private:
  template <typename Byte>
  struct Copied {
    std::span<Byte> memory;
    std::vector<std::byte> copy;
  };

  std::vector<Copied<const std::byte>> inputs_;  // inputs that are not constant
  std::vector<Copied<std::byte>> results_;
  bool is_known_ = false;
};

class SimulatedProgram final : public DeviceProgram {
 public:
  SimulatedProgram(FunctionalSimulator simulator, std::vector<std::shared_ptr<DeviceBuffer>> memory,
                   std::span<const MemoryRange> ranges, std::chrono::nanoseconds duration)
      : simulator_(std::move(simulator)), memory_(std::move(memory)), duration_(duration) {
    for (size_t i = 0; i < ranges.size(); ++i) {
      const auto& buffer = static_cast<const SimulatedBuffer&>(*memory_[i]);
      add(ranges[i], buffer, ranges[i].address - buffer.address());
    }
  }

  Status run() {
    NESTRT_RETURN_IF_ERROR(compute());
    for (const Written& result : results_) result.buffer->write_back(result.offset, result.bytes.size());
    return {};
  }
  std::chrono::nanoseconds duration() const { return duration_; }
  void flip_a_bit() {
    if (!results_.empty()) results_[0].bytes[0] ^= std::byte{1};
  }

 private:
  struct Written {
    const SimulatedBuffer* buffer;
    uint64_t offset;
    std::span<std::byte> bytes;  // memory of the accelerator
  };

  Status compute() {
    if (duration_.count() == 0) return simulator_.run(dram_);
    if (last_run_.recall()) return {};
    last_run_.begin();
    NESTRT_RETURN_IF_ERROR(simulator_.run(dram_));
    last_run_.end();
    return {};
  }
  void add(const MemoryRange& range, const SimulatedBuffer& buffer, uint64_t offset) {
    const std::span<std::byte> bytes = buffer.device_bytes().subspan(offset, range.size);
    if (range.constant == nullptr && allows(range.access, MemoryRange::Access::kRead)) last_run_.add_input(bytes);
    if (allows(range.access, MemoryRange::Access::kWrite)) last_run_.add_result(bytes);
    if (range.access == MemoryRange::Access::kRead) {
      dram_.add_read(range.address, bytes);
      return;
    }
    results_.push_back({&buffer, offset, bytes});
    if (range.access == MemoryRange::Access::kWrite)
      dram_.add_write(range.address, bytes);
    else
      dram_.add_read_write(range.address, bytes);
  }

  FunctionalSimulator simulator_;
  const std::vector<std::shared_ptr<DeviceBuffer>> memory_;
  Dram dram_;
  std::vector<Written> results_;
  LastRun last_run_;
  const std::chrono::nanoseconds duration_;  // modelled duration; 0 without pacing
};

class SimulatorTransport final : public Transport {
 public:
  explicit SimulatorTransport(const SimulatorOptions& options) : options_(options) {}

  ~SimulatorTransport() override {
    {
      const MutexLock lock(mutex_);
      shut_down_ = abort_ = true;
      changed_.notify_all();
    }
    device_.join();
  }

  std::string_view name() const override { return "simulator"; }

  Result<std::shared_ptr<DeviceBuffer>> allocate(uint64_t size, uint64_t offset) override {
    NESTRT_ASSIGN_OR_RETURN(std::shared_ptr<DeviceBuffer> buffer, memory_.allocate(size, offset));
    return buffer;
  }

  Result<std::shared_ptr<DeviceProgram>> load(const Program& program,
                                              std::vector<std::shared_ptr<DeviceBuffer>> memory) override {
    NESTRT_ASSIGN_OR_RETURN(const auto on_chip, on_chip_memories(*program.configuration));
    NESTRT_ASSIGN_OR_RETURN(FunctionalSimulator simulator, FunctionalSimulator::create(program, on_chip));
    std::chrono::nanoseconds duration{0};
    if (options_.profile != nullptr) {
      NESTRT_ASSIGN_OR_RETURN(const CycleCount count, count_cycles(program, *options_.profile));
      duration = modelled(count.cycles);
    }
    return std::shared_ptr<DeviceProgram>(
        std::make_shared<SimulatedProgram>(std::move(simulator), std::move(memory), program.ranges, duration));
  }

  uint64_t cache_line_bytes() const override {
    return options_.host_view == HostView::kCached ? options_.cache_line_bytes : 1;
  }

  // Returns whether programs take the same time in each run. A paced program is as fast as the hardware for known
  // inputs, and as slow as the simulation for others.
  bool is_steady() const override { return options_.profile == nullptr; }

  Status start(std::shared_ptr<DeviceProgram> program) override {
    const MutexLock lock(mutex_);
    NESTRT_RETURN_IF_ERROR(start_device());
    if (reported_) {
      overtaken_ = true;
      changed_.notify_all();
      while (program_ != nullptr) changed_.wait(mutex_);
    }
    if (program_ != nullptr || (outcome_ && outcome_->time > SteadyClock::now()))
      return Status(Code::kUnavailable, "the accelerator is running another program");
    reported_ = overtaken_ = false;
    program_ = std::static_pointer_cast<SimulatedProgram>(std::move(program));
    started_ = SteadyClock::now();
    outcome_.reset();
    abort_ = false;
    changed_.notify_all();
    return {};
  }

  Status wait(Deadline deadline) override {
    const MutexLock lock(mutex_);
    while (true) {
      const Deadline now = SteadyClock::now();
      if (outcome_ && outcome_->time <= now) return std::exchange(outcome_, std::nullopt)->status;
      if (std::exchange(interrupted_, false)) return Status(Code::kCancelled, "the wait was interrupted");
      if (now >= deadline)
        return Status(Code::kDeadlineExceeded, "the accelerator did not complete before the deadline");
      wait_until(std::min({deadline, now + kPollInterval, outcome_ ? outcome_->time : deadline}));
    }
  }

  void interrupt() override {
    const MutexLock lock(mutex_);
    interrupted_ = true;
    changed_.notify_all();
  }

  Status reset() override {
    const MutexLock lock(mutex_);
    if (options_.faults != nullptr && options_.faults->take_reset())
      return Status(Code::kDeviceFault, "the accelerator does not respond to a reset");
    abort_ = true;
    changed_.notify_all();
    while (program_ != nullptr) changed_.wait(mutex_);
    outcome_.reset();
    interrupted_ = false;
    return {};
  }

 private:
  // A paced run ends at a time that may be in the future.
  struct Outcome {
    Status status;
    SteadyClock::time_point time;
  };

  std::chrono::nanoseconds modelled(uint64_t cycles) const {
    const double seconds = options_.pace * options_.profile->seconds(static_cast<double>(cycles));
    return std::chrono::nanoseconds(static_cast<int64_t>(std::ceil(std::min(seconds, kLongestRun) * 1e9)));
  }

  Status start_device() {
    if (device_.joinable()) return {};
    NESTRT_ASSIGN_OR_RETURN(device_, start_named_thread("nestrt-simulator", [this] { run_device(); }));
    return {};
  }

  void run_device() {
    const MutexLock lock(mutex_);
    while (true) {
      while (!shut_down_ && program_ == nullptr) changed_.wait(mutex_);
      if (program_ != nullptr) run_program();
      program_ = nullptr;
      changed_.notify_all();
      if (shut_down_) return;
    }
  }

  void run_program() NESTRT_REQUIRES(mutex_) {
    const std::shared_ptr<SimulatedProgram> program = program_;
    const SteadyClock::time_point start = started_;
    const Fault fault = options_.faults != nullptr ? options_.faults->take_run() : Fault::kNone;
    if (fault == Fault::kHang) return wait_for_abort();
    if (fault == Fault::kEarly) {
      outcome_ = {Status(), start};  // writes the results after the driver has read the status
      reported_ = true;
      changed_.notify_all();
      while (!abort_ && !overtaken_) changed_.wait(mutex_);
      if (abort_) return;
    }
    Status status = compute_unlocked(*program, fault);
    if (abort_ || fault == Fault::kEarly) return;
    SteadyClock::time_point end = start + program->duration();
    if (fault == Fault::kLate) end = SteadyClock::now() + program->duration() + options_.faults->late_by();
    outcome_ = {std::move(status), end};
    reported_ = fault != Fault::kLostInterrupt;
    if (reported_) changed_.notify_all();
  }

  static Status compute(SimulatedProgram& program, Fault fault) {
    NESTRT_RETURN_IF_ERROR(program.run());
    if (fault == Fault::kWrongData || fault == Fault::kDmaError) program.flip_a_bit();
    if (fault != Fault::kDmaError) return {};
    return Status(Code::kDeviceFault, "the accelerator's memory access failed");
  }

  void wait_for_abort() NESTRT_REQUIRES(mutex_) {
    while (!abort_) changed_.wait(mutex_);
  }

  // Releases the lock, so that other threads can poll and stop the run.
  Status compute_unlocked(SimulatedProgram& program, Fault fault) NESTRT_REQUIRES(mutex_) {
    const MutexPause pause(mutex_);
    return guarded([&] { return compute(program, fault); });
  }

  // Waits until `end` or a change. The system wakes a thread some tens of microseconds late, so the last part is a busy
  // wait. It does not yield, because yielding would take milliseconds on a busy machine.
  void wait_until(SteadyClock::time_point end) NESTRT_REQUIRES(mutex_) {
    if (changed_.wait_until(mutex_, end - kWakeTime) == std::cv_status::no_timeout) return;
    const MutexPause pause(mutex_);
    while (SteadyClock::now() < end) pause_briefly();
  }

  // Returns the memories shared by all programs of a configuration, because only one runs at a time.
  Result<std::shared_ptr<FunctionalSimulator::Memories>> on_chip_memories(const Configuration& configuration) {
    const MutexLock lock(on_chip_mutex_);
    auto& memories = on_chip_[&configuration];
    if (memories == nullptr) {
      NESTRT_ASSIGN_OR_RETURN(memories, FunctionalSimulator::make_memories(configuration, options_.stale));
    }
    return memories;
  }

  const SimulatorOptions options_;
  SimulatedMemory memory_{options_.host_view, options_.cache_line_bytes, options_.stale};

  Mutex on_chip_mutex_;
  std::map<const Configuration*, std::shared_ptr<FunctionalSimulator::Memories>> on_chip_
      NESTRT_GUARDED_BY(on_chip_mutex_);

  Mutex mutex_;
  Condition changed_;
  std::shared_ptr<SimulatedProgram> program_ NESTRT_GUARDED_BY(mutex_);  // running
  SteadyClock::time_point started_ NESTRT_GUARDED_BY(mutex_);            // start of program_
  std::optional<Outcome> outcome_ NESTRT_GUARDED_BY(mutex_);  // result of the last run, until wait() returns it
  bool reported_ NESTRT_GUARDED_BY(mutex_) = false;           // whether the end of the running program was reported
  bool overtaken_ NESTRT_GUARDED_BY(mutex_) = false;          // the next run waits for the end of this one
  bool interrupted_ NESTRT_GUARDED_BY(mutex_) = false;
  bool abort_ NESTRT_GUARDED_BY(mutex_) = false;
  bool shut_down_ NESTRT_GUARDED_BY(mutex_) = false;

  NamedThread device_;  // started by the first run
};

}  // namespace

std::unique_ptr<Transport> make_simulator_transport(const SimulatorOptions& options) {
  return std::make_unique<SimulatorTransport>(options);
}

}  // namespace nestrt::evta
