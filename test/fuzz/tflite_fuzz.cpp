// SPDX-License-Identifier: Apache-2.0
// Imports a TensorFlow Lite model. The importer must reject it, or every pass must work on the resulting graph.
#include <algorithm>
#include <vector>

#include "compiler-lite/import/import_model.h"
#include "compiler-lite/passes/optimise.h"
#include "test/fuzz/fuzz_input.h"

namespace {

// Small, so that a run ends soon and can reach every limit.
constexpr nestrt::compiler::ImportLimits kLimits{.file_bytes = 1 << 16,
                                                 .nodes = 64,
                                                 .tensor_bytes = 1 << 18,
                                                 .constant_bytes = 1 << 18,
                                                 .folded_bytes = 1 << 18,
                                                 .folding_steps = 1 << 16};

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  nestrt::test::silence_log();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace nestrt;
  compiler::ImportOptions options;
  options.limits = kLimits;
  const auto bytes = std::as_bytes(std::span(data, size));
  auto graph = compiler::import_tflite(std::vector<std::byte>(bytes.begin(), bytes.end()), options);
  if (!graph) {
    test::expect(!graph.error().message().empty(), "an error without a message");
    return 0;
  }
  const Status status = compiler::optimise(*graph);
  test::expect(status.ok(), status.message());
  return 0;
}
