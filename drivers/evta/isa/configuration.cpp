// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/isa/configuration.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "drivers/evta/isa/stated_sizes.h"
#include "nestrt/driver/mutex.h"

namespace nestrt::evta {

std::string_view name(Memory memory) {
  constexpr std::array<std::string_view, kNumMemories> kNames = {"uop", "wgt", "inp", "acc", "out", "acc8"};
  const auto index = static_cast<size_t>(memory);
  return index < kNames.size() ? kNames[index] : "?";
}

namespace {

// Configurations that are not in kConfigurations, with their names. The size limits bound their number.
class StatedConfigurations {
 public:
  Result<const Configuration*> find(std::string_view name) {
    const MutexLock lock(mutex_);
    if (const auto found = entries_.find(name); found != entries_.end()) return &found->second;
    NESTRT_ASSIGN_OR_RETURN(const Configuration stated, parse_sizes(name));
    const auto entry = entries_.emplace(name, stated).first;
    entry->second.name = entry->first;
    return &entry->second;
  }

 private:
  Mutex mutex_;
  std::map<std::string, Configuration, std::less<>> entries_ NESTRT_GUARDED_BY(mutex_);
};

}  // namespace

Result<const Configuration*> read_configuration(std::string_view name) {
  const auto* const found = std::find_if(kConfigurations.begin(), kConfigurations.end(),
                                         [&](const Configuration& known) { return known.name == name; });
  if (found != kConfigurations.end()) return found;
  static auto& stated = *new StatedConfigurations();  // never freed: units may exist until the process ends
  return stated.find(name);
}

const Configuration* find_configuration(std::string_view name) {
  const Result<const Configuration*> found = read_configuration(name);
  return found ? *found : nullptr;
}

Result<Instances> parse_instances(std::string_view text) {
  Instances instances;
  std::string_view name = text;
  if (name.size() > 2 && name[1] == '_' && name[0] >= '1' && name[0] - '0' <= kMaxInstances) {
    instances.count = name[0] - '0';
    name.remove_prefix(2);
  }
  const Result<const Configuration*> found = read_configuration(name);
  if (found) {
    instances.configuration = *found;
    return instances;
  }
  std::string known;
  for (const Configuration& configuration : kConfigurations)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", configuration.name);
  return Status(
      Code::kInvalidArgument,
      fmt::format("unknown configuration '{}' of unit 'evta': {}; available: {}, and others that VTA's encoding "
                  "supports; the prefixes 2_ to {}_ select several instances of a configuration",
                  text, found.error().message(), known, kMaxInstances));
}

std::string to_text(const Instances& instances) {
  const std::string_view name = instances.configuration->name;
  return instances.count == 1 ? std::string(name) : fmt::format("{}_{}", instances.count, name);
}

}  // namespace nestrt::evta
