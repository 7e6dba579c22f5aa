// SPDX-License-Identifier: Apache-2.0
// Parses a NumPy array. If accepted, it must be written and read back unchanged.
#include "test/fuzz/fuzz_input.h"
#include "tools/support/text/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace nestrt;
  const auto array = tools::parse_npy(std::as_bytes(std::span(data, size)), "input");
  if (!array) return 0;
  const auto again = tools::parse_npy(tools::format_npy(array->view()), "output");
  test::expect(again && again->type == array->type && again->shape == array->shape && again->bytes == array->bytes,
               "an array changes when it is written and read");
  return 0;
}
