// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/uio/uio_transport.h"

#include <fmt/core.h>

#include <thread>

#include "drivers/evta/board/board_transport.h"
#include "drivers/evta/board/coherence.h"
#include "drivers/evta/board/fabric.h"
#include "drivers/evta/board/stages_unit.h"
#include "drivers/evta/uio/mapped_stages.h"
#include "drivers/evta/uio/memory_pool.h"
#include "nestrt/log.h"
#include "runtime/platform/guard.h"

namespace nestrt::evta {
namespace {

constexpr std::chrono::milliseconds kLookInterval{10};

class UioUnit final : public ComputeUnit {
 public:
  explicit UioUnit(std::unique_ptr<MappedStages> registers) : registers_(*registers), stages_(std::move(registers)) {}

  StagesUnit& stages() { return stages_; }
  void enable_interrupt() { has_interrupt_ = registers_.enable_interrupt(); }

  Status start(uint32_t count, uint32_t address) override { return stages_.start(count, address); }
  Result<bool> poll() override { return stages_.poll(); }
  Status abort() override { return stages_.abort(); }
  std::vector<DeviceRegister> registers() override { return stages_.registers(); }
  int interrupt_file() const override { return has_interrupt_ ? registers_.interrupt_file() : -1; }
  void acknowledge_interrupt() override { registers_.acknowledge_interrupt(); }

 private:
  MappedStages& registers_;  // owned by stages_
  StagesUnit stages_;
  bool has_interrupt_ = false;
};

class UioTransport final : public BoardTransport {
 public:
  UioTransport(std::shared_ptr<UioUnit> unit, DeviceLock lock, std::shared_ptr<MemoryPool> pool)
      : BoardTransport(std::move(unit), std::move(lock), "load the bitstream again, or restart the board"),
        pool_(std::move(pool)) {}

  std::string_view name() const override { return "uio"; }
  std::string memory_name() const override {
    return fmt::format("{} {:#x}{}", pool_->info().name, pool_->info().address, is_coherent_ ? " coherent" : "");
  }
  uint64_t cache_line_bytes() const override { return is_coherent_ ? 1 : kCacheLineBytes; }
  Result<std::shared_ptr<DeviceBuffer>> allocate(uint64_t size, uint64_t offset) override {
    return pool_->allocate(size, offset, is_coherent_);
  }

  using BoardTransport::prepare;
  void set_coherent() { is_coherent_ = true; }

 protected:
  Result<std::shared_ptr<DeviceBuffer>> allocate_instructions(uint64_t size) override {
    return pool_->allocate(size, 0, false);
  }

 private:
  const std::shared_ptr<MemoryPool> pool_;
  bool is_coherent_ = false;  // of buffers allocated from now on
};

// Returns whether the accelerator still runs a program of an exited process, which may write to the pool. A locked
// accelerator belongs to a running process with a separate pool, or to this process.
//
// The lock is held only while the registers are read, because another process may be about to open that accelerator.
Result<bool> is_used_by_ended_process(const SystemFiles& system, const UioAccelerator& accelerator) {
  const Result<DeviceLock> lock = DeviceLock::acquire(system, accelerator.lock_name());
  if (!lock) return false;
  NESTRT_ASSIGN_OR_RETURN(auto registers, MappedStages::open(system, accelerator));
  return StagesUnit(std::move(registers)).has_running_program();
}

Status wait_for_other_accelerators(const SystemFiles& system, const UioAccelerator& own) {
  const Deadline end = SteadyClock::now() + kPreviousOwnerLimit;
  for (const UioAccelerator& other : find_uio_accelerators(system)) {
    while (other.address() != own.address()) {
      NESTRT_ASSIGN_OR_RETURN(const bool is_used, is_used_by_ended_process(system, other));
      if (!is_used) break;
      if (SteadyClock::now() >= end)
        return still_in_use_by_previous_owner(kPreviousOwnerLimit).with_context("another accelerator, " + other.device);
      std::this_thread::sleep_for(kLookInterval);
    }
  }
  return {};
}

Status wrongly_declared(const PoolInfo& pool, std::string_view reason) {
  return Status(Code::kIncompatible,
                fmt::format("pool {} is declared dma-coherent, but {}: remove the property, or make the port coherent "
                            "(docs/reference/hardware.md)",
                            pool.name, reason));
}

// If the pool is not declared coherent, ignores an accelerator that does not work, because the unit's own probe reports
// it.
Status look_for_coherence(const UioOptions& options, const PoolInfo& pool, UioTransport& transport) {
  if (options.configuration == nullptr) return {};
  const Result<bool> coherent = is_coherent(transport, *options.configuration);
  if (!coherent) return pool.is_declared_coherent ? wrongly_declared(pool, coherent.error().message()) : Status();
  log(LogLevel::kDebug,
      fmt::format("the accelerator's port is {}",
                  *coherent ? "coherent: caches need no maintenance" : "not coherent: caches need maintenance"));
  if (*coherent) transport.set_coherent();
  if (*coherent || !pool.is_declared_coherent) return {};
  return wrongly_declared(pool, "the accelerator and the host do not see each other's writes");
}

Result<std::unique_ptr<Transport>> open_uio(const UioOptions& options) {
  const SystemFiles& system = options.system;
  const UioDeviceNames names = split_device(options.device);
  NESTRT_ASSIGN_OR_RETURN(const UioAccelerator accelerator,
                          find_uio_accelerator(system, names.registers, options.instance));
  NESTRT_ASSIGN_OR_RETURN(const PoolInfo pool_info, find_pool(system, names.pool));
  NESTRT_RETURN_IF_ERROR(check_fabric(system));
  NESTRT_ASSIGN_OR_RETURN(DeviceLock lock, DeviceLock::acquire(system, accelerator.lock_name(), options.wait));
  NESTRT_ASSIGN_OR_RETURN(auto registers, MappedStages::open(system, accelerator));
  const auto unit = std::make_shared<UioUnit>(std::move(registers));
  NESTRT_RETURN_IF_ERROR(unit->stages().wait_for_previous_owner());
  NESTRT_ASSIGN_OR_RETURN(auto pool, MemoryPool::open(system, pool_info, options.wait));
  NESTRT_RETURN_IF_ERROR(wait_for_other_accelerators(system, accelerator));
  unit->enable_interrupt();
  auto transport = std::make_unique<UioTransport>(unit, std::move(lock), std::move(pool));
  NESTRT_RETURN_IF_ERROR(transport->prepare());
  NESTRT_RETURN_IF_ERROR(look_for_coherence(options, pool_info, *transport));
  return std::unique_ptr<Transport>(std::move(transport));
}

}  // namespace

Result<std::unique_ptr<Transport>> make_uio_transport(const UioOptions& options) {
  return guarded([&] { return open_uio(options); });
}

}  // namespace nestrt::evta
