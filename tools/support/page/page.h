// Page: what a command has found out as one HTML file that loads nothing: tables and figures for a browser, which can
// be used with a keyboard. Figures are values here; page/page.js draws them.
//
// Names may be those of a model: they are shown as printable() has them, and reach the page as text, never as markup.
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

// Shown with an item that is chosen, in this order.
using PageDetails = std::vector<std::pair<std::string, std::string>>;

struct PageBar {
  std::string name;
  double value = 0;   // its length
  std::string group;  // its colour
  PageDetails details;
};

// An operator, or a part of one, as the roofline model sees it (Williams, Waterman, Patterson: Roofline, CACM 52(4),
// 2009).
struct PagePoint {
  std::string name;
  double intensity = 0;  // multiply-accumulates per byte
  double rate = 0;       // multiply-accumulates per second
  double share = 0;      // of all time, 0..1
  std::string group;
};

struct PageNode {
  std::string name;
  std::string kind;
  std::string shape;
  std::string group;
  PageDetails details;
};

// From a node to one that comes after it.
struct PageEdge {
  uint32_t from = 0;
  uint32_t to = 0;
};

struct PageBlock {
  std::string name;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  uint32_t first = 0;  // operators, both included
  uint32_t last = 0;
  std::string group;
};

class Page {
 public:
  Page(std::string title, std::string subtitle) : title_(std::move(title)), subtitle_(std::move(subtitle)) {}

  // Figures stand in the order in which they come. `note` says what is seen; may be empty.
  void add_facts(const std::string& title, const PageDetails& facts);
  void add_table(const std::string& title, const Table& table, const std::string& note = "");
  void add_timeline(const std::string& title, const ChromeTrace& trace, const std::string& note = "");
  // Nothing where there is no bar, or no point.
  void add_bars(const std::string& title, const std::string& unit, const std::vector<PageBar>& bars,
                const std::string& note = "");
  // Below the highest rate and the most bytes per second that any of the points reaches.
  void add_roofline(const std::string& title, const std::vector<PagePoint>& points, const std::string& note = "");
  // Requires edges between the nodes.
  void add_graph(const std::string& title, const std::vector<PageNode>& nodes, const std::vector<PageEdge>& edges,
                 const std::string& note = "");
  // Of `operators` and an arena of `bytes`.
  void add_memory(const std::string& title, const std::vector<PageBlock>& blocks, uint32_t operators, uint64_t bytes,
                  const std::string& note = "");

  std::string to_html() const;

 private:
  void add(const char* kind, const std::string& title, const std::string& note, Json figure);

  std::string title_, subtitle_;
  Json figures_ = Json::array();
};

// Of a path the last part, as titles have it.
std::string file_name(const std::string& path);

// --html of a command.
Option add_html_option(Command command, std::string& path);

// Written through a temporary file.
Status write_page(const std::string& path, const Page& page);

}  // namespace nestrt::tools
