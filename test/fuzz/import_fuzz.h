// SPDX-License-Identifier: Apache-2.0
// Shared code of the importer fuzzers.
#pragma once

#include "compiler-lite/import/import.h"
#include "compiler-lite/passes/optimise.h"
#include "test/fuzz/fuzz_input.h"

namespace nestrt::test {

// Small limits, so that a run ends soon and can reach each of them.
inline compiler::ImportOptions small_limits() {
  compiler::ImportOptions options;
  options.limits = {.file_bytes = 1 << 16,
                    .nodes = 64,
                    .message_bytes = 1 << 20,
                    .tensor_bytes = 1 << 18,
                    .constant_bytes = 1 << 18,
                    .folded_bytes = 1 << 18,
                    .folding_steps = 1 << 16};
  return options;
}

// Expects that the importer rejected a model with a message, or that every pass works on its graph.
inline void expect_rejected_or_optimised(Result<compiler::Graph> graph) {
  if (!graph) return expect(!graph.error().message().empty(), "an error without a message");
  const Status status = compiler::optimise(*graph);
  expect(status.ok(), status.message());
}

}  // namespace nestrt::test
