// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/onnx/external_data.h"

#include <fmt/core.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "runtime/platform/file_descriptor.h"

namespace nestrt::compiler {
namespace {

// Limits on the bytes read from one file. Tensors may share bytes, for example tied weights.
constexpr uint64_t kFreeBytes = 1 << 20, kUsesOfByte = 4;

Status refuse(const ExternalData& data, const std::string& why) {
  return Status(Code::kInvalidModel, fmt::format("external data '{}' {}", data.location, why));
}

// Returns true for a relative path without "..".
bool is_plain_relative(const std::filesystem::path& path) {
  if (path.empty() || path.is_absolute()) return false;
  return std::none_of(path.begin(), path.end(), [](const std::filesystem::path& part) { return part == ".."; });
}

Result<std::filesystem::path> resolve(const std::string& folder, const ExternalData& data) {
  const std::filesystem::path location(data.location);
  if (data.location.find('\0') != std::string::npos || !is_plain_relative(location)) {
    return refuse(data, "must be a path inside the model's folder, without '..'");
  }
  std::error_code failure;
  const auto root = std::filesystem::canonical(folder.empty() ? "." : folder, failure);
  if (failure) return refuse(data, fmt::format("cannot be found: the model's folder: {}", failure.message()));
  const auto file = std::filesystem::canonical(root / location, failure);
  if (failure) return refuse(data, fmt::format("cannot be found: {}; keep it next to the model", failure.message()));
  const auto inside = std::mismatch(root.begin(), root.end(), file.begin(), file.end());
  if (inside.first != root.end()) return refuse(data, "leads outside the model's folder through a link");
  return file;
}

}  // namespace

Result<Bytes> ExternalFiles::read(const ExternalData& data, int64_t expected_bytes) {
  NESTRT_ASSIGN_OR_RETURN(const std::filesystem::path path, resolve(folder_, data));
  // O_NOFOLLOW and the checks on the open file are necessary because the path may change after it is resolved.
  const FileDescriptor file = FileDescriptor::open_to_read(path, O_NONBLOCK | O_NOFOLLOW);
  struct stat info {};
  if (!file.is_open() || ::fstat(file.value(), &info) != 0)
    return refuse(data, fmt::format("cannot be opened: {}", std::strerror(errno)));
  if (!S_ISREG(info.st_mode)) return refuse(data, "is not a regular file");
  if (info.st_nlink > 1) return refuse(data, "has a second name (hard link); copy it next to the model");

  const int64_t size = info.st_size;
  if (data.offset < 0 || data.offset > size) {
    return refuse(data, fmt::format("is {} bytes long, but the tensor starts at offset {}", size, data.offset));
  }
  const int64_t length = data.length.value_or(expected_bytes);
  if (length != expected_bytes || length > size - data.offset) {
    return refuse(data, fmt::format("provides {} bytes at offset {}, but the tensor needs {}",
                                    std::min(length, size - data.offset), data.offset, expected_bytes));
  }
  const auto all = Budget::of_file(kFreeBytes, kUsesOfByte, static_cast<uint64_t>(size));
  Budget& left = left_.try_emplace(path, all).first->second;
  if (!left.charge(static_cast<uint64_t>(length)))
    return refuse(data, fmt::format("is {} bytes long, but tensors read more than {} bytes of it", size, left.limit()));
  Bytes bytes(static_cast<size_t>(length));
  const std::optional<size_t> count = read_at(file.value(), static_cast<uint64_t>(data.offset), bytes);
  if (!count || *count < bytes.size())
    return Status(Code::kIo, fmt::format("external data '{}' cannot be read", data.location));
  return bytes;
}

}  // namespace nestrt::compiler
