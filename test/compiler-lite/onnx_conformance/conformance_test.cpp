// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "test/compiler-lite/onnx_conformance/conformance_case.h"
#include "test/compiler-lite/onnx_conformance/operator_table.h"
#include "test/support/skip.h"

namespace nestrt::test {
namespace {

std::string read(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// Checks that the case passes or is rejected with a message.
void check_case(const CaseResult& result) {
  INFO(result.name << ": " << result.message);
  CHECK(result.verdict != Verdict::kFailed);
  if (result.verdict == Verdict::kUnsupported) CHECK(!result.message.empty());
}

// Checks that an imported case can be exported, except for features that the supported opsets lack.
void check_export(const CaseResult& result) {
  if (result.verdict != Verdict::kPassed || result.not_exported.empty()) return;
  INFO(result.name << ": " << result.not_exported);
  const auto reasons = reasons_not_to_export();
  CHECK(std::any_of(reasons.begin(), reasons.end(),
                    [&](std::string_view reason) { return result.not_exported.find(reason) != std::string::npos; }));
}

// Writes one line of `script/reports/operators-table --list`, which shows the next operators to implement.
void write_line(std::ostream& list, const CaseResult& result) {
  const char* const verdict = result.verdict == Verdict::kPassed        ? "right"
                              : result.verdict == Verdict::kUnsupported ? "refused"
                                                                        : "wrong";
  list << result.name << '\t' << verdict << '\t' << result.message << std::endl;
}

TEST_CASE("ONNX's operator cases pass or are rejected as documented in docs/reference/operators.md") {
  std::vector<CaseResult> results;
  int passed = 0;
  const CaseSet set = find_conformance_cases();
  std::ofstream list;
  if (const char* path = std::getenv("NESTRT_LIST_CASES")) list.open(path);
  for (const auto& folder : set.cases) {
    results.push_back(run_conformance_case(folder));
    write_line(list, results.back());
    check_case(results.back());
    check_export(results.back());
    passed += results.back().verdict == Verdict::kPassed;
  }
  if (results.empty()) {
    skip("ONNX's operator tests are not installed");
    return;
  }
  CHECK(passed >= (set.newest ? 1500 : 700));
  if (!set.newest) {
    WARN("tests of ONNX " << set.version
                          << "; docs/reference/operators.md is generated from newer ones; run script/bootstrap");
    return;
  }

  const std::string table = operator_table(results, set.version);
  const auto path = std::filesystem::path(NESTRT_SOURCE_DIR) / "docs/reference/operators.md";
  if (std::getenv("NESTRT_WRITE_OPERATORS") != nullptr) std::ofstream(path, std::ios::binary) << table;
  // Not CHECK(read(path) == table), which would print both files.
  const bool current = read(path) == table;
  INFO("docs/reference/operators.md is stale: run script/reports/operators-table");
  CHECK(current);
}

}  // namespace
}  // namespace nestrt::test
