// SPDX-License-Identifier: Apache-2.0
#include "tools/support/text/npy.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "tools/support/text/files.h"

namespace nestrt::tools {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr size_t kMaxHeaderBytes = 64 << 10;
constexpr size_t kHeaderAlignment = 64;

struct Description {
  std::string_view descr;
  bool fortran_order = false;
  Shape shape;
};

// Parses the subset of Python dictionary literals that numpy writes as headers.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  // Returns nullopt unless the text is a dictionary with exactly the three keys of Description.
  std::optional<Description> parse() {
    Description result;
    bool has_descr = false, has_order = false, has_shape = false;
    if (!take("{")) return std::nullopt;
    while (!take("}")) {
      const auto key = quoted();
      if (!key || !take(":")) return std::nullopt;
      bool ok = false;
      if (*key == "descr") ok = !std::exchange(has_descr, true) && parse_descr(result);
      if (*key == "fortran_order") ok = !std::exchange(has_order, true) && parse_bool(result.fortran_order);
      if (*key == "shape") ok = !std::exchange(has_shape, true) && parse_shape(result.shape);
      if (!ok) return std::nullopt;
      if (!take(",") && !next_is("}")) return std::nullopt;
    }
    skip_space();
    if (!rest_.empty() || !has_descr || !has_order || !has_shape) return std::nullopt;
    return result;
  }

 private:
  void skip_space() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n' || rest_[0] == '\t')) rest_.remove_prefix(1);
  }
  bool next_is(std::string_view token) {
    skip_space();
    return rest_.starts_with(token);
  }
  bool take(std::string_view token) {
    if (!next_is(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  std::optional<std::string_view> quoted() {
    skip_space();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return std::nullopt;
    const size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view result = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return result;
  }
  bool parse_descr(Description& result) {
    // A structured type is a list; its text is kept for the message.
    if (next_is("[")) {
      const size_t end = rest_.find(']');
      if (end == std::string_view::npos) return false;
      result.descr = rest_.substr(0, end + 1);
      rest_.remove_prefix(end + 1);
      return true;
    }
    const auto text = quoted();
    if (text) result.descr = *text;
    return text.has_value();
  }
  bool parse_bool(bool& result) {
    result = take("True");
    return result || take("False");
  }
  bool parse_shape(Shape& shape) {
    if (!take("(")) return false;
    while (!take(")")) {
      skip_space();
      int64_t dim = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), dim);
      if (error != std::errc() || dim < 0 || shape.rank() == Shape::kMaxRank) return false;
      rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
      shape.push_back(dim);
      if (!take(",") && !next_is(")")) return false;
    }
    return true;
  }

  std::string_view rest_;
};

struct ElementType {
  std::string_view descr;
  DataType type;
  size_t file_bytes;  // size of an element in the file
};
constexpr std::array<ElementType, 7> kElementTypes = {{{"<f4", DataType::kF32, 4},
                                                       {"<f8", DataType::kF32, 8},
                                                       {"|i1", DataType::kS8, 1},
                                                       {"|u1", DataType::kU8, 1},
                                                       {"<i4", DataType::kS32, 4},
                                                       {"<i8", DataType::kS64, 8},
                                                       {"|b1", DataType::kBool, 1}}};

std::string_view descr_of(DataType type) {
  return std::find_if(kElementTypes.begin(), kElementTypes.end(), [&](const ElementType& t) { return t.type == type; })
      ->descr;
}

Status refuse_npy(Code code, std::string_view name, std::string_view why) {
  return Status(code, fmt::format("'{}': {}", name, why));
}

// Returns the header text; nothing if the file is not .npy or ends within its header.
std::optional<std::string_view> header_text(std::string_view content) {
  if (!content.starts_with(kMagic) || content.size() < 10) return std::nullopt;
  const int major = static_cast<unsigned char>(content[6]);
  if (major < 1 || major > 3) return std::nullopt;
  const size_t length_bytes = major == 1 ? 2 : 4;
  if (content.size() < 8 + length_bytes) return std::nullopt;
  size_t length = 0;
  for (size_t i = 0; i < length_bytes; ++i) length |= size_t{static_cast<unsigned char>(content[8 + i])} << (8 * i);
  if (length > kMaxHeaderBytes || length > content.size() - 8 - length_bytes) return std::nullopt;
  return content.substr(8 + length_bytes, length);
}

std::optional<size_t> checked_bytes(const Shape& shape, size_t element_bytes) {
  int64_t bytes = static_cast<int64_t>(element_bytes);
  for (const int64_t dim : shape) {
    if (__builtin_mul_overflow(bytes, dim, &bytes)) return std::nullopt;
  }
  return static_cast<size_t>(bytes);
}

std::vector<std::byte> convert(std::string_view data, const ElementType& element) {
  std::vector<std::byte> bytes(data.size() / element.file_bytes * size_bytes(element.type));
  if (element.descr == "<f8") {
    for (size_t i = 0; i < bytes.size() / sizeof(float); ++i) {
      double wide;
      std::memcpy(&wide, data.data() + i * sizeof(double), sizeof(double));
      const auto narrow = static_cast<float>(wide);
      std::memcpy(bytes.data() + i * sizeof(float), &narrow, sizeof(float));
    }
  } else if (!data.empty()) {
    std::memcpy(bytes.data(), data.data(), data.size());
  }
  if (element.type == DataType::kBool) {
    for (std::byte& value : bytes) value = std::byte{value != std::byte{0}};
  }
  return bytes;
}

struct Header {
  const ElementType* element = nullptr;
  Shape shape;
  size_t bytes = 0;  // before the data
};

// Parses the header and compares it with the size of the file.
Result<Header> read_header(std::string_view text, uint64_t file_bytes, std::string_view name) {
  const auto header = header_text(text);
  if (!header) {
    return refuse_npy(Code::kInvalidArgument, name, "not a .npy file, or truncated; create one with numpy.save");
  }
  const auto description = HeaderParser(*header).parse();
  if (!description) {
    return refuse_npy(
        Code::kInvalidArgument, name,
        fmt::format(
            "malformed .npy header, or more than {} dimensions; write the file again with numpy.save(file, array)",
            Shape::kMaxRank));
  }
  const auto element = std::find_if(kElementTypes.begin(), kElementTypes.end(),
                                    [&](const ElementType& t) { return t.descr == description->descr; });
  if (element == kElementTypes.end()) {
    return refuse_npy(Code::kUnsupported, name,
                      fmt::format("element type {} is not one of f4, f8, i1, u1, i4, i8, b1 (little-endian); "
                                  "save array.astype('<f4') instead",
                                  description->descr));
  }
  if (description->fortran_order) {
    return refuse_npy(Code::kUnsupported, name, "Fortran order; save numpy.ascontiguousarray(array) instead");
  }
  const auto header_bytes = static_cast<size_t>(header->data() + header->size() - text.data());
  const auto expected_bytes = checked_bytes(description->shape, element->file_bytes);
  if (expected_bytes != file_bytes - header_bytes) {
    return refuse_npy(Code::kInvalidArgument, name,
                      fmt::format("shape {} of {} does not match the {} bytes after the header",
                                  description->shape.to_string(), description->descr, file_bytes - header_bytes));
  }
  return Header{element, description->shape, header_bytes};
}

}  // namespace

Result<Array> parse_npy(std::span<const std::byte> content, std::string_view name) {
  const std::string_view text(reinterpret_cast<const char*>(content.data()), content.size());
  NESTRT_ASSIGN_OR_RETURN(const Header header, read_header(text, text.size(), name));
  return Array{header.element->type, header.shape, convert(text.substr(header.bytes), *header.element)};
}

Result<Array> read_npy(const std::string& path) {
  NESTRT_ASSIGN_OR_RETURN(const FileStart start, read_start(path, kMaxHeaderBytes + 12));
  const std::string_view text(reinterpret_cast<const char*>(start.bytes.data()), start.bytes.size());
  NESTRT_RETURN_IF_ERROR(read_header(text, start.file_bytes, path).error());
  NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> content, read_file(path));
  return parse_npy(content, path);
}

std::string npy_header(DataType type, const Shape& shape) {
  std::string dims;
  for (const int64_t dim : shape) dims += fmt::format("{}, ", dim);
  if (shape.rank() > 1) dims.resize(dims.size() - 2);
  if (shape.rank() == 1) dims.pop_back();
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr_of(type), dims);
  const size_t prefix = kMagic.size() + 4;
  const size_t unpadded = prefix + header.size() + 1;
  header.append((kHeaderAlignment - unpadded % kHeaderAlignment) % kHeaderAlignment, ' ');
  header += '\n';
  std::string content(kMagic);
  content += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  return content + header;
}

std::vector<std::byte> format_npy(const ConstTensorView& tensor) {
  const std::string header = npy_header(tensor.type, tensor.shape);
  std::vector<std::byte> bytes(header.size() + tensor.size_bytes());
  std::memcpy(bytes.data(), header.data(), header.size());
  if (tensor.size_bytes() > 0) std::memcpy(bytes.data() + header.size(), tensor.data, tensor.size_bytes());
  return bytes;
}

Status write_npy(const std::string& path, const ConstTensorView& tensor) {
  NESTRT_RETURN_IF_ERROR(check_kind(path, Written::kArray));
  return write_file(path, format_npy(tensor));
}

}  // namespace nestrt::tools
