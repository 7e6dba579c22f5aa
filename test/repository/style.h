// SPDX-License-Identifier: Apache-2.0
// House rules that no formatter or compiler enforces.
#pragma once

#include "test/repository/source_tree.h"

namespace nestrt::test {

// Returns overlong files and lines, tabs, trailing blanks, headers without #pragma once, markers of unfinished work,
// paths of a specific machine, and exceptions thrown by libnestrt.
Findings style_violations(const SourceTree& tree);

// Returns test sources that no call of nestrt_add_tests in test/CMakeLists.txt compiles.
Findings orphaned_tests(const SourceTree& tree);

// Returns operators of the CPU (folders of kernels/ with a row) without a test.
Findings untested_operators(const SourceTree& tree);

}  // namespace nestrt::test
