// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/board/system_files.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <span>
#include <system_error>

#include "runtime/platform/environment.h"
#include "runtime/platform/file_descriptor.h"

namespace nestrt::evta {
namespace {

// Sorts uio2 before uio10.
bool is_before(const std::string& a, const std::string& b) {
  constexpr std::string_view kDigits = "0123456789";
  const size_t a_end = a.find_last_not_of(kDigits) + 1, b_end = b.find_last_not_of(kDigits) + 1;
  const bool has_same_stem = a.substr(0, a_end) == b.substr(0, b_end);
  return has_same_stem && a.size() != b.size() ? a.size() < b.size() : a < b;
}

}  // namespace

SystemFiles SystemFiles::from_environment() { return SystemFiles(trusted_variable("NESTRT_SYSTEM_ROOT")); }

bool SystemFiles::exists(std::string_view absolute) const {
  std::error_code error;
  return std::filesystem::exists(path(absolute), error);
}

std::optional<std::string> SystemFiles::read_bytes(std::string_view absolute, size_t max_bytes) const {
  const FileDescriptor file = FileDescriptor::open_to_read(path(absolute));
  if (!file.is_open()) return std::nullopt;
  std::string bytes(max_bytes, '\0');
  const std::optional<size_t> size = read_on(file.value(), std::as_writable_bytes(std::span(bytes)));
  if (!size) return std::nullopt;
  bytes.resize(*size);
  return bytes;
}

std::optional<std::string> SystemFiles::read_text(std::string_view absolute) const {
  std::optional<std::string> text = read_bytes(absolute);
  if (text && text->ends_with('\n')) text->pop_back();
  return text;
}

int SystemFiles::write_text(std::string_view absolute, std::string_view text) const {
  const FileDescriptor file(::open(path(absolute).c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.is_open()) return errno;
  const ssize_t written = ::pwrite(file.value(), text.data(), text.size(), 0);
  if (written < 0) return errno;
  return written == static_cast<ssize_t>(text.size()) ? 0 : EIO;
}

std::optional<uint64_t> SystemFiles::read_number(std::string_view absolute) const {
  const std::optional<std::string> text = read_text(absolute);
  if (!text) return std::nullopt;
  const bool is_hexadecimal = text->starts_with("0x");
  const char* const begin = text->data() + (is_hexadecimal ? 2 : 0);
  const char* const end = text->data() + text->size();
  uint64_t value = 0;
  const auto [parsed, error] = std::from_chars(begin, end, value, is_hexadecimal ? 16 : 10);
  return error == std::errc() && parsed == end ? std::optional(value) : std::nullopt;
}

std::vector<std::string> SystemFiles::list(std::string_view absolute) const {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(path(absolute), error))
    names.push_back(entry.path().filename());
  std::ranges::sort(names, is_before);
  return names;
}

}  // namespace nestrt::evta
