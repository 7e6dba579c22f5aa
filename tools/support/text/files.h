// SPDX-License-Identifier: Apache-2.0
// Reads whole files up to a limit and writes them atomically.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nestrt/result.h"
#include "runtime/platform/replace_file.h"

namespace nestrt::tools {

inline constexpr uint64_t kMaxFileBytes = uint64_t{4} << 30;

// Errors: kNotFound, kIo, kInvalidArgument if it is not a regular file (reading a pipe would block) or exceeds
// `max_bytes`.
Result<std::vector<std::byte>> read_file(const std::string& path, uint64_t max_bytes = kMaxFileBytes);

struct FileStart {
  std::vector<std::byte> bytes;
  uint64_t file_bytes = 0;
};
// Returns at most the first `max_bytes` bytes of a file and its size, for inspection before reading all of it. Errors:
// those of read_file().
Result<FileStart> read_start(const std::string& path, size_t max_bytes);
// Returns whether a file starts as a plan. Errors: those of read_file().
Result<bool> begins_as_plan(const std::string& path);

// The lines of a text without newlines (LF or CR LF) and without the UTF-8 byte order mark that some editors and
// spreadsheets add. Lines are views into one block, as a file may consist of empty lines.
class TextLines {
 public:
  TextLines() = default;
  explicit TextLines(std::vector<std::byte> text);
  TextLines(TextLines&&) = default;
  TextLines& operator=(TextLines&&) = default;

  const std::vector<std::string_view>& lines() const { return lines_; }
  void pop_back() { lines_.pop_back(); }

 private:
  std::vector<std::byte> text_;
  std::vector<std::string_view> lines_;
};
// Errors: those of read_file(). Rejects a file that contains NUL, as it is not text.
Result<TextLines> read_lines(const std::string& path);

// Writes a file atomically (runtime/platform/replace_file.h). If `path` is a link, replaces its target. Writes directly
// to an existing non-file, such as /dev/stdout or a pipe. Errors: kNotFound, kIo; then no partial file remains.
Status write_file(const std::string& path, std::span<const std::byte> bytes, mode_t rights = 0666);
Status write_text(const std::string& path, std::string_view text);

// Files that are written together or not at all, each as by write_file(). Move-only.
class NewFiles {
 public:
  // Writes the file under a temporary name. Errors: those of write_file().
  Status add(const std::string& path, std::span<const std::byte> bytes, mode_t rights = 0666);
  Status add_text(const std::string& path, std::string_view text);
  // Renames all added files; files that are not renamed are removed on destruction. Errors: kNotFound and kIo if a
  // folder has changed in the meantime.
  Status take_places();

 private:
  struct Entry {
    std::string path;  // as given by the caller
    NewFile file;
  };
  std::vector<Entry> files_;
};

// The kind of file to write; kText may be any kind.
enum class Written { kText, kPlan, kModel, kJson, kPage, kArray, kProfile, kCosts, kPartition, kPredictions };

// Checks before a long computation whether write_file(path) would fail because of a missing folder, missing permission
// or an empty `path`; also check_kind(). Writes nothing.
Status check_writable(const std::string& path, Written what = Written::kText);

// Errors: kInvalidArgument if the path, or the target of its link, is a plan, ONNX model, image or secret key and
// another kind is written; this usually means that the file of an option is missing and the next word was used. Also if
// anything except text would overwrite a file of another kind. The kind is determined by the first bytes and the
// extension.
Status check_kind(const std::string& path, Written what = Written::kText);

// Errors: kInvalidArgument if two outputs are the same file under any spelling. Empty names are ignored, and devices
// may repeat.
Status check_distinct(std::span<const std::string> outputs);

// Returns whether a name has a sample extension in any case: .jpg, .jpeg, .png, .bmp or .npy.
bool is_sample_name(const std::filesystem::path& path);

// Errors: kInvalidArgument if `output` is the same file as an input under any path, or a sample in the input folder or
// one of its subfolders.
Status check_not_input(const std::string& output, const std::string& input);
Status check_not_input(const std::string& output, std::span<const std::string> inputs);

// Checks many inputs in the order in which they will be read. Looks up each path once and stops at the first missing
// input, where reading ends.
Status check_not_inputs(std::span<const std::string> outputs, size_t count,
                        const std::function<std::string(size_t)>& input);

// Creates a folder and its parents; existing ones are accepted.
Status make_folder(const std::string& path);

}  // namespace nestrt::tools
