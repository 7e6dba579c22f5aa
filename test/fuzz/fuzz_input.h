// SPDX-License-Identifier: Apache-2.0
// Shared code of the fuzz targets: bytes as values, and reporting of defects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace nestrt::test {

// Numbers and ranges from the front of a byte span; zeros and empty ranges after its end.
class FuzzInput {
 public:
  explicit FuzzInput(std::span<const std::byte> bytes) : bytes_(bytes) {}
  FuzzInput(const uint8_t* data, size_t size) : bytes_(std::as_bytes(std::span(data, size))) {}

  template <typename T>
  requires std::is_trivially_copyable_v<T> T take() {
    T value{};
    const auto part = take_bytes(sizeof value);
    if (!part.empty()) std::memcpy(&value, part.data(), part.size());
    return value;
  }
  // Returns up to `size` bytes, fewer at the end.
  std::span<const std::byte> take_bytes(size_t size);
  bool empty() const { return bytes_.empty(); }

 private:
  std::span<const std::byte> bytes_;
};

// Prints the defect and aborts, so that libFuzzer saves the input.
[[noreturn]] void report_defect(std::string_view what);
inline void expect(bool condition, std::string_view what) {
  if (!condition) report_defect(what);
}

// Returns a path for the content of one input, in the folder for temporary files, unique to this process.
const std::string& scratch_path();
void write_scratch(std::span<const std::byte> content);

// Disables logging. Every fuzzer calls it, because errors in inputs are expected.
void silence_log();

}  // namespace nestrt::test
