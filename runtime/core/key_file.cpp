#include "runtime/core/key_file.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "runtime/core/hexadecimal.h"

namespace nestrt {
namespace {

constexpr size_t kMaxBytes = 4096;  // of a file; longer ones are no key

}  // namespace

Status read_key_file(const std::string& path, std::string_view kind, std::span<uint8_t> key) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return Status(errno == ENOENT ? Code::kNotFound : Code::kIo,
                  fmt::format("cannot open '{}': {}", path, std::strerror(errno)));
  std::string text(kMaxBytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = std::string_view(text).substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    const bool is_key = line.starts_with(kind) && line.size() > kind.size() && line[kind.size()] == ' ';
    if (is_key && from_hexadecimal(line.substr(kind.size() + 1), key)) return {};
    at = end + 1;
  }
  return Status(Code::kInvalidArgument,
                fmt::format("'{}' has no line '{}' with {} hexadecimal digits; nestc keygen makes such files", path,
                            kind, 2 * key.size()));
}

}  // namespace nestrt
