// SPDX-License-Identifier: Apache-2.0
#include "tools/support/text/table.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace nestrt::tools {
namespace {

std::string format_scaled(double value, const std::array<std::string_view, 5>& units) {
  size_t unit = 0;
  while (unit + 1 < units.size() && value >= 999.95) {
    value /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f}{}", value, units[0]) : fmt::format("{:.1f}{}", value, units[unit]);
}

}  // namespace

void Table::add_row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::to_string() const {
  std::vector<size_t> widths;
  for (size_t c = 0; c < columns_.size(); ++c) {
    widths.push_back(display_width(columns_[c].title));
    for (const auto& row : rows_) widths[c] = std::max(widths[c], display_width(row[c]));
  }
  std::string text;
  const auto append_line = [&](auto&& cell_of, char fill) {
    std::string line;
    for (size_t c = 0; c < columns_.size(); ++c) {
      const std::string cell = cell_of(c);
      const std::string padding(widths[c] - display_width(cell), fill);
      if (c > 0) line += "  ";
      line += columns_[c].align == Align::kRight ? padding + cell : cell + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  if (std::any_of(columns_.begin(), columns_.end(), [](const Column& column) { return !column.title.empty(); })) {
    append_line([&](size_t c) { return columns_[c].title; }, ' ');
    append_line([](size_t) { return std::string(); }, '-');
  }
  for (const auto& row : rows_) append_line([&](size_t c) { return row[c]; }, ' ');
  return text;
}

std::string format_bytes(uint64_t bytes) {
  return format_scaled(static_cast<double>(bytes), {" B", " KB", " MB", " GB", " TB"});
}

std::string format_count(double count, std::string_view unit) {
  return format_scaled(count, {" ", " k", " M", " G", " T"}).append(unit);
}

std::string format_ms(double milliseconds) {
  const int digits = milliseconds < 10 ? 3 : milliseconds < 1000 ? 1 : 0;
  return fmt::format("{:.{}f} ms", milliseconds, digits);
}

}  // namespace nestrt::tools
