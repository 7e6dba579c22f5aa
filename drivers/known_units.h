// The kinds of units that nestrt has kernels, programs or drivers for: what a board or a target may name.
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

// Null where there is none of that kind.
const KnownUnit* find_known_unit(std::string_view kind);
// For messages: "cpu, evta".
std::string known_units();

// Checks a configuration, which may state instances, and takes those out of it: "2_1x32_15_15_18_17".
// Errors: kInvalidArgument, also for a kind that there is not.
Status complete_unit(std::string_view kind, std::string& configuration, int64_t& instances);

}  // namespace nestrt
