// SPDX-License-Identifier: Apache-2.0
// Generates docs/reference/operators.md from the results of the conformance cases.
#pragma once

#include <string>
#include <vector>

#include "test/compiler-lite/onnx_conformance/conformance_case.h"

namespace nestrt::test {

// Returns the whole document for the tests of this version of ONNX.
std::string operator_table(const std::vector<CaseResult>& results, const std::string& version);

}  // namespace nestrt::test
