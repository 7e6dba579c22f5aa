// Whole files, read with a bound and written so that nothing half-written is ever seen.
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

// Errors: kNotFound, kIo, kInvalidArgument where it is no regular file (a pipe would be waited for) or is longer than
// `max_bytes`.
Result<std::vector<std::byte>> read_file(const std::string& path, uint64_t max_bytes = kMaxFileBytes);

struct FileStart {
  std::vector<std::byte> bytes;
  uint64_t file_bytes = 0;
};
// The first bytes of a file, `max_bytes` at most, and how many it has: to look at before all of it is read. Errors: as
// read_file().
Result<FileStart> read_start(const std::string& path, size_t max_bytes);
// Whether a file's first bytes are those of a plan. Errors: as read_file().
Result<bool> begins_as_plan(const std::string& path);

// The lines of a text, without line ends (LF or CR LF) and without the byte order mark of UTF-8 that editors and
// spreadsheets put first: views into one block, as a file of empty lines has as many as it has bytes.
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
// Errors: those of read_file(). A file that holds a NUL is refused as not being text.
Result<TextLines> read_lines(const std::string& path);

// Whole or not at all (runtime/platform/replace_file.h); where `path` is a link, the file behind it is replaced. What
// exists and is no file, as /dev/stdout or a pipe, is written in place. Errors: kNotFound, kIo, with nothing left
// behind.
Status write_file(const std::string& path, std::span<const std::byte> bytes, mode_t rights = 0666);
Status write_text(const std::string& path, std::string_view text);

// Files that are written together or not at all, each as write_file() does it. Move-only.
class NewFiles {
 public:
  // Writes it, under another name as yet. Errors: as write_file().
  Status add(const std::string& path, std::span<const std::byte> bytes, mode_t rights = 0666);
  Status add_text(const std::string& path, std::string_view text);
  // Renames all that were added, one after the other; those that never are are removed. Errors: kNotFound, kIo, where
  // a folder has changed meanwhile.
  Status take_places();

 private:
  struct Entry {
    std::string path;  // as it was asked for
    NewFile file;
  };
  std::vector<Entry> files_;
};

// What is about to be written: text is of any kind.
enum class Written { kText, kPlan, kModel, kJson, kPage, kArray, kProfile, kCosts, kPartition, kPredictions };

// Errors where write_file(path) would fail for lack of a folder or of a right, or where `path` is empty: to be asked
// before a long computation; and those of check_kind(). Writes nothing.
Status check_writable(const std::string& path, Written what = Written::kText);

// kInvalidArgument where a plan, an ONNX model, an image or a secret key is there, or behind the link that is, and
// something else is written: an option's file was left out, and the next word taken for it; and where anything but text
// is written over what is none of its kind. They are told by their first bytes and the endings of their names.
Status check_kind(const std::string& path, Written what = Written::kText);

// kInvalidArgument where two outputs are one file, however they are spelled. Empty names are none, and devices may be
// written to twice.
Status check_distinct(std::span<const std::string> outputs);

// Whether a file of a folder is a sample by its name, whatever case: .jpg, .jpeg, .png, .bmp or .npy.
bool is_sample_name(const std::filesystem::path& path);

// kInvalidArgument where `output` names the same file as `input`, or as one of several, by whatever path; or a sample
// in the folder `input` or in a folder of it.
Status check_not_input(const std::string& output, const std::string& input);
Status check_not_input(const std::string& output, std::span<const std::string> inputs);

// The same for many inputs, in the order in which they will be read: each path is looked at once, and none behind an
// input that is not there, where reading ends.
Status check_not_inputs(std::span<const std::string> outputs, size_t count,
                        const std::function<std::string(size_t)>& input);

// Makes a folder and its parents; one that exists is fine.
Status make_folder(const std::string& path);

}  // namespace nestrt::tools
