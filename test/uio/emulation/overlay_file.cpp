// SPDX-License-Identifier: Apache-2.0
#include "test/uio/emulation/overlay_file.h"

#include <cstdint>

namespace nestrt::boards {
namespace {

constexpr uint32_t kHeaderBytes = 40;
constexpr std::string_view kStrings("target\0firmware-name\0", 21);
constexpr uint32_t kTarget = 0, kFirmwareName = 7;

std::string cell(uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

std::string padded(std::string bytes) {
  while (bytes.size() % 4 != 0) bytes += '\0';
  return bytes;
}

std::string node(std::string_view name) { return cell(1) + padded(std::string(name) + '\0'); }

std::string property(uint32_t name, const std::string& value) {
  return cell(3) + cell(static_cast<uint32_t>(value.size())) + cell(name) + padded(value);
}

}  // namespace

std::string make_overlay(std::string_view bitstream) {
  std::string structure = node("") + node("fragment@0") + property(kTarget, cell(UINT32_MAX)) + cell(4);  // FDT_NOP
  structure += node("__overlay__");
  if (!bitstream.empty()) structure += property(kFirmwareName, std::string(bitstream) + '\0');
  structure += cell(2) + cell(2) + cell(2) + cell(9);
  const auto structure_bytes = static_cast<uint32_t>(structure.size());
  const uint32_t strings = kHeaderBytes + structure_bytes;
  const auto strings_bytes = static_cast<uint32_t>(kStrings.size());
  return cell(0xd00dfeed) + cell(strings + strings_bytes) + cell(kHeaderBytes) + cell(strings) + cell(0) + cell(17) +
         cell(16) + cell(0) + cell(strings_bytes) + cell(structure_bytes) + structure + std::string(kStrings);
}

}  // namespace nestrt::boards
