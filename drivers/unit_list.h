// The lists of units that commands and applications write: "evta:2_1x32_15_15_18_17,cpu".
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace nestrt {

// An entry of a list: "cpu", or "evta:1x32_15_15_18_17". Points into the list.
struct UnitRequest {
  std::string_view text;                          // all of the entry
  std::string_view kind;                          // what stands in front of the colon
  std::optional<std::string_view> configuration;  // what follows it; empty where there is no colon
};

// The entries between commas, in order; never none. Whether there are such units is for the caller to say.
std::vector<UnitRequest> parse_unit_list(std::string_view list);

}  // namespace nestrt
