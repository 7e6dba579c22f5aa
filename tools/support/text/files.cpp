// SPDX-License-Identifier: Apache-2.0
#include "tools/support/text/files.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "runtime/core/key_file.h"
#include "runtime/plan/format/format.h"
#include "runtime/platform/file_descriptor.h"

namespace nestrt::tools {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxTextBytes = uint64_t{64} << 20;
constexpr size_t kChunkBytes = size_t{1} << 20;

Status io_error(std::string_view what, const std::string& path, int error) {
  const Code code = error == ENOENT ? Code::kNotFound : Code::kIo;
  return Status(code, fmt::format("cannot {} '{}': {}", what, path, std::strerror(error)));
}

Status refuse_length(const std::string& path, uint64_t max_bytes) {
  return Status(Code::kInvalidArgument, fmt::format("'{}' is larger than the limit of {} bytes", path, max_bytes));
}

Result<FileDescriptor> open_regular(const std::string& path, uint64_t* size) {
  FileDescriptor file = FileDescriptor::open_to_read(path);
  struct stat info {};
  if (!file.is_open()) return io_error("open", path, errno);
  if (::fstat(file.value(), &info) != 0) return io_error("examine", path, errno);
  if (!S_ISREG(info.st_mode)) return Status(Code::kInvalidArgument, fmt::format("'{}' is not a regular file", path));
  *size = static_cast<uint64_t>(info.st_size);
  return file;
}

Status cannot_write(const std::string& path, const Status& why) {
  return Status(why.code(), fmt::format("cannot write '{}': {}", path, why.message()));
}

Status write_in_place(const std::string& path, std::span<const std::byte> bytes) {
  FileDescriptor file = FileDescriptor::open_to_write(path, O_TRUNC, 0666);
  if (!file.is_open()) return io_error("write", path, errno);
  int error = write_all(file.value(), bytes);
  if (error == 0) error = file.close();
  return error == 0 ? Status() : io_error("write", path, error);
}

Status refuse_overwriting(const std::string& output, const std::string& input) {
  return Status(Code::kInvalidArgument,
                fmt::format("'{}' would overwrite the input '{}'; name another file", output, input));
}

using FileIdentity = std::pair<dev_t, ino_t>;

std::optional<FileIdentity> identity_of(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return FileIdentity(info.st_dev, info.st_ino);
}

enum class FileKind { kOther, kPlan, kModel, kImage, kSecretKey };

// Determines the kind by the first bytes of a file or by its extension.
FileKind kind_of(const fs::path& file) {
  if (const auto is_plan = begins_as_plan(file.string()); is_plan && *is_plan) return FileKind::kPlan;
  const auto start = read_start(file.string(), kSecretKey.size());
  const std::string_view bytes =
      start ? std::string_view(reinterpret_cast<const char*>(start->bytes.data()), start->bytes.size()) : "";
  if (bytes.starts_with(kSecretKey)) return FileKind::kSecretKey;
  // An ONNX model starts with its format version, a field of one byte. Text does not start with these bytes.
  constexpr char kVersionField = 8, kMaxVersion = 31;
  const bool begins_as_model = bytes.size() > 1 && bytes[0] == kVersionField && bytes[1] > 0 && bytes[1] <= kMaxVersion;
  if (begins_as_model || file.extension() == ".onnx") return FileKind::kModel;
  const bool begins_as_image = bytes.starts_with("\x89PNG") || bytes.starts_with("\xff\xd8\xff");
  if (begins_as_image || (is_sample_name(file) && file.extension() != ".npy")) return FileKind::kImage;
  return FileKind::kOther;
}

}  // namespace

Result<std::vector<std::byte>> read_file(const std::string& path, uint64_t max_bytes) {
  uint64_t size = 0;
  NESTRT_ASSIGN_OR_RETURN(const FileDescriptor file, open_regular(path, &size));
  if (size > max_bytes) return refuse_length(path, max_bytes);
  std::vector<std::byte> bytes;
  bytes.reserve(static_cast<size_t>(size) + kChunkBytes);  // growing would double the allocation
  for (;;) {
    const size_t old_size = bytes.size();
    bytes.resize(old_size + kChunkBytes);
    const std::optional<size_t> count = read_at(file.value(), old_size, std::span(bytes).subspan(old_size));
    if (!count) return io_error("read", path, errno);
    bytes.resize(old_size + *count);
    if (bytes.size() > max_bytes) return refuse_length(path, max_bytes);
    if (*count < kChunkBytes) return bytes;
  }
}

Result<FileStart> read_start(const std::string& path, size_t max_bytes) {
  FileStart result;
  NESTRT_ASSIGN_OR_RETURN(const FileDescriptor file, open_regular(path, &result.file_bytes));
  result.bytes.resize(max_bytes);
  const std::optional<size_t> count = read_at(file.value(), 0, result.bytes);
  if (!count) return io_error("read", path, errno);
  result.bytes.resize(*count);
  return result;
}

Result<bool> begins_as_plan(const std::string& path) {
  NESTRT_ASSIGN_OR_RETURN(const FileStart start, read_start(path, sizeof plan_format::kMagic));
  return start.bytes.size() == sizeof plan_format::kMagic &&
         std::memcmp(start.bytes.data(), plan_format::kMagic, sizeof plan_format::kMagic) == 0;
}

TextLines::TextLines(std::vector<std::byte> text) : text_(std::move(text)) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  std::string_view rest(reinterpret_cast<const char*>(text_.data()), text_.size());
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  const bool ends_open = !rest.empty() && !rest.ends_with('\n');
  lines_.reserve(static_cast<size_t>(std::count(rest.begin(), rest.end(), '\n')) + (ends_open ? 1 : 0));
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines_.push_back(line);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
}

Result<TextLines> read_lines(const std::string& path) {
  NESTRT_ASSIGN_OR_RETURN(std::vector<std::byte> bytes, read_file(path, kMaxTextBytes));
  if (std::find(bytes.begin(), bytes.end(), std::byte{0}) != bytes.end())
    return Status(Code::kInvalidArgument, fmt::format("'{}' is not a text file", path));
  return TextLines(std::move(bytes));
}

Status NewFiles::add(const std::string& path, std::span<const std::byte> bytes, mode_t rights) {
  std::error_code error;
  const auto kind = fs::status(path, error).type();
  if (kind == fs::file_type::none) return io_error("write", path, error.value());
  if (kind == fs::file_type::directory) return io_error("write", path, EISDIR);
  if (kind != fs::file_type::regular && kind != fs::file_type::not_found) return write_in_place(path, bytes);
  error.clear();
  const fs::path behind_links = kind == fs::file_type::regular ? fs::canonical(path, error) : fs::path(path);
  if (error) return io_error("write", path, error.value());
  Result<NewFile> file = NewFile::create(behind_links.string(), bytes, rights);
  if (!file) return cannot_write(path, file.error());
  files_.push_back({path, std::move(*file)});
  return {};
}

Status NewFiles::add_text(const std::string& path, std::string_view text) {
  return add(path, std::as_bytes(std::span(text)));
}

Status NewFiles::take_places() {
  for (Entry& entry : files_)
    if (const Status status = entry.file.commit(); !status.ok()) return cannot_write(entry.path, status);
  files_.clear();
  return {};
}

Status write_file(const std::string& path, std::span<const std::byte> bytes, mode_t rights) {
  NewFiles files;
  NESTRT_RETURN_IF_ERROR(files.add(path, bytes, rights));
  return files.take_places();
}

namespace {

struct Form {
  const char* name;
  std::vector<std::string_view> beginnings;  // alternatives for the first bytes
};

std::optional<Form> form_of(Written what) {
  switch (what) {
    case Written::kJson:
      return Form{"a JSON file", {"{", "["}};
    case Written::kPage:
      return Form{"a web page", {"<!doctype html", "<!DOCTYPE html", "<html"}};
    case Written::kArray:
      return Form{"a NumPy array", {"\x93NUMPY"}};
    case Written::kProfile:
      return Form{"a quantization profile", {"format: nestrt"}};
    case Written::kCosts:
      return Form{"a cost file", {"nestrt costs"}};
    case Written::kPartition:
      return Form{"a partition plan", {"---\nfuncName", "funcName"}};
    case Written::kPredictions:
      return Form{"a prediction list", {"file\t"}};
    case Written::kPlan:
      return Form{"a plan", {}};
    case Written::kModel:
      return Form{"an ONNX model", {}};
    case Written::kText:
      break;
  }
  return std::nullopt;
}

// Checks that an existing file starts like the new one, for formats with fixed first bytes. Always accepts an empty
// file.
Status check_alike(const std::string& path, const fs::path& file, Written what) {
  const std::optional<Form> form = form_of(what);
  if (!form) return {};
  constexpr size_t kMaxBytes = 16;
  const Result<FileStart> start = read_start(file.string(), kMaxBytes);
  if (!start || start->bytes.empty()) return {};
  const std::string_view begin(reinterpret_cast<const char*>(start->bytes.data()), start->bytes.size());
  if (std::ranges::any_of(form->beginnings, [&](std::string_view known) { return begin.starts_with(known); }))
    return {};
  return Status(Code::kInvalidArgument,
                fmt::format("'{}' exists, is not {}, and would be overwritten; name another file, or remove it", path,
                            form->name));
}

}  // namespace

Status check_kind(const std::string& path, Written what) {
  std::error_code error;
  const fs::path file = fs::canonical(path, error);
  if (error || !fs::is_regular_file(file, error)) return {};
  const char* there = nullptr;
  const FileKind kind = kind_of(file);
  if ((kind == FileKind::kPlan && what == Written::kPlan) || (kind == FileKind::kModel && what == Written::kModel))
    return {};
  switch (kind) {
    case FileKind::kOther:
      break;
    case FileKind::kPlan:
      there = "a plan";
      break;
    case FileKind::kModel:
      there = "an ONNX model";
      break;
    case FileKind::kImage:
      there = "an image";
      break;
    case FileKind::kSecretKey:
      there = "a secret key";
      break;
  }
  if (there == nullptr) return check_alike(path, file, what);
  return Status(
      Code::kInvalidArgument,
      fmt::format("'{}' is {} and would be overwritten by another kind of file; name another file", path, there));
}

Status check_distinct(std::span<const std::string> outputs) {
  std::set<fs::path> named;
  for (const std::string& path : outputs) {
    if (path.empty()) continue;
    std::error_code error;
    const fs::path place = fs::weakly_canonical(fs::absolute(path, error), error);
    const bool is_device = fs::is_other(place, error);  // devices may be written repeatedly
    if (is_device || named.insert(place).second) continue;
    return Status(Code::kInvalidArgument, fmt::format("'{}' is specified for two outputs", path));
  }
  return {};
}

Status check_writable(const std::string& path, Written what) {
  if (path.empty()) return Status(Code::kInvalidArgument, "the name of an output file is empty");
  if (path == "-")
    return Status(Code::kInvalidArgument,
                  "'-' is not a file name; standard output is /dev/stdout, and a file with this name is ./-");
  std::error_code error;
  const auto kind = fs::status(path, error).type();
  if (kind == fs::file_type::directory) return io_error("write", path, EISDIR);
  const bool replaced = kind == fs::file_type::regular || kind == fs::file_type::not_found;
  NESTRT_RETURN_IF_ERROR(check_kind(path, what));
  fs::path opened = path;
  if (replaced) {
    // The folder must accept the new file.
    opened = (kind == fs::file_type::regular ? fs::canonical(path, error) : fs::path(path)).parent_path();
    if (opened.empty()) opened = ".";
  }
  if (::access(opened.c_str(), replaced ? W_OK | X_OK : W_OK) != 0) return io_error("write", path, errno);
  return {};
}

// Images and arrays, which commands accept as folders.
bool is_sample_name(const fs::path& path) {
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::string_view kExtensions[] = {".jpg", ".jpeg", ".png", ".bmp", ".npy"};
  return std::ranges::find(kExtensions, extension) != std::end(kExtensions);
}

Status check_not_input(const std::string& output, const std::string& input) {
  std::error_code error;
  if (fs::equivalent(output, input, error) && !error) return refuse_overwriting(output, input);
  const fs::path place = fs::canonical(output, error);
  if (error || !is_sample_name(place)) return {};
  const fs::path folder = place.parent_path();  // or its parent, for a network with several inputs
  for (const fs::path& samples : {folder, folder.parent_path()})
    if (fs::equivalent(samples, input, error) && !error) return refuse_overwriting(output, input);
  return {};
}

Status check_not_input(const std::string& output, std::span<const std::string> inputs) {
  for (const std::string& input : inputs) NESTRT_RETURN_IF_ERROR(check_not_input(output, input));
  return {};
}

Status check_not_inputs(std::span<const std::string> outputs, size_t count,
                        const std::function<std::string(size_t)>& input) {
  std::map<FileIdentity, std::string> written;
  for (const std::string& output : outputs)
    if (const auto identity = identity_of(output)) written.emplace(*identity, output);
  for (size_t i = 0; i < count && !written.empty(); ++i) {
    const std::string path = input(i);
    const auto identity = identity_of(path);
    if (!identity) break;
    const auto found = written.find(*identity);
    if (found != written.end()) return refuse_overwriting(found->second, path);
  }
  return {};
}

Status write_text(const std::string& path, std::string_view text) {
  return write_file(path, std::as_bytes(std::span(text)));
}

Status make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return Status(Code::kIo, fmt::format("cannot create the folder '{}': {}", path, error.message()));
  return {};
}

}  // namespace nestrt::tools
