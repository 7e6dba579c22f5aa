// SPDX-License-Identifier: Apache-2.0
#include "test/repository/language.h"

#include <catch2/catch.hpp>

#include "test/repository/require_none.h"

namespace nestrt::test {
namespace {

TEST_CASE("The repository uses its current terms") {
  require_none(replaced_terms(load_source_tree(NESTRT_SOURCE_DIR)));
}

TEST_CASE("A replaced term is found with its line and its replacement") {
  auto [text, finding] = GENERATE(table<std::string, std::string>({
      {"int x;\n// A unit beside the host.\n", "kernels/a.cpp:2: 'beside'; use: next to; in addition to"},
      {"// Branches run side\n// by side.\n", "kernels/a.cpp:1: 'side by side'; use: concurrently; adjacent"},
      {"error(\"A Picture of 3 channels\");\n", "kernels/a.cpp:1: 'picture'; use: image"},
      {"// All but for the last.\n", "kernels/a.cpp:1: 'but for'; use: except"},
  }));
  CHECK(replaced_terms({{"kernels/a.cpp", text}}) == Findings{finding});
}

TEST_CASE("Longer words and identifiers are not replaced terms") {
  const std::string text =
      GENERATE("// recommended\n", "bool side_by_side;\n", "// Not vectors but for (...) loops.\n");
  CHECK(replaced_terms({{"kernels/a.cpp", text}}).empty());
}

}  // namespace
}  // namespace nestrt::test
