// SPDX-License-Identifier: Apache-2.0
// Parses unit lists as passed by commands and applications: "evta:sim:2_1x32_15_15_18_17,cpu".
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace nestrt {

// Transports to accelerators: on a board, through XRT or without it, or simulated.
inline constexpr std::string_view kBoardTransport = "xrt", kUioTransport = "uio", kSimulatedTransport = "sim";
inline constexpr std::array kTransports = {kBoardTransport, kUioTransport, kSimulatedTransport};

// An entry of a list: "cpu", "evta:1x32_15_15_18_17", "evta:sim", "evta:sim:1x32_15_15_18_17". Refers to the list.
struct UnitRequest {
  std::string_view text;                          // the whole entry
  std::string_view kind;                          // the part before the first colon
  std::optional<std::string_view> transport;      // the next part, if it is a transport
  std::optional<std::string_view> configuration;  // the rest, if there is another colon or no transport
};

// Returns the entries between commas, in order; at least one. Does not check whether the units exist.
std::vector<UnitRequest> parse_unit_list(std::string_view list);

}  // namespace nestrt
