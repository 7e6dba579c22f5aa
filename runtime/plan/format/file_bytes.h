// FileBytes: the bytes of a regular file, mapped read-only or copied.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "nestrt/result.h"

namespace nestrt {

// They live as long as `owner`. Of a mapped file: shortening it ends the process with SIGBUS on the next access;
// replace a plan by renaming a new file over it.
struct FileBytes {
  std::shared_ptr<void> owner;
  std::span<const std::byte> bytes;  // aligned to 64
};

enum class FileAccess { kMap, kCopy };

// Errors: kNotFound, kIo, kInvalidPlan (not a regular file, or empty), kOutOfMemory for copies.
Result<FileBytes> open_file(const std::string& path, FileAccess access);
// The same for a file that is open and stays so; messages do not name it.
Result<FileBytes> read_descriptor(int descriptor, FileAccess access);

}  // namespace nestrt
