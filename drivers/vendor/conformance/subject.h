// SPDX-License-Identifier: Apache-2.0
// Subject: a device of the plug-in with a program loaded. Programs run on ports between guard bytes, in memory that the
// device can access.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "drivers/vendor/conformance/conformance.h"
#include "drivers/vendor/plugin_device.h"
#include "nestrt/driver/unit.h"
#include "runtime/platform/aligned_memory.h"

namespace nestrt::vendor {

// Returns the result of a failed case.
inline Status broken(std::string what) { return Status(Code::kDeviceFault, std::move(what)); }

// Memory for the ports of a program, each aligned as required by the device, with guard bytes on both sides.
class GuardedPorts {
 public:
  // `shift`: additional offset of the ports in multiples of the alignment. `seed` determines the inputs.
  static Result<std::unique_ptr<GuardedPorts>> create(Device& device, const ConformanceProgram& program, uint32_t seed,
                                                      size_t shift = 0);

  std::span<void* const> addresses() const { return addresses_; }
  void fill_outputs(std::byte value);
  std::vector<std::byte> outputs() const;
  // Checks that guards and inputs are unchanged.
  Status check_untouched() const;

 private:
  struct Port {
    std::span<std::byte> bytes;
    bool is_output = false;
  };

  std::vector<std::byte> without_outputs() const;

  std::shared_ptr<HostVisibleMemory> host_visible_;
  AlignedMemory own_;
  std::span<std::byte> all_;
  std::vector<Port> ports_;
  std::vector<void*> addresses_;
  std::vector<std::byte> before_;  // all bytes, with outputs as 0
};

class Subject {
 public:
  static Result<Subject> open(const std::shared_ptr<const Plugin>& plugin, const ConformanceProgram& program);

  PluginDevice& device() const { return *device_; }
  PluginProgram& program() const { return *program_; }
  // Loads another copy of the program.
  Result<std::unique_ptr<PluginProgram>> load() const;
  Result<std::unique_ptr<GuardedPorts>> ports(uint32_t seed, size_t shift = 0) const;
  Status run(const GuardedPorts& ports) const { return run(*program_, ports); }
  Status run(PluginProgram& program, const GuardedPorts& ports) const;
  // Returns the program's outputs for the inputs derived from `seed`.
  Result<std::vector<std::byte>> results(uint32_t seed) const;
  // Repeats the run with `seed` and compares the results with `expected`.
  Status check_still_right(uint32_t seed, const std::vector<std::byte>& expected) const;

 private:
  Subject() = default;

  const ConformanceProgram* source_ = nullptr;
  std::shared_ptr<PluginDevice> device_;
  std::unique_ptr<PluginProgram> program_;
};

}  // namespace nestrt::vendor
