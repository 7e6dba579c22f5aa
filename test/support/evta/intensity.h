// What a command says that a plan's operators would move alone.
#pragma once

#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace nestrt::test {

// "9.6 without": the multiply-accumulates for a byte moved, over the operators of a command's JSON, which has the bytes
// of each under `bytes`.
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
