// SPDX-License-Identifier: Apache-2.0
#include "tools/support/page/page.h"

#include <algorithm>
#include <filesystem>

#include "tools/support/page/page_template_generated.h"
#include "tools/support/text/files.h"
#include "tools/support/text/printable.h"

namespace nestrt::tools {
namespace {

Json to_json(const PageDetails& details) {
  Json json;
  for (const auto& [name, value] : details) json.set(printable(name), printable(value));
  return json;
}

// Escapes JSON for use in an HTML element: characters that could end the element become JSON escapes.
std::string inside_markup(const std::string& json) {
  std::string text;
  for (const char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

void Page::add(const char* kind, const std::string& title, const std::string& note, Json figure) {
  figure.set("kind", kind);
  figure.set("title", title);
  figure.set("note", note);
  figures_.push_back(std::move(figure));
}

void Page::add_facts(const std::string& title, const PageDetails& facts) {
  Json rows = Json::array();
  for (const auto& [name, value] : facts) rows.push_back(Json::array(std::vector{printable(name), printable(value)}));
  add("facts", title, "", {{"rows", std::move(rows)}});
}

void Page::add_table(const std::string& title, const Table& table, const std::string& note) {
  Json columns = Json::array(), rows = Json::array();
  for (const Table::Column& column : table.columns())
    columns.push_back({{"title", column.title}, {"right", column.align == Align::kRight}});
  for (const std::vector<std::string>& row : table.rows()) rows.push_back(Json::array(row));
  add("table", title, note, {{"columns", std::move(columns)}, {"rows", std::move(rows)}});
}

void Page::add_timeline(const std::string& title, const ChromeTrace& trace, const std::string& note) {
  Json tracks = Json::array(), spans = Json::array();
  const std::vector<TraceSpan> in_order = trace.in_order();
  if (in_order.empty()) return;
  double origin = in_order.front().start_us;
  for (const TraceSpan& span : in_order) origin = std::min(origin, span.start_us);
  for (const std::string& name : trace.track_names()) tracks.push_back(printable(name));
  for (const TraceSpan& span : in_order) {
    spans.push_back({{"track", span.track},
                     {"name", printable(span.name)},
                     {"category", span.category},
                     {"start", span.start_us - origin},
                     {"end", span.end_us - origin},
                     {"details", span.details}});
  }
  add("timeline", title, note, {{"tracks", std::move(tracks)}, {"spans", std::move(spans)}});
}

void Page::add_bars(const std::string& title, const std::string& unit, const std::vector<PageBar>& bars,
                    const std::string& note) {
  if (bars.empty()) return;
  Json list = Json::array();
  for (const PageBar& bar : bars) {
    list.push_back({{"name", printable(bar.name)},
                    {"value", bar.value},
                    {"group", printable(bar.group)},
                    {"details", to_json(bar.details)}});
  }
  add("bars", title, note, {{"unit", unit}, {"bars", std::move(list)}});
}

void Page::add_roofline(const std::string& title, const std::vector<PagePoint>& points, const std::string& note) {
  Json list = Json::array();
  double peak = 0, slope = 0;
  bool any = false;
  for (const PagePoint& point : points) {
    if (!(point.intensity > 0) || !(point.rate > 0)) continue;
    const double rate = point.rate / 1e9;
    any = true;
    peak = std::max(peak, rate);
    slope = std::max(slope, rate / point.intensity);
    list.push_back({{"name", printable(point.name)},
                    {"x", point.intensity},
                    {"y", rate},
                    {"share", point.share},
                    {"group", printable(point.group)}});
  }
  if (!any) return;
  add("roofline", title, note,
      {{"x", "MAC/B"}, {"y", "GMAC/s"}, {"peak", peak}, {"slope", slope}, {"points", std::move(list)}});
}

void Page::add_graph(const std::string& title, const std::vector<PageNode>& nodes, const std::vector<PageEdge>& edges,
                     const std::string& note) {
  if (nodes.empty()) return;
  Json boxes = Json::array(), lines = Json::array();
  for (const PageNode& node : nodes) {
    boxes.push_back({{"name", printable(node.name)},
                     {"kind", node.kind},
                     {"shape", node.shape},
                     {"group", printable(node.group)},
                     {"details", to_json(node.details)}});
  }
  for (const PageEdge& edge : edges) lines.push_back(Json::array(std::vector{edge.from, edge.to}));
  add("graph", title, note, {{"nodes", std::move(boxes)}, {"edges", std::move(lines)}});
}

void Page::add_memory(const std::string& title, const std::vector<PageBlock>& blocks, uint32_t operators,
                      uint64_t bytes, const std::string& note) {
  if (blocks.empty() || bytes == 0) return;
  Json list = Json::array();
  for (const PageBlock& block : blocks) {
    list.push_back({{"name", printable(block.name)},
                    {"offset", block.offset},
                    {"bytes", block.bytes},
                    {"first", block.first},
                    {"last", block.last},
                    {"group", block.group}});
  }
  add("memory", title, note, {{"blocks", std::move(list)}, {"steps", operators}, {"bytes", bytes}});
}

std::string Page::to_html() const {
  const Json data{{"title", printable(title_)}, {"subtitle", printable(subtitle_)}, {"figures", figures_}};
  std::string html = page_template::kBeforeData;
  html += inside_markup(data.to_string());
  html += page_template::kAfterData;
  return html;
}

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

Option add_html_option(Command command, std::string& path) {
  Option option = command.add_option("--html", path, "also write a page with figures, for a browser, to this file");
  return option.type_name("FILE").not_empty();
}

Status write_page(const std::string& path, const Page& page) {
  NESTRT_RETURN_IF_ERROR(check_kind(path, Written::kPage));
  return write_text(path, page.to_html());
}

}  // namespace nestrt::tools
