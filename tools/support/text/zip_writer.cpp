// SPDX-License-Identifier: Apache-2.0
#include "tools/support/text/zip_writer.h"

#include <fmt/core.h>

#include <array>

namespace nestrt::tools {
namespace {

constexpr uint64_t kMaxZipBytes = UINT32_MAX;
constexpr size_t kMaxZipEntries = UINT16_MAX - 1, kMaxZipName = UINT16_MAX;
constexpr uint32_t kLocalHeader = 0x04034b50, kCentralHeader = 0x02014b50, kEndOfDirectory = 0x06054b50;
constexpr uint16_t kZipVersion = 20, kUtf8Names = 1 << 11, kFirstDate = (1 << 5) | 1;  // 1980-01-01
constexpr std::streamoff kCrcInHeader = 14;

constexpr std::array<uint32_t, 256> crc_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? 0xedb88320u ^ (crc >> 1) : crc >> 1;
    table[byte] = crc;
  }
  return table;
}
constexpr std::array<uint32_t, 256> kCrcTable = crc_table();

// Continues the CRC-32 of the preceding bytes.
uint32_t extended_crc(uint32_t crc, std::span<const std::byte> bytes) {
  crc = ~crc;
  for (const std::byte byte : bytes) crc = kCrcTable[(crc ^ static_cast<uint8_t>(byte)) & 0xff] ^ (crc >> 8);
  return ~crc;
}

// Little-endian fields of a header.
class ZipFields {
 public:
  ZipFields& u16(uint16_t value) { return put(value, 2); }
  ZipFields& u32(uint32_t value) { return put(value, 4); }
  const std::string& text() const { return text_; }

 private:
  ZipFields& put(uint32_t value, int count) {
    for (int i = 0; i < count; ++i) text_ += static_cast<char>(value >> (8 * i) & 0xff);
    return *this;
  }
  std::string text_;
};

// Adds the fields that both headers of an entry contain.
void add_entry_fields(ZipFields& fields, uint32_t crc, uint32_t size, size_t name_bytes) {
  fields.u16(kZipVersion).u16(kUtf8Names).u16(0).u16(0).u16(kFirstDate);
  fields.u32(crc).u32(size).u32(size).u16(static_cast<uint16_t>(name_bytes)).u16(0);
}

Status too_large(const std::string& path) {
  return Status(Code::kUnsupported, fmt::format("'{}' would exceed 4 GiB, the limit of its format", path));
}

}  // namespace

Result<ZipWriter> ZipWriter::create(const std::string& path) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (!file) return Status(Code::kIo, fmt::format("cannot create '{}'", path));
  return ZipWriter(path, std::move(file));
}

void ZipWriter::write(const std::string& text) {
  file_.write(text.data(), static_cast<std::streamsize>(text.size()));
  position_ += text.size();
}

Status ZipWriter::begin(std::string_view name) {
  end_entry();
  if (name.size() > kMaxZipName || entries_.size() >= kMaxZipEntries)
    return Status(Code::kInvalidArgument,
                  fmt::format("'{}': an entry's name is too long, or there are too many entries", path_));
  if (position_ > kMaxZipBytes) return too_large(path_);
  entries_.push_back({std::string(name), static_cast<uint32_t>(position_), 0, 0});
  is_open_ = true;
  ZipFields fields;
  fields.u32(kLocalHeader);
  add_entry_fields(fields, 0, 0, name.size());
  write(fields.text() + entries_.back().name);
  return {};
}

Status ZipWriter::append(std::span<const std::byte> bytes) {
  if (position_ + bytes.size() > kMaxZipBytes) return too_large(path_);
  Entry& entry = entries_.back();
  entry.crc = extended_crc(entry.crc, bytes);
  entry.size += static_cast<uint32_t>(bytes.size());
  file_.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  position_ += bytes.size();
  return {};
}

// Completes the header, which precedes the bytes that it describes.
void ZipWriter::end_entry() {
  if (!is_open_) return;
  const Entry& entry = entries_.back();
  const std::string fields = ZipFields().u32(entry.crc).u32(entry.size).u32(entry.size).text();
  file_.seekp(static_cast<std::streamoff>(entry.offset) + kCrcInHeader);
  file_.write(fields.data(), static_cast<std::streamsize>(fields.size()));
  file_.seekp(static_cast<std::streamoff>(position_));
  is_open_ = false;
}

Status ZipWriter::finish() {
  end_entry();
  const uint64_t start = position_;
  for (const Entry& entry : entries_) {
    ZipFields fields;
    fields.u32(kCentralHeader).u16(kZipVersion);
    add_entry_fields(fields, entry.crc, entry.size, entry.name.size());
    fields.u16(0).u16(0).u16(0).u32(0).u32(entry.offset);
    write(fields.text() + entry.name);
  }
  if (position_ > kMaxZipBytes) return too_large(path_);
  const auto count = static_cast<uint16_t>(entries_.size());
  const auto directory_bytes = static_cast<uint32_t>(position_ - start);
  write(ZipFields()
            .u32(kEndOfDirectory)
            .u16(0)
            .u16(0)
            .u16(count)
            .u16(count)
            .u32(directory_bytes)
            .u32(static_cast<uint32_t>(start))
            .u16(0)
            .text());
  file_.close();
  return file_ ? Status() : Status(Code::kIo, fmt::format("cannot write '{}'", path_));
}

}  // namespace nestrt::tools
