#include "tools/common/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace nestrt::tools {
namespace {

constexpr size_t kMaxNameCharacters = 120;
constexpr size_t kMaxMessageCharacters = 16'000;

// One character of UTF-8, or one byte that belongs to none.
struct Character {
  size_t bytes = 1;
  uint32_t code = 0;
  bool valid = false;
};

// Requires: text is not empty.
Character first_character(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {1, lead, true};
  const size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || bytes > text.size()) return {};
  uint32_t code = lead & (0x7fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (code < kLeast[bytes] || code > 0x10ffff || surrogate) return {};
  return {bytes, code, true};
}

bool is_visible(uint32_t code) {
  struct Range {
    uint32_t first, last;
  };
  // Controls, zero-width and bidirectional marks, line separators, tags.
  constexpr Range kHidden[] = {{0x00, 0x1f},     {0x7f, 0x9f},      {0xad, 0xad},     {0x61c, 0x61c},
                               {0x200b, 0x200f}, {0x2028, 0x202e},  {0x2060, 0x206f}, {0xfeff, 0xfeff},
                               {0xfff9, 0xfffb}, {0xe0000, 0xe0fff}};
  return std::none_of(std::begin(kHidden), std::end(kHidden),
                      [code](const Range& range) { return code >= range.first && code <= range.last; });
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
    else
      result += fmt::format("\\u{:04x}", character.code);
    text.remove_prefix(character.bytes);
  }
}

size_t count_characters(std::string_view text) {
  size_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(first_character(text).bytes);
  return count;
}

// The byte at which character `index` starts.
size_t start_of(std::string_view text, size_t index) {
  size_t at = 0;
  for (; index > 0; --index) at += first_character(text.substr(at)).bytes;
  return at;
}

// Two thirds of what is kept come from the beginning.
void append_shortened(std::string& result, std::string_view text, size_t most) {
  const size_t count = count_characters(text);
  if (count <= most) return append_escaped(result, text);
  append_escaped(result, text.substr(0, start_of(text, most * 2 / 3)));
  result += "...";
  append_escaped(result, text.substr(start_of(text, count - most / 3)));
}

// A quotation starts after a space, a bracket or at the beginning, so that an apostrophe does not.
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

std::string printable_message(std::string_view message) {
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
