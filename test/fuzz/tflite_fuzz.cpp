// SPDX-License-Identifier: Apache-2.0
// Imports a TensorFlow Lite model. The importer must reject it, or every pass must work on the resulting graph.
#include <vector>

#include "compiler-lite/import/import_model.h"
#include "test/fuzz/import_fuzz.h"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  nestrt::test::silence_log();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace nestrt;
  const auto bytes = std::as_bytes(std::span(data, size));
  test::expect_rejected_or_optimised(
      compiler::import_tflite(std::vector<std::byte>(bytes.begin(), bytes.end()), test::small_limits()));
  return 0;
}
