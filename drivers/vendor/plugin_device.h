// SPDX-License-Identifier: Apache-2.0
// PluginDevice: one device of a plug-in in this process. Checks the results of all calls. Each Status names the
// plug-in, the call and the error.
//
// Threads: as for Device, within the guarantees of nestrt/vendor.h.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "drivers/vendor/device.h"
#include "drivers/vendor/plugin.h"
#include "nestrt/driver/mutex.h"

namespace nestrt::vendor {

class PluginDevice;

class PluginProgram final : public LoadedProgram {
 public:
  // `id`: unique among the device's programs.
  PluginProgram(PluginDevice* device, nestrt_vendor_program* program, uint64_t id)
      : device_(device), program_(program), id_(id) {}
  ~PluginProgram() override;
  PluginProgram(const PluginProgram&) = delete;
  PluginProgram& operator=(const PluginProgram&) = delete;

  Status run(std::span<void* const> ports, Deadline deadline, const std::atomic<bool>& stop) override;
  bool has_channels_last(size_t port) const override { return port < channels_last_.size() && channels_last_[port]; }
  nestrt_vendor_program* get() const { return program_; }
  uint64_t id() const { return id_; }

 private:
  friend class PluginDevice;

  PluginDevice* const device_;
  nestrt_vendor_program* const program_;
  const uint64_t id_;
  std::vector<bool> channels_last_;  // by port; empty for version 1 of the interface
};

class PluginDevice final : public Device, public std::enable_shared_from_this<PluginDevice> {
 public:
  // Errors: kUnavailable or another error from the plug-in, kDeviceFault for invalid results, kInvalidArgument for
  // options that the plug-in does not accept.
  static Result<std::shared_ptr<PluginDevice>> open(std::shared_ptr<const Plugin> plugin, uint32_t instance);
  ~PluginDevice() override;

  // Returns the current report of the plug-in. Errors: kDeviceFault.
  Result<Description> describe_again() const;
  // Returns the function table, for unchecked calls by the conformance suite.
  const nestrt_vendor_functions& call() const { return plugin_->functions; }
  nestrt_vendor_device* handle() const { return device_; }

  Result<std::unique_ptr<PluginProgram>> load_program(const Part& part);

  Result<std::unique_ptr<LoadedProgram>> load(const Part& part) override;
  bool needs_shared_memory() const override { return plugin_->functions.allocate_shared != nullptr; }
  bool shares_memory_with_sessions() const override { return needs_shared_memory(); }
  Result<std::shared_ptr<HostVisibleMemory>> allocate_shared(uint64_t bytes) override;
  bool reaches(const std::byte* bytes, uint64_t size) const override;
  void interrupt() override;
  Status self_test() override;

 private:
  friend class PluginProgram;
  class Block;

  explicit PluginDevice(std::shared_ptr<const Plugin> plugin) : Device(plugin->file), plugin_(std::move(plugin)) {
    bound_.reserve(NESTRT_VENDOR_MAX_PORTS);  // so that runs allocate nothing
  }

  Status open_device(uint32_t instance);
  bool has_first_version() const { return call().abi == NESTRT_VENDOR_ABI_1; }
  // Loads a part with the function of each version and checks the ports.
  Result<std::unique_ptr<PluginProgram>> load_blob(const Part& part);
  Result<std::unique_ptr<PluginProgram>> load_described(const Part& part);
  Result<std::unique_ptr<PluginProgram>> own(std::string_view function, nestrt_vendor_program* program);
  Status check_host_visible(const void* address, uint64_t bytes);
  Status run(const PluginProgram& program, std::span<void* const> ports, Deadline deadline,
             const std::atomic<bool>& stop);
  Status await(uint64_t run, Deadline deadline, const std::atomic<bool>& stop);
  // How a run ended, and the plug-in's message if it failed.
  struct Outcome {
    nestrt_vendor_completion completion;
    Status said;
  };
  Result<std::optional<Outcome>> await_until(uint64_t run, Deadline until) const;
  Status status_of(const Outcome& outcome, Deadline deadline, bool is_stopped) const;
  Status reset();
  Status failure(std::string_view function, std::string_view what) const {
    return wrong_answer(file(), function, what);
  }
  Status status_of(std::string_view function, nestrt_vendor_status status, const nestrt_vendor_message& why) const;

  const std::shared_ptr<const Plugin> plugin_;
  nestrt_vendor_device* device_ = nullptr;
  std::atomic<uint64_t> under_way_{0};  // number of the active run; 0 if idle
  uint64_t last_run_ = 0;
  std::vector<void*> bound_;
  uint64_t bound_program_ = 0;  // id; 0 if none is bound
  std::atomic<uint64_t> loaded_{0};

  Mutex loading_;                    // serialises load, unload, allocate_shared and free_shared
  std::atomic<bool> is_safe_{true};  // false if the device may write to shared memory after a run
  mutable Mutex host_visible_mutex_;
  std::vector<std::span<std::byte>> host_visible_ NESTRT_GUARDED_BY(host_visible_mutex_);
};

}  // namespace nestrt::vendor
