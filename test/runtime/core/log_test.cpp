// SPDX-License-Identifier: Apache-2.0
#include "nestrt/log.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace nestrt {
namespace {

TEST_CASE("A hook receives messages of the log level and above") {
  std::vector<std::string> messages;
  set_log_hook([&](LogLevel, std::string_view message) { messages.emplace_back(message); });
  log(LogLevel::kInfo, "not wanted");
  log(LogLevel::kWarning, "careful");
  set_log_level(LogLevel::kInfo);
  log(LogLevel::kInfo, "wanted");
  set_log_level(LogLevel::kOff);
  log(LogLevel::kError, "silenced");
  set_log_level(LogLevel::kWarning);
  set_log_hook({});
  CHECK(messages == std::vector<std::string>{"careful", "wanted"});
}

}  // namespace
}  // namespace nestrt
