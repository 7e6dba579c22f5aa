// SPDX-License-Identifier: Apache-2.0
#include "tools/support/text/printable.h"

#include <fmt/core.h>
#include <utf8proc.h>

namespace nestrt::tools {
namespace {

constexpr size_t kMaxNameCharacters = 120;
constexpr size_t kMaxMessageCharacters = 16'000;

// A UTF-8 character, or a byte that is not part of one.
struct Character {
  size_t bytes = 1;
  utf8proc_int32_t code = 0;
  bool valid = false;
};

// Requires: text is not empty.
Character first_character(std::string_view text) {
  Character result;
  const utf8proc_ssize_t bytes = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                                  static_cast<utf8proc_ssize_t>(text.size()), &result.code);
  if (bytes <= 0) return {};
  return {static_cast<size_t>(bytes), result.code, true};
}

// Ignorable characters are never drawn, in any category: variation selectors, fillers, tags.
bool is_visible(utf8proc_int32_t code) {
  if (utf8proc_get_property(code)->ignorable) return false;
  switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return false;
    default:
      return true;
  }
}

void append_escaped(std::string& result, std::string_view text) {
  while (!text.empty()) {
    const Character character = first_character(text);
    if (character.valid && is_visible(character.code))
      result += text.substr(0, character.bytes);
    else if (text[0] == '\n')
      result += "\\n";
    else if (!character.valid || character.code < 0x80)
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    else if (character.code <= 0xffff)
      result += fmt::format("\\u{:04x}", character.code);
    else
      result += fmt::format("\\U{:08x}", character.code);
    text.remove_prefix(character.bytes);
  }
}

size_t count_characters(std::string_view text) {
  size_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(first_character(text).bytes);
  return count;
}

// Returns the offset of the byte at which character `index` starts.
size_t start_of(std::string_view text, size_t index) {
  size_t at = 0;
  for (; index > 0; --index) at += first_character(text.substr(at)).bytes;
  return at;
}

// Keeps two thirds of the text from its beginning.
void append_shortened(std::string& result, std::string_view text, size_t most) {
  const size_t count = count_characters(text);
  if (count <= most) return append_escaped(result, text);
  append_escaped(result, text.substr(0, start_of(text, most * 2 / 3)));
  result += "...";
  append_escaped(result, text.substr(start_of(text, count - most / 3)));
}

// Returns the position of the next quotation. A quotation starts at the beginning or after a space or bracket; an
// apostrophe does not start one.
size_t find_quotation(std::string_view text) {
  for (size_t at = text.find('\''); at != std::string_view::npos; at = text.find('\'', at + 1))
    if (at == 0 || text[at - 1] == ' ' || text[at - 1] == '(') return at;
  return std::string_view::npos;
}

std::string escaped_line(std::string_view line) {
  std::string result;
  while (!line.empty()) {
    const size_t begin = find_quotation(line);
    const size_t end = begin == std::string_view::npos ? begin : line.find('\'', begin + 1);
    if (end == std::string_view::npos) break;
    append_escaped(result, line.substr(0, begin + 1));
    append_shortened(result, line.substr(begin + 1, end - begin - 1), kMaxNameCharacters);
    result += '\'';
    line.remove_prefix(end + 1);
  }
  append_escaped(result, line);
  return result;
}

}  // namespace

std::string printable(std::string_view name) {
  std::string result;
  append_shortened(result, name, kMaxNameCharacters);
  return result;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    if (static_cast<unsigned char>(text[0]) < 0x80) {  // fast path for ASCII
      text.remove_prefix(1);
      continue;
    }
    const Character character = first_character(text);
    const auto code = static_cast<uint32_t>(character.code);
    if (!character.valid || (code & 0xfffe) == 0xfffe || (code >= 0xfdd0 && code <= 0xfdef)) return false;
    text.remove_prefix(character.bytes);
  }
  return true;
}

size_t display_width(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const Character character = first_character(text);
    width += character.valid ? static_cast<size_t>(utf8proc_charwidth(character.code)) : 1;
    text.remove_prefix(character.bytes);
  }
  return width;
}

std::string printable_message(std::string_view message) {
  message = message.substr(0, message.find_last_not_of('\n') + 1);
  std::string lines;
  for (size_t end = message.find("\n  "); end != std::string_view::npos; end = message.find("\n  ")) {
    lines += escaped_line(message.substr(0, end)) + '\n';
    message.remove_prefix(end + 1);
  }
  lines += escaped_line(message);
  const size_t count = count_characters(lines);
  if (count <= kMaxMessageCharacters) return lines;
  return lines.substr(0, start_of(lines, kMaxMessageCharacters * 2 / 3)) + "..." +
         lines.substr(start_of(lines, count - kMaxMessageCharacters / 3));
}

}  // namespace nestrt::tools
