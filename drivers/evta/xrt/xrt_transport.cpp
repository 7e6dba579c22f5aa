// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/xrt/xrt_transport.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "drivers/evta/xrt/abandoned_runs.h"
#include "drivers/evta/xrt/coherence.h"
#include "drivers/evta/xrt/completion_poller.h"
#include "drivers/evta/xrt/compute_unit.h"
#include "drivers/evta/xrt/xrt_buffer.h"
#include "drivers/evta/xrt/xrt_devices.h"
#include "drivers/evta/xrt/xrt_errors.h"
#include "nestrt/driver/mutex.h"
#include "nestrt/log.h"
#include "runtime/platform/guard.h"

namespace nestrt::evta {
namespace {

constexpr uint64_t kCacheLineBytes = 64;  // of Cortex-A53 and related cores

// Orders memory accesses: a device started later sees earlier writes, and reads after the detected end of a run see the
// device's writes. Without buffer synchronisation, no call to the kernel driver ensures this, and register accesses do
// not order memory.
void order_memory() {
#ifdef __aarch64__
  __asm__ volatile("dsb sy" ::: "memory");
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

struct XrtProgram final : DeviceProgram {
  std::shared_ptr<XrtBuffer> instructions;
  uint32_t count = 0;
  std::vector<std::shared_ptr<DeviceBuffer>> memory;
  CompletionPoller poller;
};

class XrtTransport final : public Transport {
 public:
  // `card`: the device as the caller specified it.
  XrtTransport(xrt::device device, std::string card, const XrtBoard& board, XrtBank bank,
               std::shared_ptr<ComputeUnit> unit)
      : device_(std::move(device)),
        card_(std::move(card)),
        board_(board),
        bank_(std::move(bank)),
        unit_(std::move(unit)) {}

  ~XrtTransport() override {
    if (reset().ok()) return;
    leak_until_exit(std::move(running_));
    leak_until_exit(std::move(unit_));
  }

  std::string_view name() const override { return "xrt"; }
  std::string memory_name() const override {
    return fmt::format("{} {}{}", card_, bank_.index, is_coherent_ ? " coherent" : "");
  }
  uint64_t cache_line_bytes() const override { return board_.cached_buffers && !is_coherent_ ? kCacheLineBytes : 1; }

  Result<std::shared_ptr<DeviceBuffer>> allocate(uint64_t size, uint64_t offset) override {
    NESTRT_ASSIGN_OR_RETURN(std::shared_ptr<XrtBuffer> buffer,
                            XrtBuffer::create(device_, board_, bank_, size, offset, is_coherent_));
    return std::shared_ptr<DeviceBuffer>(std::move(buffer));
  }

  Result<std::shared_ptr<DeviceProgram>> load(const Program& program,
                                              std::vector<std::shared_ptr<DeviceBuffer>> memory) override {
    auto loaded = std::make_shared<XrtProgram>();
    const std::span<const std::byte> words = std::as_bytes(program.instructions);
    NESTRT_ASSIGN_OR_RETURN(loaded->instructions, XrtBuffer::create(device_, board_, bank_, words.size(), 0));
    std::copy(words.begin(), words.end(), loaded->instructions->bytes().begin());
    NESTRT_RETURN_IF_ERROR(loaded->instructions->to_device(0, words.size()));
    loaded->count = static_cast<uint32_t>(program.instructions.size());
    loaded->memory = std::move(memory);
    return std::shared_ptr<DeviceProgram>(std::move(loaded));
  }

  // Declares buffers allocated from now on coherent. Instruction buffers are excluded, because the probe does not test
  // the port that fetches instructions.
  void set_coherent() { is_coherent_ = true; }

  Status start(std::shared_ptr<DeviceProgram> program) override {
    if (running_ != nullptr) return Status(Code::kUnavailable, "the accelerator is running another program");
    auto starting = std::static_pointer_cast<XrtProgram>(std::move(program));
    const auto address = static_cast<uint32_t>(starting->instructions->address());
    order_memory();
    NESTRT_RETURN_IF_ERROR(advised(unit_->start(starting->count, address)));
    running_ = std::move(starting);
    started_ = SteadyClock::now();
    return {};
  }

  Status wait(Deadline deadline) override {
    while (true) {
      const Result<bool> ended = unit_->poll();
      if (!ended) return advised(ended.error());
      if (*ended) {
        order_memory();
        forget_ended_run();
        return {};
      }
      if (SteadyClock::now() >= deadline)
        return Status(Code::kDeadlineExceeded, "the accelerator did not complete before the deadline");
      if (pause_until(deadline)) return Status(Code::kCancelled, "the wait was interrupted");
    }
  }

  void interrupt() override {
    const MutexLock lock(mutex_);
    interrupted_ = true;
    changed_.notify_all();
  }

  Status reset() override {
    if (running_ != nullptr) {
      NESTRT_RETURN_IF_ERROR(advised(unit_->abort()));
      running_.reset();
    }
    const MutexLock lock(mutex_);
    interrupted_ = false;
    return {};
  }

 private:
  void forget_ended_run() {
    if (running_ != nullptr) running_->poller.ended_after(SteadyClock::now() - started_);
    running_.reset();
  }

  // Waits until the next poll is due or an interrupt occurs. Returns whether it was interrupted.
  bool pause_until(Deadline deadline) {
    const Deadline now = SteadyClock::now();
    const Deadline next = std::min(deadline, now + running_->poller.pause(now - started_));
    const MutexLock lock(mutex_);
    if (!interrupted_ && next > now) changed_.wait_until(mutex_, next);
    return std::exchange(interrupted_, false);
  }

  // Adds the advice for a failed accelerator.
  Status advised(const Status& status) const {
    if (status.code() != Code::kDeviceFault) return status;
    return Status(Code::kDeviceFault, fmt::format("{}; if a probe fails, {}", status.message(), board_.recovery));
  }

  // Ordered so that users of the device are destroyed before it.
  const xrt::device device_;
  const std::string card_;
  const XrtBoard& board_;
  const XrtBank bank_;
  bool is_coherent_ = false;
  std::shared_ptr<ComputeUnit> unit_;
  std::shared_ptr<XrtProgram> running_;  // until it is known to have ended
  SteadyClock::time_point started_;      // start of running_

  Mutex mutex_;
  Condition changed_;
  bool interrupted_ NESTRT_GUARDED_BY(mutex_) = false;
};

// --- Opening.

Status check_options(const XrtOptions& options) {
  if (options.board == nullptr)
    return Status(Code::kInvalidArgument, "no board is specified: set XrtOptions::board to one of kXrtBoards");
  std::error_code error;
  if (!std::filesystem::is_regular_file(options.xclbin, error))
    return Status(Code::kNotFound, fmt::format("xclbin '{}' does not exist", options.xclbin.string()));
  NESTRT_ASSIGN_OR_RETURN(const uint32_t devices, count_xrt_devices());
  if (devices == 0)
    return Status(Code::kUnavailable,
                  "XRT does not find a device: check lspci or /dev/dri, and whether xocl or zocl is loaded (lsmod)");
  return {};
}

Status load_xclbin(const XrtOptions& options, xrt::device& device, const xrt::xclbin& xclbin) {
  if (!options.load_xclbin && device.get_xclbin_uuid() != xclbin.get_uuid())
    return Status(
        Code::kUnavailable,
        fmt::format("device {} runs xclbin {}, expected {} ({}); load this xclbin, or set XrtOptions::load_xclbin",
                    options.device, device.get_xclbin_uuid().to_string(), xclbin.get_uuid().to_string(),
                    options.xclbin.string()));
  device.load_xclbin(xclbin);  // if the device already runs it, XRT only reads its contents
  return {};
}

Result<XrtBank> find_bank(const xrt::xclbin& xclbin, uint32_t index) {
  for (const xrt::xclbin::mem& memory : xclbin.get_mems()) {
    if (memory.get_index() != static_cast<int32_t>(index)) continue;
    const uint64_t begin = memory.get_base_address();
    return XrtBank{index, begin, begin + memory.get_size_kb() * 1024, memory.get_tag()};
  }
  return Status(Code::kIncompatible, fmt::format("the xclbin has no memory bank {}", index));
}

bool may_be_coherent(const XrtOptions& options) {
  return options.board->cached_buffers && options.configuration != nullptr;
}

// Ignores an accelerator that does not work, because the unit's own probe reports it.
void look_for_coherence(const XrtOptions& options, XrtTransport& transport) {
  const Result<bool> coherent = is_coherent(transport, *options.configuration);
  if (!coherent) return;
  if (*coherent) transport.set_coherent();
  log(LogLevel::kDebug, fmt::format("the accelerator's port is {}", *coherent ? "coherent: no cache is maintained"
                                                                              : "not coherent: caches are maintained"));
}

Result<std::unique_ptr<Transport>> open(const XrtOptions& options) {
  xrt::device device(options.device);
  const xrt::xclbin xclbin(options.xclbin.string());
  NESTRT_RETURN_IF_ERROR(load_xclbin(options, device, xclbin));
  NESTRT_ASSIGN_OR_RETURN(std::shared_ptr<ComputeUnit> unit, open_compute_unit({options, device, xclbin}));
  NESTRT_ASSIGN_OR_RETURN(XrtBank bank, find_bank(xclbin, unit->bank()));
  auto transport = std::make_unique<XrtTransport>(std::move(device), options.device, *options.board, std::move(bank),
                                                  std::move(unit));
  if (may_be_coherent(options)) look_for_coherence(options, *transport);
  return std::unique_ptr<Transport>(std::move(transport));
}

}  // namespace

Result<std::unique_ptr<Transport>> make_xrt_transport(const XrtOptions& options) {
  return guarded([&]() -> Result<std::unique_ptr<Transport>> {
    NESTRT_RETURN_IF_ERROR(check_options(options));
    const std::string what = fmt::format("opening device {} with {}", options.device, options.xclbin.string());
    return xrt_call(what, Code::kUnavailable, [&] { return open(options); });
  });
}

}  // namespace nestrt::evta
