// House rules that no formatter or compiler keeps.
#pragma once

#include "test/repository/source_tree.h"

namespace nestrt::test {

// Files too long to hold one idea, lines too wide, tabs, trailing blanks, headers without #pragma once, marks of
// unfinished work, paths of somebody's machine, exceptions thrown by libnestrt.
Findings style_violations(const SourceTree& tree);

// Test sources that no call of nestrt_add_tests in test/CMakeLists.txt compiles.
Findings orphaned_tests(const SourceTree& tree);

// Operators of the CPU (folders of kernels/ with a row) without a test of their own.
Findings untested_operators(const SourceTree& tree);

}  // namespace nestrt::test
