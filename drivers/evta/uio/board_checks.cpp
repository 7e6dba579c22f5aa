// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/uio/board_checks.h"

#include <fmt/core.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <system_error>

#include "drivers/evta/board/device_lock.h"
#include "drivers/evta/board/fabric.h"
#include "drivers/evta/board/probe_run.h"
#include "drivers/evta/uio/check_list.h"
#include "drivers/evta/uio/mapped_stages.h"
#include "drivers/evta/uio/memory_pool.h"
#include "drivers/evta/uio/port_widths.h"

namespace nestrt::evta {
namespace {

constexpr std::chrono::seconds kAccessLimit{2}, kRunLimit{5};
// Bits of a stage's control register; all others are zero.
constexpr uint32_t kControlBits = 0x28f;

class Checks {
 public:
  explicit Checks(const UioOptions& options)
      : options_(options), system_(options.system), names_(split_device(options.device)) {}

  std::vector<BoardCheck> run(bool accesses_registers) {
    checks_.add("board", [&] { return check_board(); });
    checks_.add("fabric", [&] { return check_design(); });
    checks_.add("clock", [&] { return check_clock(); });
    checks_.add("registers", [&] { return check_registers(); });
    checks_.add("port widths", [&] { return check_ports(); });
    checks_.advise(std::move(port_advice_));
    checks_.add("register access", [&] { return check_register_rights(); });
    checks_.add("memory pool", [&] { return check_pool(); });
    checks_.add("memory access", [&] { return check_pool_rights(); });
    checks_.add("owner", [&] { return check_owner(); });
    if (!accesses_registers) return checks_.take();
    checks_.stop_at_failure();
    checks_.add("register map", [&] { return check_first_access(); });
    checks_.add("probe program", [&] { return run_probe(); });
    return checks_.take();
  }

 private:
  Result<std::string> check_board() const;
  Result<std::string> check_design() const;
  Result<std::string> check_clock() const;
  Result<std::string> check_registers();
  Result<std::string> check_ports();
  Result<std::string> check_register_rights() const;
  Result<std::string> check_pool();
  Result<std::string> check_pool_rights() const;
  Result<std::string> check_owner() const;
  Result<std::string> check_first_access() const;
  Result<std::string> run_probe() const;

  const UioOptions& options_;
  const SystemFiles& system_;
  const UioDeviceNames names_;
  std::optional<UioAccelerator> accelerator_;
  std::optional<PoolInfo> pool_;
  std::string port_advice_;
  CheckList checks_;
};

Result<std::string> Checks::check_board() const {
  const std::string model = board_model(system_);
  if (!model.empty()) return model;
  return Status(Code::kUnavailable, "this system has no device tree; evta:uio drives boards with a Zynq");
}

Result<std::string> Checks::check_design() const {
  NESTRT_RETURN_IF_ERROR(check_fabric(system_));
  const bool is_known = !system_.list("/sys/class/fpga_manager").empty();
  return std::string(is_known ? "operating" : "unknown: this kernel has no FPGA manager");
}

// Reading registers in the fabric without a clock hangs the processor. Linux stops clocks that no driver uses.
Result<std::string> Checks::check_clock() const {
  constexpr std::string_view kClocks = "/sys/kernel/debug/clk";
  for (const std::string_view clock : {"pl0_ref", "fclk0"}) {
    const auto rate = system_.read_number(fmt::format("{}/{}/clk_rate", kClocks, clock));
    if (!rate) continue;
    if (system_.read_number(fmt::format("{}/{}/clk_enable_count", kClocks, clock)) == 0)
      return Status(
          Code::kUnavailable,
          fmt::format("the fabric's clock {} is stopped: name it in the device tree overlay (clocks), or boot "
                      "with clk_ignore_unused",
                      clock));
    return fmt::format("{} at {} MHz", clock, static_cast<double>(*rate) / 1e6);
  }
  return fmt::format("unknown: {} is not readable; root can read it", kClocks);
}

Result<std::string> Checks::check_registers() {
  NESTRT_ASSIGN_OR_RETURN(accelerator_, find_uio_accelerator(system_, names_.registers, options_.instance));
  return fmt::format("{} at {:#x}", accelerator_->device, accelerator_->address());
}

Result<std::string> Checks::check_ports() {
  const auto address = accelerator_ ? std::optional(accelerator_->address()) : std::nullopt;
  NESTRT_ASSIGN_OR_RETURN(PortWidths widths, check_port_widths(system_, address));
  port_advice_ = std::move(widths.advice);
  return std::move(widths.found);
}

Status check_rights(const SystemFiles& system, std::string_view path, int rights) {
  return ::access(system.path(path).c_str(), rights) == 0 ? Status() : cannot_access(system.path(path), errno);
}

Result<std::string> Checks::check_register_rights() const {
  if (!accelerator_) return Status(Code::kCancelled, "skipped, because the registers are unknown");
  for (const StageWindow& window : accelerator_->stages)
    NESTRT_RETURN_IF_ERROR(check_rights(system_, window.node, R_OK | W_OK));
  return accelerator_->stages[0].node;
}

Result<std::string> Checks::check_pool() {
  NESTRT_ASSIGN_OR_RETURN(pool_, find_pool(system_, names_.pool));
  constexpr uint64_t kMegabyte = 1 << 20;
  if (pool_->size < kRecommendedPoolBytes)
    return Status(Code::kUnavailable,
                  fmt::format("{} has {} MB, expected at least {} MB: enlarge it in the device tree overlay, or the "
                              "module parameter {}={:#x}",
                              pool_->name, pool_->size / kMegabyte, kRecommendedPoolBytes / kMegabyte, pool_->name,
                              kRecommendedPoolBytes));
  return fmt::format("{}: {} MB at {:#x}, {}", pool_->name, pool_->size / kMegabyte, pool_->address,
                     pool_->is_declared_coherent ? "declared coherent" : "with cache maintenance");
}

Result<std::string> Checks::check_pool_rights() const {
  if (!pool_) return Status(Code::kCancelled, "skipped, because the pool is unknown");
  const std::string node = "/dev/" + pool_->name;
  NESTRT_RETURN_IF_ERROR(check_rights(system_, node, R_OK | W_OK));
  NESTRT_RETURN_IF_ERROR(check_rights(system_, pool_->folder + "/sync_for_device", W_OK));
  NESTRT_RETURN_IF_ERROR(check_rights(system_, pool_->folder + "/sync_for_cpu", W_OK));
  return node;
}

Result<std::string> Checks::check_owner() const {
  if (!accelerator_ || !pool_) return Status(Code::kCancelled, "skipped, because the board is incomplete");
  for (const std::string& name : {accelerator_->lock_name(), pool_->name}) {
    const Result<DeviceLock> lock = DeviceLock::acquire(system_, name, options_.wait);
    if (!lock) return lock.error();
  }
  return std::string("none");
}

// --- Register accesses.

// Returns the number of the first stage whose control register has unexpected bits, or kNumStages.
size_t find_wrong_stage(const SystemFiles& system, const UioAccelerator& accelerator) {
  const auto registers = MappedStages::open(system, accelerator);
  for (size_t i = 0; registers && i < kNumStages; ++i)
    if (((*registers)->read(static_cast<Stage>(i), kControl) & ~kControlBits) != 0) return i;
  return kNumStages;
}

Status describe_end(const UioAccelerator& accelerator, int status) {
  if (WIFSIGNALED(status))
    return Status(Code::kIncompatible,
                  fmt::format("accessing the registers at {:#x} ended with signal {} ({}): the design has no registers "
                              "there; compare the address map with the device tree",
                              accelerator.address(), WTERMSIG(status), ::strsignal(WTERMSIG(status))));
  const auto stage = static_cast<size_t>(WEXITSTATUS(status));
  if (stage >= kNumStages) return {};
  return Status(Code::kIncompatible,
                fmt::format("the registers at {:#x} are not those of stage {}: compare the address map with the device "
                            "tree",
                            accelerator.stages[stage].address, kStageNames[stage]));
}

// A child performs the first access: registers that do not exist raise SIGBUS, or stop the processor that reads them.
Result<std::string> Checks::check_first_access() const {
  const pid_t child = ::fork();
  if (child < 0) return Status(Code::kUnavailable, std::generic_category().message(errno));
  if (child == 0) {
    for (const int fault : {SIGBUS, SIGSEGV}) ::signal(fault, SIG_DFL);
    ::_exit(static_cast<int>(find_wrong_stage(system_, *accelerator_)));
  }
  const Deadline end = SteadyClock::now() + kAccessLimit;
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (SteadyClock::now() >= end) {
      ::kill(child, SIGKILL);
      return Status(Code::kIncompatible,
                    fmt::format("accessing the registers at {:#x} does not end: the fabric has no clock, or no design "
                                "there; restart the board",
                                accelerator_->address()));
    }
    ::usleep(1000);
  }
  NESTRT_RETURN_IF_ERROR(describe_end(*accelerator_, status));
  return std::string("the four stages respond");
}

Status run_probe_program(const UioOptions& options) {
  UioOptions without_coherence_test = options;
  without_coherence_test.configuration = nullptr;
  NESTRT_ASSIGN_OR_RETURN(const auto transport, make_uio_transport(without_coherence_test));
  NESTRT_ASSIGN_OR_RETURN(ProbeRun probe, ProbeRun::create(*transport, *options.configuration));
  probe.write_inputs();
  NESTRT_RETURN_IF_ERROR(probe.transfer_inputs());
  NESTRT_RETURN_IF_ERROR(probe.start());
  const Status status = probe.wait(kRunLimit);
  if (status.ok()) NESTRT_RETURN_IF_ERROR(probe.take_results());
  if (status.ok() && probe.is_right()) return {};
  return Status(Code::kIncompatible,
                fmt::format("the accelerator {} as configuration {}: specify the configuration that the bitstream was "
                            "built for (--configuration)",
                            status.ok() ? "computes wrong results" : "does not end the probe program",
                            options.configuration->name));
}

Result<std::string> Checks::run_probe() const {
  NESTRT_RETURN_IF_ERROR(run_probe_program(options_));
  NESTRT_ASSIGN_OR_RETURN(const auto transport, make_uio_transport(options_));
  return fmt::format("correct results as configuration {}; the port is {}", options_.configuration->name,
                     transport->cache_line_bytes() == 1 ? "coherent" : "not coherent: caches need maintenance");
}

}  // namespace

std::vector<BoardCheck> check_uio_board(const UioOptions& options, bool accesses_registers) {
  return Checks(options).run(accesses_registers);
}

}  // namespace nestrt::evta
