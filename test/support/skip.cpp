// SPDX-License-Identifier: Apache-2.0
#include "test/support/skip.h"

#include <utility>

namespace nestrt::test {
namespace {

std::string& reason() {
  static std::string text;
  return text;
}

}  // namespace

void skip(std::string why) {
  if (reason().empty()) reason() = std::move(why);
}

std::string take_skip_reason() { return std::exchange(reason(), std::string()); }

}  // namespace nestrt::test
