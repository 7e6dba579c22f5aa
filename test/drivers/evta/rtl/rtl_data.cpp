// SPDX-License-Identifier: Apache-2.0
#include "test/drivers/evta/rtl/rtl_data.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <sstream>

#include "test/support/shared_data.h"

namespace nestrt::evta::test {
namespace {

std::vector<std::string> columns_of(const std::string& line) {
  std::vector<std::string> columns;
  std::istringstream text(line);
  for (std::string column; std::getline(text, column, '\t');) columns.push_back(column);
  return columns;
}

std::vector<VectorCase> cases_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> contents{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  auto cases = parse_vectors(std::as_bytes(std::span(contents)));
  REQUIRE(cases);
  return std::move(*cases);
}

}  // namespace

std::optional<std::vector<RtlVector>> rtl_vectors(const std::string& name) {
  const auto programs = nestrt::test::shared_data("rtl/" + name + ".bin");
  const auto table = nestrt::test::shared_data("rtl/" + name + ".tsv");
  if (!programs || !table) return std::nullopt;
  std::ifstream lines(*table);
  std::string line;
  std::getline(lines, line);
  const std::vector<std::string> names = columns_of(line);
  std::vector<RtlVector> vectors;
  for (VectorCase& program : cases_of(*programs)) {
    REQUIRE(std::getline(lines, line));
    const std::vector<std::string> columns = columns_of(line);
    REQUIRE(columns.size() == names.size());
    REQUIRE(columns[0] == program.name);
    RtlVector vector{std::move(program), {}};
    for (size_t i = 1; i < columns.size(); ++i) vector.measured[names[i]] = std::stoull(columns[i]);
    vectors.push_back(std::move(vector));
  }
  return vectors;
}

}  // namespace nestrt::evta::test
