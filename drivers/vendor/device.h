// Device: one device of a plug-in, by calls whose answers are checked. A Status of it names the plug-in, the call, and
// what was wrong with the answer.
//
// Threads: as nestrt/vendor.h has them: run() and self_test() from one thread at a time, load() and what it gives, and
// lend(), from any, interrupt() from any.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/vendor/plugin.h"
#include "nestrt/event.h"
#include "nestrt/mutex.h"
#include "nestrt/unit.h"

namespace nestrt::vendor {

class Device;

// A program that the plug-in has loaded. The Device outlives it.
class LoadedProgram {
 public:
  // `id`: no other program's of the device.
  LoadedProgram(Device* device, nestrt_vendor_program* program, uint64_t id)
      : device_(device), program_(program), id_(id) {}
  ~LoadedProgram();
  LoadedProgram(const LoadedProgram&) = delete;
  LoadedProgram& operator=(const LoadedProgram&) = delete;

  nestrt_vendor_program* get() const { return program_; }
  uint64_t id() const { return id_; }

 private:
  Device* const device_;
  nestrt_vendor_program* const program_;
  const uint64_t id_;
};

class Device : public std::enable_shared_from_this<Device> {
 public:
  struct Description {
    std::string kind, configuration;
    size_t alignment = 1;
    bool is_steady = false;

    bool operator==(const Description&) const = default;
  };

  // Errors: kUnavailable and others of the plug-in's, kDeviceFault for answers that do not fit.
  static Result<std::shared_ptr<Device>> open(std::shared_ptr<const Plugin> plugin, uint32_t instance);
  ~Device();

  const Description& description() const { return description_; }
  // What the plug-in says now. Errors: kDeviceFault.
  Result<Description> describe_again() const;
  // For calls that are not checked here: the conformance suite's.
  const nestrt_vendor_functions& call() const { return *plugin_->functions; }
  nestrt_vendor_device* handle() const { return device_; }
  const std::string& file() const { return plugin_->file; }
  // Whether programs reach what was lent only.
  bool lends() const { return plugin_->functions->lend != nullptr; }

  // A blob for ports of these sizes, inputs first. It stays where it is while the program lives. Errors: kInvalidPlan,
  // kIncompatible, kOutOfMemory, kDeviceFault.
  Result<std::unique_ptr<LoadedProgram>> load(std::span<const std::byte> blob, std::span<const uint64_t> input_bytes,
                                              std::span<const uint64_t> output_bytes);
  // Requires: lends(). Goes back with the last reference. Errors: kOutOfMemory, kDeviceFault.
  Result<std::shared_ptr<LentMemory>> lend(uint64_t bytes);
  // Whether the device reaches the bytes and likes where they begin.
  bool reaches(const std::byte* bytes, uint64_t size) const;

  // To its end, or until `stop` is set and interrupt() was called. The device touches nothing afterwards, unless the
  // plug-in fails to stop it: then lent memory is not safe. Errors: kDeadlineExceeded, kCancelled, kDeviceFault.
  Status run(const LoadedProgram& program, std::span<void* const> ports, Deadline deadline,
             const std::atomic<bool>& stop);
  void interrupt();
  // Resets the device and lets it show that it works. Errors: kDeviceFault.
  Status self_test();

 private:
  friend class LoadedProgram;
  class Block;

  explicit Device(std::shared_ptr<const Plugin> plugin) : plugin_(std::move(plugin)) {
    bound_.reserve(NESTRT_VENDOR_MAX_PORTS);  // runs ask for no memory
  }

  Status open_device(uint32_t instance);
  Status check_description(const nestrt_vendor_description& given) const;
  Status check_ports(const nestrt_vendor_ports& given, std::span<const uint64_t> inputs,
                     std::span<const uint64_t> outputs) const;
  Status check_lent(const void* address, uint64_t bytes);
  Status await(uint64_t run, Deadline deadline, const std::atomic<bool>& stop);
  Result<std::optional<nestrt_vendor_completion>> await_until(uint64_t run, Deadline until) const;
  Status outcome(const nestrt_vendor_completion& completion, Deadline deadline, bool is_stopped) const;
  Status reset();
  Status failure(std::string_view function, std::string_view what) const;
  Status status_of(std::string_view function, nestrt_vendor_status status, const nestrt_vendor_message& why) const;

  const std::shared_ptr<const Plugin> plugin_;
  nestrt_vendor_device* device_ = nullptr;
  Description description_;
  std::atomic<uint64_t> under_way_{0};  // the run; 0: none
  uint64_t last_run_ = 0;
  std::vector<void*> bound_;
  uint64_t bound_program_ = 0;  // its id; 0: none
  std::atomic<uint64_t> loaded_{0};

  Mutex loading_;  // one of load, unload, lend, give_back at a time
  const std::shared_ptr<std::atomic<bool>> is_safe_ = std::make_shared<std::atomic<bool>>(true);
  mutable Mutex lent_mutex_;
  std::vector<std::span<std::byte>> lent_ NESTRT_GUARDED_BY(lent_mutex_);
};

}  // namespace nestrt::vendor
