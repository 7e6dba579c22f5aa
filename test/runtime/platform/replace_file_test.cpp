// SPDX-License-Identifier: Apache-2.0
#include "runtime/platform/replace_file.h"

#include <sys/resource.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "test/support/process/temporary_folder.h"

namespace nestrt::test {
namespace {

namespace fs = std::filesystem;

Status replace(const std::string& path, std::string_view text) {
  return replace_file(path, std::as_bytes(std::span(text)));
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

size_t files_in(const std::string& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), {}));
}

// Limits the size of files that the process can write, which simulates a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_);
  }

 private:
  void (*signal_)(int);
  rlimit before_{};
};

TEST_CASE("A file is replaced, and no other file remains") {
  const TemporaryFolder folder;
  const std::string path = folder.write_text("file", "before");
  REQUIRE(replace(path, "after").ok());
  CHECK(content(path) == "after");
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("A path that cannot be replaced is kept, and no other file remains") {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() + "/taken");
  CHECK(replace(folder.path() + "/taken", "text").code() == Code::kIo);
  CHECK(replace(folder.path() + "/no/file", "text").code() == Code::kNotFound);
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("A failed write leaves the previous file") {
  const TemporaryFolder folder;
  const std::string path = folder.write_text("file", "before");
  const FileSizeLimit limit(1000);
  CHECK(replace(path, std::string(100000, 'x')).code() == Code::kIo);
  CHECK(content(path) == "before");
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("Links under the temporary file's name are not followed") {
  const TemporaryFolder folder;
  const std::string victim = folder.write_text("victim", "mine"), path = folder.path() + "/file";
  for (int i = 0; i < 64; ++i)  // for any number of files that the process wrote before
    fs::create_symlink(victim, path + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(i));
  REQUIRE(replace(path, "text").ok());
  CHECK(content(path) == "text");
  CHECK_FALSE(fs::is_symlink(path));
  CHECK(content(victim) == "mine");
}

}  // namespace
}  // namespace nestrt::test
