// Subject: a device of the plug-in with a program loaded, as cases need it. Programs run on ports that lie between
// guard bytes, in memory that the device reaches.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "drivers/vendor/conformance/conformance.h"
#include "drivers/vendor/plugin_device.h"
#include "nestrt/driver/unit.h"
#include "runtime/platform/aligned_memory.h"

namespace nestrt::vendor {

// What a case found.
inline Status broken(std::string what) { return Status(Code::kDeviceFault, std::move(what)); }

// Memory for the ports of a program, each aligned as the device wants it, with guard bytes on both sides.
class GuardedPorts {
 public:
  // `shift`: so many alignments further on than they would lie. Inputs hold bytes that follow from `seed`.
  static Result<std::unique_ptr<GuardedPorts>> create(Device& device, const ConformanceProgram& program, uint32_t seed,
                                                      size_t shift = 0);

  std::span<void* const> addresses() const { return addresses_; }
  void fill_outputs(std::byte value);
  std::vector<std::byte> outputs() const;
  // Whether guards, and inputs, are as they were.
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
  std::vector<std::byte> before_;  // everything, with outputs as 0
};

class Subject {
 public:
  static Result<Subject> open(const std::shared_ptr<const Plugin>& plugin, const ConformanceProgram& program);

  PluginDevice& device() const { return *device_; }
  PluginProgram& program() const { return *program_; }
  // Another copy of the program.
  Result<std::unique_ptr<PluginProgram>> load() const;
  Result<std::unique_ptr<GuardedPorts>> ports(uint32_t seed, size_t shift = 0) const;
  Status run(const GuardedPorts& ports) const { return run(*program_, ports); }
  Status run(PluginProgram& program, const GuardedPorts& ports) const;
  // What the program makes of inputs that follow from `seed`.
  Result<std::vector<std::byte>> results(uint32_t seed) const;
  // Runs again what `expected` is of.
  Status check_still_right(uint32_t seed, const std::vector<std::byte>& expected) const;

 private:
  Subject() = default;

  const ConformanceProgram* source_ = nullptr;
  std::shared_ptr<PluginDevice> device_;
  std::unique_ptr<PluginProgram> program_;
};

}  // namespace nestrt::vendor
