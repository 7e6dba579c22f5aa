// MappedFile: the bytes of a regular file, mapped read-only.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "nestrt/result.h"

namespace nestrt {

// The mapping's lifetime is that of `owner`. Shortening the file while it is mapped ends the process with SIGBUS on the
// next access: replace a plan by renaming a new file over it.
struct MappedFile {
  std::shared_ptr<void> owner;
  std::span<const std::byte> bytes;
};

// Errors: kNotFound, kIo, kInvalidPlan (not a regular file, or empty).
Result<MappedFile> map_file(const std::string& path);

}  // namespace nestrt
