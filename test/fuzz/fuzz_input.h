// What the fuzz targets share: bytes as values, and the end of a run that shows a defect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace nestrt::test {

// Numbers and ranges taken from the front of some bytes; zeros and nothing once they are used up.
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
  // As many as there are, at most `size`.
  std::span<const std::byte> take_bytes(size_t size);
  bool empty() const { return bytes_.empty(); }

 private:
  std::span<const std::byte> bytes_;
};

// Says what is wrong and aborts, which libFuzzer keeps the input for.
[[noreturn]] void report_defect(std::string_view what);
inline void expect(bool condition, std::string_view what) {
  if (!condition) report_defect(what);
}

// A path for the content of one input, in the folder for temporary files; this process's own.
const std::string& scratch_path();
void write_scratch(std::span<const std::byte> content);

// Every program of a fuzzer: what is wrong with an input is no news.
void silence_log();

}  // namespace nestrt::test
