// SPDX-License-Identifier: Apache-2.0
// SourceTree: the repository's text files in memory. The checks of this folder also run on small trees made by their
// tests.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nestrt::test {

// Text by path relative to the root, with '/' between folders.
using SourceTree = std::map<std::string, std::string>;

// Findings of a check, one line each: "path:line: what". Empty if there are no findings.
using Findings = std::vector<std::string>;

// Loads every source, script, build description and document in the project's folders and in the root.
SourceTree load_source_tree(const std::filesystem::path& root);

std::vector<std::string_view> lines_of(std::string_view text);

// Returns whether the file is C++ or C.
bool is_code(std::string_view path);
bool is_header(std::string_view path);

// Returns the findings, one per line, for messages.
std::string join(const Findings& findings);

}  // namespace nestrt::test
