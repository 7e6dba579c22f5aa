// The lists of units that commands and applications write: "evta:sim:2_1x32_15_15_18_17,cpu".
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace nestrt {

// How an accelerator is reached: that of a board, or a simulated one.
inline constexpr std::string_view kBoardTransport = "xrt", kSimulatedTransport = "sim";

// An entry of a list: "cpu", "evta:1x32_15_15_18_17", "evta:sim", "evta:sim:1x32_15_15_18_17". Points into the list.
struct UnitRequest {
  std::string_view text;                          // all of the entry
  std::string_view kind;                          // what stands in front of the colon
  std::optional<std::string_view> transport;      // what follows it, if it is one of the above
  std::optional<std::string_view> configuration;  // the rest, if there is another colon or no transport
};

// The entries between commas, in order; never none. Whether there are such units is for the caller to say.
std::vector<UnitRequest> parse_unit_list(std::string_view list);

}  // namespace nestrt
