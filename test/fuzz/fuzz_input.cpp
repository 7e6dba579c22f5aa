// SPDX-License-Identifier: Apache-2.0
#include "test/fuzz/fuzz_input.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "nestrt/log.h"

namespace nestrt::test {

std::span<const std::byte> FuzzInput::take_bytes(size_t size) {
  const auto part = bytes_.first(std::min(size, bytes_.size()));
  bytes_ = bytes_.subspan(part.size());
  return part;
}

void report_defect(std::string_view what) {
  std::fprintf(stderr, "fuzz: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

namespace {

struct ScratchFile {
  ScratchFile() : path(std::filesystem::temp_directory_path() / ("nestrt-fuzz-" + std::to_string(::getpid()))) {}
  ~ScratchFile() { ::unlink(path.c_str()); }

  std::string path;
};

}  // namespace

const std::string& scratch_path() {
  static const ScratchFile file;
  return file.path;
}

void write_scratch(std::span<const std::byte> content) {
  std::ofstream file(scratch_path(), std::ios::binary);
  file.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
}

void silence_log() { set_log_level(LogLevel::kOff); }

}  // namespace nestrt::test
