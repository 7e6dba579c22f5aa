// SourceTree: the repository's own text files in memory, so that the checks of this folder also run on small trees
// made up by their tests.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nestrt::test {

// Text by path relative to the root, '/' between folders.
using SourceTree = std::map<std::string, std::string>;

// What a check found: one line each, "path:line: what". Empty where all is well.
using Findings = std::vector<std::string>;

// Every file of the project's folders and of the root that is source, script, build description or documentation.
SourceTree load_source_tree(const std::filesystem::path& root);

std::vector<std::string_view> lines_of(std::string_view text);

// C++ or C.
bool is_code(std::string_view path);
bool is_header(std::string_view path);

// The findings, one a line; for messages.
std::string join(const Findings& findings);

}  // namespace nestrt::test
