// SPDX-License-Identifier: Apache-2.0
#include "drivers/vendor/conformance/subject.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <random>

namespace nestrt::vendor {
namespace {

constexpr size_t kGuardBytes = 256;
constexpr std::byte kGuard{0x5a};
// Far longer than any terminating program runs.
constexpr std::chrono::seconds kLongEnough{60};

}  // namespace

Result<std::unique_ptr<GuardedPorts>> GuardedPorts::create(Device& device, const ConformanceProgram& program,
                                                           uint32_t seed, size_t shift) {
  auto ports = std::make_unique<GuardedPorts>();
  const size_t alignment = std::max<size_t>(device.description().alignment, 64);
  const size_t guard = align_up(kGuardBytes, alignment);
  size_t size = guard + shift * alignment + alignment;
  for (size_t i = 0; i < program.num_ports(); ++i) size += align_up(program.port(i).bytes, alignment) + guard;
  if (device.needs_shared_memory()) {
    NESTRT_ASSIGN_OR_RETURN(ports->host_visible_, device.allocate_shared(size));
    ports->all_ = ports->host_visible_->bytes();
  } else {
    NESTRT_ASSIGN_OR_RETURN(ports->own_, AlignedMemory::allocate(size, "ports of a program"));
    ports->all_ = {ports->own_.data(), size};
  }
  std::ranges::fill(ports->all_, kGuard);
  const auto address = reinterpret_cast<uintptr_t>(ports->all_.data());
  size_t at = align_up(address, alignment) - address + guard + shift * alignment;
  std::mt19937 random(seed);
  const auto add = [&](uint64_t bytes, bool is_output) {
    const Port port{ports->all_.subspan(at, bytes), is_output};
    if (!is_output) std::ranges::generate(port.bytes, [&] { return static_cast<std::byte>(random()); });
    ports->ports_.push_back(port);
    ports->addresses_.push_back(port.bytes.data());
    at += align_up(bytes, alignment) + guard;
  };
  for (const PortSpec& port : program.inputs) add(port.bytes, false);
  for (const PortSpec& port : program.outputs) add(port.bytes, true);
  ports->fill_outputs(std::byte{0});
  ports->before_ = ports->without_outputs();
  return ports;
}

void GuardedPorts::fill_outputs(std::byte value) {
  for (const Port& port : ports_)
    if (port.is_output) std::ranges::fill(port.bytes, value);
}

std::vector<std::byte> GuardedPorts::outputs() const {
  std::vector<std::byte> all;
  for (const Port& port : ports_)
    if (port.is_output) all.insert(all.end(), port.bytes.begin(), port.bytes.end());
  return all;
}

std::vector<std::byte> GuardedPorts::without_outputs() const {
  std::vector<std::byte> all(all_.begin(), all_.end());
  for (const Port& port : ports_)
    if (port.is_output) std::fill_n(all.begin() + (port.bytes.data() - all_.data()), port.bytes.size(), std::byte{0});
  return all;
}

Status GuardedPorts::check_untouched() const {
  const std::vector<std::byte> now = without_outputs();
  const auto changed = static_cast<size_t>(std::ranges::mismatch(now, before_).in1 - now.begin());
  if (changed == now.size()) return {};
  const std::byte* const at = all_.data() + changed;
  for (size_t i = 0; i < ports_.size(); ++i) {
    const std::span<std::byte> bytes = ports_[i].bytes;
    if (at >= bytes.data() && at < bytes.data() + bytes.size())
      return broken(fmt::format("byte {} of input {} was changed", at - bytes.data(), i));
    if (at >= bytes.data() + bytes.size() && at < bytes.data() + bytes.size() + kGuardBytes)
      return broken(fmt::format("a byte was changed {} bytes after the end of port {}",
                                at - bytes.data() - static_cast<ptrdiff_t>(bytes.size()), i));
  }
  return broken("a byte before a port was changed");
}

Result<Subject> Subject::open(const std::shared_ptr<const Plugin>& plugin, const ConformanceProgram& program) {
  Subject subject;
  subject.source_ = &program;
  NESTRT_ASSIGN_OR_RETURN(subject.device_, PluginDevice::open(plugin, 0));
  NESTRT_ASSIGN_OR_RETURN(subject.program_, subject.load());
  return subject;
}

Result<std::unique_ptr<PluginProgram>> Subject::load() const { return device_->load_program(*source_); }

Result<std::unique_ptr<GuardedPorts>> Subject::ports(uint32_t seed, size_t shift) const {
  return GuardedPorts::create(*device_, *source_, seed, shift);
}

Status Subject::run(PluginProgram& program, const GuardedPorts& ports) const {
  const std::atomic<bool> stop{false};
  return program.run(ports.addresses(), SteadyClock::now() + kLongEnough, stop);
}

Result<std::vector<std::byte>> Subject::results(uint32_t seed) const {
  NESTRT_ASSIGN_OR_RETURN(const auto memory, ports(seed));
  NESTRT_RETURN_IF_ERROR(run(*memory));
  return memory->outputs();
}

Status Subject::check_still_right(uint32_t seed, const std::vector<std::byte>& expected) const {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> again, results(seed));
  return again == expected ? Status() : broken("the same inputs produce different results in a later run");
}

}  // namespace nestrt::vendor
