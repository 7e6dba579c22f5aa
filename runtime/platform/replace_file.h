// replace_file(): a file that is written whole or not at all. NewFile: the same in two steps, for several files that
// are of use together only.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "nestrt/result.h"
#include "nestrt/status.h"

namespace nestrt {

// A file that is complete, and on the disk, beside the place that it is to take; it is removed where it does not. The
// new file is made by this call and no other: nothing that has its name before, a link least of all, is written
// through. It has those of the rights that the process gives to new files. Move-only.
class NewFile {
 public:
  // Errors: kNotFound, kIo, without the path, with nothing left behind.
  static Result<NewFile> create(std::string path, std::span<const std::byte> bytes, mode_t rights = 0666);
  NewFile(NewFile&& other) noexcept : name_(std::exchange(other.name_, std::string())), path_(std::move(other.path_)) {}
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();

  // Renames it: what was there stays until then, and where that fails. Errors: kNotFound, kIo, without the path.
  Status take_place();

 private:
  NewFile(std::string name, std::string path) : name_(std::move(name)), path_(std::move(path)) {}

  std::string name_;  // empty: it has gone to its place
  std::string path_;
};

// NewFile::create() and take_place(). Errors: theirs.
Status replace_file(const std::string& path, std::span<const std::byte> bytes, mode_t rights = 0666);

}  // namespace nestrt
