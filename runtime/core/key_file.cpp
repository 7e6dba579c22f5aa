// SPDX-License-Identifier: Apache-2.0
#include "runtime/core/key_file.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>

#include "runtime/platform/file_descriptor.h"
#include "runtime/text/hexadecimal.h"

namespace nestrt {
namespace {

constexpr size_t kMaxBytes = 4096;  // per file; longer files are not key files

}  // namespace

Status read_key_file(const std::string& path, std::string_view kind, std::span<uint8_t> key) {
  const auto failure = [&](std::string_view action) {
    return Status(errno == ENOENT ? Code::kNotFound : Code::kIo,
                  fmt::format("cannot {} '{}': {}", action, path, std::strerror(errno)));
  };
  const FileDescriptor file = FileDescriptor::open_to_read(path, 0);  // keys may come through a pipe
  if (!file.is_open()) return failure("open");
  std::string text(kMaxBytes, '\0');
  const std::optional<size_t> count = read_on(file.value(), std::as_writable_bytes(std::span(text)));
  if (!count) return failure("read");
  text.resize(*count);
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = std::string_view(text).substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    const bool is_key = line.starts_with(kind) && line.size() > kind.size() && line[kind.size()] == ' ';
    if (is_key && from_hexadecimal(line.substr(kind.size() + 1), key)) return {};
    at = end + 1;
  }
  return Status(Code::kInvalidArgument,
                fmt::format("'{}' has no line '{}' with {} hexadecimal digits; create one with nestc keygen", path,
                            kind, 2 * key.size()));
}

}  // namespace nestrt
