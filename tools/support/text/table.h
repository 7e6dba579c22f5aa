// SPDX-License-Identifier: Apache-2.0
// Text tables with aligned columns, and numbers with readable units.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/support/text/printable.h"  // used for names in cells

namespace nestrt::tools {

enum class Align { kLeft, kRight };

class Table {
 public:
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // Missing cells are empty. Requires: at most as many cells as columns.
  void add_row(std::vector<std::string> cells);
  // Returns titles, a line, and the rows; two spaces separate columns, and lines have no trailing spaces. A table
  // without titles has no header.
  std::string to_string() const;

  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

std::string format_bytes(uint64_t bytes);  // "17 B", "1.2 KB", "4.7 MB": powers of 1000
// "17 MAC", "1.2 kMAC", "349.2 MMAC", "4.1 GMAC/s"
std::string format_count(double count, std::string_view unit);
std::string format_ms(double milliseconds);  // "0.123 ms", "12.3 ms", "1234 ms"

}  // namespace nestrt::tools
