// SPDX-License-Identifier: Apache-2.0
// Checks the layering of the tree, as in ARCHITECTURE.md, over #include lines.
#pragma once

#include "test/repository/source_tree.h"

namespace nestrt::test {

// Returns includes of the project's files from a folder that must not include them, and includes of missing files.
Findings layering_violations(const SourceTree& tree);

// Returns includes of libraries in folders that must not use them. libnestrt must not depend on libraries that only the
// tools may use.
Findings library_violations(const SourceTree& tree);

// Returns headers that include themselves through others.
Findings include_cycles(const SourceTree& tree);

// Returns folders that include each other's files, directly or through others. A folder and its subfolders count as
// one. Tests and examples are not checked.
Findings folder_cycles(const SourceTree& tree);

// Returns folders that directly contain more than 25 sources (.cpp, .c and .h).
Findings crowded_folders(const SourceTree& tree);

}  // namespace nestrt::test
