// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "drivers/vendor/conformance/cases.h"

namespace nestrt::vendor::cases {

Status describes_itself(const PluginPointer& plugin, const ConformanceProgram& /*program*/) {
  NESTRT_ASSIGN_OR_RETURN(const auto first, PluginDevice::open(plugin, 0));
  const Description before = first->description();
  NESTRT_ASSIGN_OR_RETURN(const auto again, first->describe_again());
  if (again == before) return {};
  return broken(fmt::format("'{}' ({}) reports '{}' ({}) in a second call", before.kind, before.configuration,
                            again.kind, again.configuration));
}

// Version 1 of the interface has no options.
Status rejects_unknown_options(const PluginPointer& plugin, const ConformanceProgram& /*program*/) {
  if (plugin->functions.abi == NESTRT_VENDOR_ABI_1) return {};
  Plugin with_option = *plugin;
  with_option.options.push_back({"nestrt-unknown-option", "1"});
  const auto device = PluginDevice::open(std::make_shared<const Plugin>(std::move(with_option)), 0);
  if (device) return broken("open_with() accepts the unknown option 'nestrt-unknown-option'");
  if (device.error().code() == Code::kInvalidArgument) return {};
  return broken(
      fmt::format("open_with() should reject an unknown option as such, but returns: {}", device.error().message()));
}

Status opens_again(const PluginPointer& plugin, const ConformanceProgram& program) {
  std::vector<std::byte> first;
  for (int round = 0; round < 3; ++round) {
    NESTRT_ASSIGN_OR_RETURN(const Subject subject, Subject::open(plugin, program));
    NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> results, subject.results(1));
    if (round == 0) first = results;
    if (results != first)
      return broken("the same inputs produce different results after the device was closed and opened again");
  }
  return {};
}

Status self_test_succeeds(const PluginPointer& plugin, const ConformanceProgram& program) {
  NESTRT_ASSIGN_OR_RETURN(const Subject subject, Subject::open(plugin, program));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> expected, subject.results(1));
  for (int round = 0; round < 3; ++round) NESTRT_RETURN_IF_ERROR(subject.device().self_test());
  return subject.check_still_right(1, expected);
}

// Device::allocate_shared() checks alignments, and that blocks do not overlap.
Status shared_blocks_are_disjoint(const PluginPointer& plugin, const ConformanceProgram& /*program*/) {
  NESTRT_ASSIGN_OR_RETURN(const auto device, PluginDevice::open(plugin, 0));
  if (!device->needs_shared_memory()) return {};
  std::vector<std::shared_ptr<HostVisibleMemory>> blocks;
  for (const uint64_t bytes : {1, 63, 64, 4097, 100000}) {
    NESTRT_ASSIGN_OR_RETURN(blocks.emplace_back(), device->allocate_shared(bytes));
    std::ranges::fill(blocks.back()->bytes(), static_cast<std::byte>(blocks.size()));
  }
  for (size_t i = 0; i < blocks.size(); ++i)
    for (const std::byte byte : blocks[i]->bytes())
      if (byte != static_cast<std::byte>(i + 1)) return broken("a write to one block changed another block");
  blocks.erase(blocks.begin() + 1);
  return device->allocate_shared(1000).has_value() ? Status()
                                                   : broken("shared memory cannot be allocated after some was freed");
}

}  // namespace nestrt::vendor::cases
