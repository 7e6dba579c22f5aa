// SPDX-License-Identifier: Apache-2.0
// Parses a calibration profile. If accepted, it must be written and read back as the same text.
#include "compiler-lite/quantize/profile_yaml.h"
#include "test/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace nestrt;
  const auto profile = compiler::parse_profile(std::string(reinterpret_cast<const char*>(data), size), "input");
  if (!profile) return 0;
  const std::string text = compiler::format_profile(*profile);
  const auto again = compiler::parse_profile(text, "output");
  test::expect(again.has_value(), "a written profile is rejected");
  test::expect(compiler::format_profile(*again) == text, "a profile changes when it is written and read");
  return 0;
}
