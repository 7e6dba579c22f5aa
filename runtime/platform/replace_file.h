// SPDX-License-Identifier: Apache-2.0
// replace_file(): writes a file completely or not at all. NewFile: the same in two steps, for several files that are
// only useful together.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "nestrt/result.h"
#include "nestrt/status.h"

namespace nestrt {

// A complete file on the disk, next to its final path; removed unless committed. The file is always newly created: an
// existing file or link with its temporary name is never written to. Its permissions are `rights` without the bits of
// the process's umask. Move-only.
class NewFile {
 public:
  // Leaves no file behind on failure. Errors: kNotFound, kIo; the message does not name the path.
  static Result<NewFile> create(std::string path, std::span<const std::byte> bytes, mode_t rights = 0666);
  NewFile(NewFile&& other) noexcept : name_(std::exchange(other.name_, std::string())), path_(std::move(other.path_)) {}
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();

  // Renames the file to its final path. An existing file is kept until then, and also if renaming fails. Errors:
  // kNotFound, kIo; the message does not name the path.
  Status commit();

 private:
  NewFile(std::string name, std::string path) : name_(std::move(name)), path_(std::move(path)) {}

  std::string name_;  // empty once committed
  std::string path_;
};

// Calls NewFile::create() and commit(). Errors: as for these functions.
Status replace_file(const std::string& path, std::span<const std::byte> bytes, mode_t rights = 0666);

}  // namespace nestrt
