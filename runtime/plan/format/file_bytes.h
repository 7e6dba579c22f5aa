// SPDX-License-Identifier: Apache-2.0
// FileBytes: the bytes of a regular file, mapped read-only or copied.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "nestrt/result.h"

namespace nestrt {

// The bytes stay valid as long as `owner`. Truncating a mapped file ends the process with SIGBUS on the next access;
// replace a plan by renaming a new file over it.
struct FileBytes {
  std::shared_ptr<void> owner;
  std::span<const std::byte> bytes;  // aligned to 64
  bool is_mapped = false;
};

enum class FileAccess { kMap, kCopy };

// Opens a file. Errors: kNotFound, kIo, kInvalidPlan (not a regular file, or empty), kOutOfMemory for copies.
Result<FileBytes> open_file(const std::string& path, FileAccess access);
// Reads an open file, which stays open. Messages do not contain its name.
Result<FileBytes> read_descriptor(int descriptor, FileAccess access);

}  // namespace nestrt
