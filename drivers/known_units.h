// SPDX-License-Identifier: Apache-2.0
// The kinds of units for which nestrt has kernels, programs or drivers. Boards and targets may name them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "nestrt/result.h"

namespace nestrt {

inline constexpr std::string_view kHostUnit = "cpu";  // the kind of the unit that runs kernels

struct KnownUnit {
  std::string_view kind;
  std::string_view default_configuration;
};

// Returns null if the kind is unknown.
const KnownUnit* find_known_unit(std::string_view kind);
// Returns the kinds for messages: "cpu, evta".
std::string known_units();

// Checks a configuration and removes a leading number of instances from it: "2_1x32_15_15_18_17". Errors:
// kInvalidArgument, also for an unknown kind.
Status complete_unit(std::string_view kind, std::string& configuration, int64_t& instances);

}  // namespace nestrt
