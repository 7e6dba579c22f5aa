// SPDX-License-Identifier: Apache-2.0
// Returns the error messages of rejected models.
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "test/compiler-lite/import/model_builder.h"

namespace nestrt::test {

// Fails the test if the model is imported.
inline std::string message_of(const ModelBuilder& model, const compiler::ImportOptions& options = {}) {
  const auto graph = model.import(options);
  REQUIRE(!graph);
  return graph.error().to_string();
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace nestrt::test
