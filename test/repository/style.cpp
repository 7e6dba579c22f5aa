// SPDX-License-Identifier: Apache-2.0
#include "test/repository/style.h"

#include <regex>

namespace nestrt::test {
namespace {

constexpr size_t kMaxLines = 600;
constexpr size_t kMaxColumns = 120;

bool is_script(std::string_view path) {
  return path.starts_with("script/") || path.ends_with(".py") || path.ends_with(".sh");
}

bool is_build_description(std::string_view path) {
  return path.ends_with("CMakeLists.txt") || path.ends_with(".cmake") || path.ends_with(".fbs");
}

// Returns whether the file contains the forbidden patterns because it defines or tests them.
bool holds_rules(std::string_view path) { return path.starts_with("test/repository/style"); }

bool in_libnestrt(std::string_view path) {
  for (std::string_view folder : {"runtime/", "kernels/", "scheduler/", "drivers/"}) {
    if (path.starts_with(folder)) return is_code(path) && !path.ends_with("_bench.cpp");
  }
  return false;
}

// Returns whether a header has a guard. The C header uses a portable guard. Highway's -inl.h files are compiled once
// per target.
bool has_guard(std::string_view text) {
  for (std::string_view guard : {"#pragma once", "#ifndef NESTRT_", "HWY_TARGET_TOGGLE"}) {
    if (text.find(guard) != std::string_view::npos) return true;
  }
  return false;
}

size_t columns(std::string_view line) {
  size_t count = 0;
  for (char c : line) count += (c & 0xC0) != 0x80;  // continuation bytes of UTF-8 take no column
  return count;
}

std::string without_comment(std::string_view line) { return std::string(line.substr(0, line.find("//"))); }

void check_line(const std::string& path, std::string_view line, size_t number, Findings& findings) {
  static const std::regex kUnfinished(R"(\b(TODO|FIXME|XXX|HACK)\b)");
  static const std::regex kForeignPath(R"((^|[\s"'`=(])/(home|root|work|Users)/)");
  static const std::regex kThrow(R"(\bthrow\b\s*[\w;])");
  static const std::regex kUncheckedLock(R"(\bstd::(mutex|\w+_mutex|\w+_lock|lock_guard|condition_variable\w*)\b)");
  static const std::regex kSemicolonInName(R"re(TEST_CASE\("[^"]*;)re");
  const auto report = [&](std::string_view what) {
    findings.push_back(path + ":" + std::to_string(number) + ": " + std::string(what));
  };
  const std::string text(line);
  if (text.find('\t') != std::string::npos) report("a tab; indent with spaces");
  if (!holds_rules(path) && std::regex_search(text, kSemicolonInName))
    report("a test name with ';', which CMake splits");
  if (text.ends_with(' ')) report("trailing spaces");
  if (is_code(path) && columns(line) > kMaxColumns) report("wider than 120 columns");
  if (!holds_rules(path) && std::regex_search(text, kUnfinished)) report("a mark of unfinished work");
  if (!holds_rules(path) && std::regex_search(text, kForeignPath)) report("a path of a specific machine");
  if (in_libnestrt(path) && std::regex_search(without_comment(line), kThrow)) {
    report("throws; libnestrt returns a Status");
  }
  if (in_libnestrt(path) && !path.ends_with("/mutex.h") && std::regex_search(without_comment(line), kUncheckedLock)) {
    report("a lock that clang cannot check; use those of nestrt/driver/mutex.h");
  }
}

}  // namespace

Findings style_violations(const SourceTree& tree) {
  Findings findings;
  for (const auto& [path, text] : tree) {
    if (!is_code(path) && !is_script(path) && !is_build_description(path)) continue;
    const auto lines = lines_of(text);
    if (lines.size() > kMaxLines) {
      findings.push_back(path + ":" + std::to_string(lines.size()) + ": longer than 600 lines; split it by concept");
    }
    if (is_header(path) && !has_guard(text)) findings.push_back(path + ":1: a header without #pragma once");
    for (size_t i = 0; i < lines.size(); ++i) check_line(path, lines[i], i + 1, findings);
  }
  return findings;
}

Findings orphaned_tests(const SourceTree& tree) {
  Findings findings;
  const auto build = tree.find("test/CMakeLists.txt");
  const std::string_view description = build == tree.end() ? std::string_view() : std::string_view(build->second);
  for (const auto& [path, text] : tree) {
    if (!path.starts_with("test/") || !path.ends_with("_test.cpp")) continue;
    const std::string folder = path.substr(5, path.find('/', 5) - 5);
    const auto has_call = [&](const std::string& call) {
      const size_t at = description.find(call);
      return at != std::string_view::npos &&
             (description[at + call.size()] == ')' || description[at + call.size()] == ' ');
    };
    const bool compiled = has_call("nestrt_add_tests(" + folder) || has_call("add_executable(test_" + folder);
    if (!compiled) findings.push_back(path + ":1: not compiled into any test executable");
  }
  return findings;
}

Findings untested_operators(const SourceTree& tree) {
  Findings findings;
  for (const auto& [path, text] : tree) {
    if (!path.starts_with("kernels/") || text.find("OperatorRules& rules<ops::") == std::string::npos) continue;
    const std::string folder = path.substr(0, path.rfind('/') + 1);
    const bool has_test = std::any_of(tree.begin(), tree.end(), [&](const auto& file) {
      return file.first.starts_with("test/" + folder) && file.first.ends_with("_test.cpp");
    });
    if (!has_test) findings.push_back(path + ":1: no test in test/" + folder);
  }
  return findings;
}

}  // namespace nestrt::test
