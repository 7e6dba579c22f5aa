// SPDX-License-Identifier: Apache-2.0
// Expected arithmetic intensity of a command's report.
#pragma once

#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace nestrt::test {

// Returns text such as "9.6 without": multiply-accumulates per transferred byte, summed over the operators in a
// command's JSON. `bytes`: the JSON key of an operator's bytes.
inline std::string intensity_alone(const std::string& json_file, const char* bytes) {
  std::ifstream stream(json_file);
  const nlohmann::json answer = nlohmann::json::parse(stream);
  uint64_t macs = 0, moved = 0;
  for (const nlohmann::json& op : answer["operators"]) {
    macs += op["macs"].get<uint64_t>();
    moved += op[bytes].get<uint64_t>();
  }
  REQUIRE(moved > 0);
  return fmt::format("{:.1f} without", static_cast<double>(macs) / static_cast<double>(moved));
}

}  // namespace nestrt::test
