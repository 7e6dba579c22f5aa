// SPDX-License-Identifier: Apache-2.0
// Page: the results of a command as one self-contained HTML file with tables and figures that support the keyboard.
// Figures are values here; page/page.js draws them.
//
// Names may come from a model: they are escaped by printable() and inserted as text, never as markup.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "nestrt/status.h"
#include "tools/support/report/chrome_trace.h"
#include "tools/support/text/cli.h"
#include "tools/support/text/json.h"
#include "tools/support/text/table.h"

namespace nestrt::tools {

// Details of a selected item, in display order.
using PageDetails = std::vector<std::pair<std::string, std::string>>;

struct PageBar {
  std::string name;
  double value = 0;   // bar length
  std::string group;  // determines the colour
  PageDetails details;
};

// An operator or a slice of one in the roofline model (Williams, Waterman, Patterson: Roofline, CACM 52(4), 2009).
struct PagePoint {
  std::string name;
  double intensity = 0;  // multiply-accumulates per byte
  double rate = 0;       // multiply-accumulates per second
  double share = 0;      // fraction of the total time, 0..1
  std::string group;
};

struct PageNode {
  std::string name;
  std::string kind;
  std::string shape;
  std::string group;
  PageDetails details;
};

// An edge from a node to a later one.
struct PageEdge {
  uint32_t from = 0;
  uint32_t to = 0;
};

struct PageBlock {
  std::string name;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  uint32_t first = 0;  // operators, inclusive
  uint32_t last = 0;
  std::string group;
};

class Page {
 public:
  Page(std::string title, std::string subtitle) : title_(std::move(title)), subtitle_(std::move(subtitle)) {}

  // Figures appear in the order of these calls. `note` is a caption and may be empty.
  void add_facts(const std::string& title, const PageDetails& facts);
  void add_table(const std::string& title, const Table& table, const std::string& note = "");
  void add_timeline(const std::string& title, const ChromeTrace& trace, const std::string& note = "");
  // Adds nothing if there are no bars or points.
  void add_bars(const std::string& title, const std::string& unit, const std::vector<PageBar>& bars,
                const std::string& note = "");
  // The roof is the highest rate and the highest bandwidth of any point.
  void add_roofline(const std::string& title, const std::vector<PagePoint>& points, const std::string& note = "");
  // Requires edges between existing nodes.
  void add_graph(const std::string& title, const std::vector<PageNode>& nodes, const std::vector<PageEdge>& edges,
                 const std::string& note = "");
  // Adds a memory map for `operators` operators and an arena of `bytes` bytes.
  void add_memory(const std::string& title, const std::vector<PageBlock>& blocks, uint32_t operators, uint64_t bytes,
                  const std::string& note = "");

  std::string to_html() const;

 private:
  void add(const char* kind, const std::string& title, const std::string& note, Json figure);

  std::string title_, subtitle_;
  Json figures_ = Json::array();
};

// Returns the last component of a path, for titles.
std::string file_name(const std::string& path);

// Adds the option --html.
Option add_html_option(Command command, std::string& path);

// Writes through a temporary file.
Status write_page(const std::string& path, const Page& page);

}  // namespace nestrt::tools
