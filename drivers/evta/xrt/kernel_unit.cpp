// SPDX-License-Identifier: Apache-2.0
// EVTA as one kernel, vta(insn_count, insns, base addresses ...), started by the kernel driver once per program. The
// base addresses are 0, so addresses in instructions are device addresses.
#include <fmt/core.h>
#include <xrt/xrt_kernel.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "drivers/evta/xrt/compute_unit.h"
#include "drivers/evta/xrt/xrt_errors.h"
#include "nestrt/driver/mutex.h"
#include "runtime/platform/named_thread.h"

namespace nestrt::evta {
namespace {

// A call of xrt::run::abort(), which has no time limit, on a separate thread that can be abandoned.
class Abort {
 public:
  static Result<std::shared_ptr<Abort>> start(const xrt::run& run) {
    const std::shared_ptr<Abort> abort(new Abort(run));
    NESTRT_ASSIGN_OR_RETURN(auto thread, start_named_thread("nestrt-abort", [abort] { abort->call(); }));
    abort->thread_ = std::move(thread);
    return abort;
  }

  // Waits until the call has returned or `deadline` is reached. Returns whether it has returned.
  bool has_returned(Deadline deadline) {
    const MutexLock lock(mutex_);
    while (!outcome_)
      if (changed_.wait_until(mutex_, deadline) == std::cv_status::timeout) break;
    return outcome_.has_value();
  }
  // Returns the result of the call. Requires that it has returned.
  Status outcome() {
    thread_.join();
    const MutexLock lock(mutex_);
    return *outcome_;
  }

 private:
  explicit Abort(const xrt::run& run) : run_(run) {}

  void call() {
    Status status = xrt_call("stopping the compute unit", Code::kDeviceFault, [&]() -> Status {
      run_.abort();
      return {};
    });
    const MutexLock lock(mutex_);
    outcome_ = std::move(status);
    changed_.notify_all();
  }

  xrt::run run_;
  NamedThread thread_;
  Mutex mutex_;
  Condition changed_;
  std::optional<Status> outcome_ NESTRT_GUARDED_BY(mutex_);
};

class KernelUnit final : public ComputeUnit {
 public:
  KernelUnit(xrt::kernel kernel, std::vector<size_t> argument_bytes)
      : kernel_(std::move(kernel)), argument_bytes_(std::move(argument_bytes)) {}

  // Creates everything that start() needs, so that start() does not allocate.
  Status prepare() {
    return xrt_call("preparing a run", Code::kDeviceFault, [&]() -> Status {
      if (!run_) make_run();
      return {};
    });
  }

  Status start(uint32_t count, uint32_t address) override {
    if (is_running_) return Status(Code::kUnavailable, "the compute unit is running another program");
    NESTRT_RETURN_IF_ERROR(prepare());
    Status status = xrt_call("starting the compute unit", Code::kDeviceFault, [&]() -> Status {
      set(0, count);
      set(1, address);
      is_running_ = true;
      run_->start();
      return {};
    });
    // A run that could not be started must not be reused: XRT would treat it as new and wait forever.
    if (!status.ok()) forget_run();
    return status;
  }

  Result<bool> poll() override {
    if (!is_running_) return true;
    return xrt_call("reading the state of the compute unit", Code::kDeviceFault, [&]() -> Result<bool> {
      const ert_cmd_state state = run_->state();
      if (is_under_way(state)) return false;
      is_running_ = false;
      if (state == ERT_CMD_STATE_COMPLETED) return true;
      run_.reset();
      return Status(Code::kDeviceFault, fmt::format("the compute unit ended in ERT state {}", static_cast<int>(state)));
    });
  }

  Status abort() override {
    if (!is_running_) return {};
    const bool is_first = abort_ == nullptr;
    if (is_first) {
      NESTRT_ASSIGN_OR_RETURN(abort_, Abort::start(*run_));
    }
    const Deadline now = SteadyClock::now();
    if (!abort_->has_returned(is_first ? now + kAbortLimit : now))
      return Status(Code::kDeviceFault, fmt::format("the compute unit did not stop within {} s", kAbortLimit.count()));
    const Status status = std::exchange(abort_, nullptr)->outcome();
    NESTRT_RETURN_IF_ERROR(status);
    return forget_stopped_run();
  }

 private:
  static bool is_under_way(ert_cmd_state state) {
    return state < ERT_CMD_STATE_COMPLETED || state == ERT_CMD_STATE_SUBMITTED;
  }

  void make_run() {
    run_.emplace(kernel_);
    for (size_t i = 0; i < argument_bytes_.size(); ++i) set(i, 0);  // base addresses stay 0
  }
  // Passes the argument as bytes: XRT inspects buffers and moves those in a bank that it considers wrong.
  void set(size_t argument, uint64_t value) {
    run_->set_arg(static_cast<int>(argument), static_cast<const void*>(&value), size_t{argument_bytes_[argument]});
  }
  Status forget_stopped_run() {
    return xrt_call("reading the state of the compute unit", Code::kDeviceFault, [&]() -> Status {
      if (is_under_way(run_->state()))
        return Status(Code::kDeviceFault, "the compute unit was stopped but is still running");
      forget_run();
      return {};
    });
  }
  void forget_run() {
    run_.reset();
    is_running_ = false;
  }

  xrt::kernel kernel_;
  const std::vector<size_t> argument_bytes_;
  std::optional<xrt::run> run_;  // reused after it ended successfully
  bool is_running_ = false;
  std::shared_ptr<Abort> abort_;  // abort of run_, until it returns
};

Result<std::vector<size_t>> argument_sizes(const xrt::xclbin::ip& unit) {
  std::vector<size_t> sizes;
  for (const xrt::xclbin::arg& argument : unit.get_args()) sizes.push_back(argument.get_size());
  const bool is_count = !sizes.empty() && sizes[0] == sizeof(uint32_t);
  const bool are_addresses = sizes.size() >= 2 && std::all_of(sizes.begin() + 1, sizes.end(),
                                                              [](size_t size) { return size == 4 || size == 8; });
  if (is_count && are_addresses) return sizes;
  return Status(
      Code::kIncompatible,
      fmt::format("{} has unexpected arguments; expected a 32-bit count, the address of the instructions and base "
                  "addresses: see docs/reference/hardware.md",
                  unit.get_name()));
}

}  // namespace

Result<OpenedUnit> open_kernel_unit(const OpenedDevice& opened) {
  NESTRT_ASSIGN_OR_RETURN(const xrt::xclbin::ip unit, find_unit(opened, opened.options.kernel, 0));
  NESTRT_ASSIGN_OR_RETURN(const uint32_t index, common_bank(unit, opened.options.board->default_bank));
  NESTRT_ASSIGN_OR_RETURN(XrtBank bank, find_bank(opened.xclbin, index));
  NESTRT_ASSIGN_OR_RETURN(std::vector<size_t> sizes, argument_sizes(unit));
  NESTRT_ASSIGN_OR_RETURN(xrt::kernel kernel, open_context(unit.get_name(), [&]() -> Result<xrt::kernel> {
                            return xrt::kernel(opened.device, opened.xclbin.get_uuid(), xrt_instance_name(unit),
                                               xrt::kernel::cu_access_mode::exclusive);
                          }));
  auto result = std::make_unique<KernelUnit>(std::move(kernel), std::move(sizes));
  NESTRT_RETURN_IF_ERROR(result->prepare());
  return OpenedUnit{std::move(result), std::move(bank)};
}

}  // namespace nestrt::evta
