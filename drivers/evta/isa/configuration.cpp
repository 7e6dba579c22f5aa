#include "drivers/evta/isa/configuration.h"

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

}  // namespace nestrt::evta
