// SPDX-License-Identifier: Apache-2.0
// Imports an ONNX model. The importer must reject it, or every pass must work on the resulting graph.
#include "test/fuzz/import_fuzz.h"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  nestrt::test::silence_log();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace nestrt;
  test::expect_rejected_or_optimised(compiler::import_onnx(std::as_bytes(std::span(data, size)), test::small_limits()));
  return 0;
}
