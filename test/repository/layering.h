// The layering of the tree, as ARCHITECTURE.md draws it, checked over #include lines.
#pragma once

#include "test/repository/source_tree.h"

namespace nestrt::test {

// Includes of the project's own files that go to a folder which the including one may not know, or to no file at all.
Findings layering_violations(const SourceTree& tree);

// Includes of libraries where they have no business: libnestrt stays free of what only the tools may carry.
Findings library_violations(const SourceTree& tree);

// Headers that include themselves by way of others.
Findings include_cycles(const SourceTree& tree);

// Folders that include each other's files, by way of others or not; a folder and those inside it are one house. Tests
// and examples are left out.
Findings folder_cycles(const SourceTree& tree);

}  // namespace nestrt::test
