// SPDX-License-Identifier: Apache-2.0
// ZipWriter: writes archives of uncompressed files, such as NumPy's .npz. The bytes depend only on the entries: every
// entry has the same date.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nestrt/result.h"

namespace nestrt::tools {

class ZipWriter {
 public:
  // Errors: kIo.
  static Result<ZipWriter> create(const std::string& path);

  // Starts an entry; append() adds its bytes. Errors: kInvalidArgument if the name is too long or there are too many
  // entries.
  Status begin(std::string_view name);
  // Returns the offset of the next byte in the archive.
  uint64_t position() const { return position_; }
  // Errors: kUnsupported if the archive exceeds 4 GiB, the limit of the format without extensions.
  Status append(std::span<const std::byte> bytes);
  // Completes the archive. Errors: kIo.
  Status finish();

 private:
  struct Entry {
    std::string name;
    uint32_t offset = 0;  // of its header
    uint32_t crc = 0;
    uint32_t size = 0;
  };

  ZipWriter(std::string path, std::ofstream file) : path_(std::move(path)), file_(std::move(file)) {}
  void write(const std::string& text);
  void end_entry();

  std::string path_;
  std::ofstream file_;
  uint64_t position_ = 0;
  std::vector<Entry> entries_;
  bool is_open_ = false;  // the last entry
};

}  // namespace nestrt::tools
