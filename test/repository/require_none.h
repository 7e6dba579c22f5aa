// SPDX-License-Identifier: Apache-2.0
// Assertion that a check of the repository has no findings.
#pragma once

#include <catch2/catch.hpp>

#include "test/repository/source_tree.h"

namespace nestrt::test {

inline void require_none(const Findings& findings) {
  INFO(join(findings));
  REQUIRE(findings.empty());
}

}  // namespace nestrt::test
