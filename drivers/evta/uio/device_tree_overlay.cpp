// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/uio/device_tree_overlay.h"

#include <cstdint>
#include <optional>

namespace nestrt::evta {
namespace {

constexpr uint32_t kMagic = 0xd00dfeed;
// Offsets of numbers in the header.
constexpr size_t kStructureOffset = 8, kStringsOffset = 12;
constexpr uint32_t kBeginNode = 1, kEndNode = 2, kProperty = 3, kNop = 4;
constexpr size_t kCellBytes = 4;

// Reads big-endian numbers and texts from the start of a range. Each function returns nullopt at its end.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  std::optional<uint32_t> number() {
    const std::optional<std::string_view> cell = take(kCellBytes);
    if (!cell) return std::nullopt;
    uint32_t value = 0;
    for (const char byte : *cell) value = value << 8 | static_cast<unsigned char>(byte);
    return value;
  }
  // Takes bytes and the padding after them.
  std::optional<std::string_view> take_padded(size_t size) {
    const std::optional<std::string_view> taken = take(size);
    const size_t padding = (kCellBytes - size % kCellBytes) % kCellBytes;
    if (taken && padding != 0 && !take(padding)) return std::nullopt;
    return taken;
  }
  std::optional<std::string_view> take_name() {
    const size_t size = bytes_.find('\0');
    return size == std::string_view::npos ? std::nullopt : take_padded(size + 1);
  }

 private:
  std::optional<std::string_view> take(size_t size) {
    if (size > bytes_.size()) return std::nullopt;
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

  std::string_view bytes_;
};

std::string_view text_at(std::string_view bytes, size_t offset) {
  if (offset >= bytes.size()) return {};
  const std::string_view rest = bytes.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

std::string_view part_at(std::string_view bytes, size_t offset_in_header) {
  const std::optional<uint32_t> offset = Reader(bytes.substr(offset_in_header)).number();
  return offset && *offset < bytes.size() ? bytes.substr(*offset) : std::string_view();
}

// Returns an empty text if the structure ends or is damaged before the property.
std::string_view find_property(Reader structure, std::string_view strings, std::string_view name) {
  while (const std::optional<uint32_t> token = structure.number()) {
    if (*token == kNop || *token == kEndNode) continue;
    if (*token == kBeginNode) {
      if (!structure.take_name()) return {};
      continue;
    }
    if (*token != kProperty) return {};
    const std::optional<uint32_t> size = structure.number(), name_offset = structure.number();
    const std::optional<std::string_view> value = size ? structure.take_padded(*size) : std::nullopt;
    if (!name_offset || !value) return {};
    if (text_at(strings, *name_offset) == name) return text_at(*value, 0);
  }
  return {};
}

}  // namespace

Result<std::string> bitstream_of_overlay(std::string_view bytes) {
  if (Reader(bytes).number() != kMagic || bytes.size() < kStringsOffset + kCellBytes)
    return Status(Code::kInvalidArgument,
                  "the overlay is not a compiled device tree: compile it with `dtc -@ -O dtb -o evta.dtbo evta.dtso`");
  const Reader structure(part_at(bytes, kStructureOffset));
  return std::string(find_property(structure, part_at(bytes, kStringsOffset), "firmware-name"));
}

}  // namespace nestrt::evta
