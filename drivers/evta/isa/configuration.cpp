// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/isa/configuration.h"

#include <fmt/core.h>

#include <algorithm>

namespace nestrt::evta {

std::string_view name(Memory memory) {
  constexpr std::array<std::string_view, kNumMemories> kNames = {"uop", "wgt", "inp", "acc", "out", "acc8"};
  const auto index = static_cast<size_t>(memory);
  return index < kNames.size() ? kNames[index] : "?";
}

const Configuration* find_configuration(std::string_view name) {
  const auto found = std::find_if(kConfigurations.begin(), kConfigurations.end(),
                                  [&](const Configuration& known) { return known.name == name; });
  return found == kConfigurations.end() ? nullptr : &*found;
}

Result<Instances> parse_instances(std::string_view text) {
  Instances instances;
  std::string_view name = text;
  if (name.size() > 2 && name[1] == '_' && name[0] >= '1' && name[0] - '0' <= kMaxInstances) {
    instances.count = name[0] - '0';
    name.remove_prefix(2);
  }
  instances.configuration = find_configuration(name);
  if (instances.configuration != nullptr) return instances;
  std::string known;
  for (const Configuration& configuration : kConfigurations)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", configuration.name);
  return Status(Code::kInvalidArgument, fmt::format("unknown configuration '{}' of unit 'evta'; available: {}; the "
                                                    "prefixes 2_ to {}_ select several instances of a configuration",
                                                    text, known, kMaxInstances));
}

std::string to_text(const Instances& instances) {
  const std::string_view name = instances.configuration->name;
  return instances.count == 1 ? std::string(name) : fmt::format("{}_{}", instances.count, name);
}

}  // namespace nestrt::evta
