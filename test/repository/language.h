// SPDX-License-Identifier: Apache-2.0
// The language of comments, messages and documents: terms that the project has replaced must not be used again.
#pragma once

#include "test/repository/source_tree.h"

namespace nestrt::test {

// Returns the occurrences of replaced terms, also across newlines, with the terms to use. Checks the folders listed in
// language.cpp.
Findings replaced_terms(const SourceTree& tree);

}  // namespace nestrt::test
