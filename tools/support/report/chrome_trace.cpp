// SPDX-License-Identifier: Apache-2.0
#include "tools/support/report/chrome_trace.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "tools/support/text/printable.h"

namespace nestrt::tools {
namespace {

// Groups and tracks are processes and threads of the format, which has no process 0.
Json metadata(const char* what, size_t group, size_t track, Json arguments) {
  return {{"ph", "M"}, {"name", what}, {"pid", group + 1}, {"tid", track}, {"args", std::move(arguments)}};
}

// Rounds to nanoseconds, so that adjacent spans stay adjacent in the file.
double rounded(double microseconds) { return std::round(microseconds * 1e3) / 1e3; }

}  // namespace

uint32_t ChromeTrace::add_track(const std::string& group, const std::string& name) {
  const auto known = std::find(groups_.begin(), groups_.end(), group);
  const auto index = static_cast<size_t>(known - groups_.begin());
  if (known == groups_.end()) groups_.push_back(group);
  tracks_.push_back({index, name});
  return static_cast<uint32_t>(tracks_.size() - 1);
}

// Viewers treat the first of several spans with equal start as the enclosing one.
std::vector<TraceSpan> ChromeTrace::in_order() const {
  std::vector<TraceSpan> spans = spans_;
  std::stable_sort(spans.begin(), spans.end(), [](const TraceSpan& a, const TraceSpan& b) {
    return std::tuple(a.track, rounded(a.start_us), -rounded(a.end_us)) <
           std::tuple(b.track, rounded(b.start_us), -rounded(b.end_us));
  });
  return spans;
}

std::vector<std::string> ChromeTrace::track_names() const {
  std::vector<std::string> names;
  for (const Track& track : tracks_) names.push_back(track.name);
  return names;
}

Json ChromeTrace::to_json() const {
  Json events = Json::array();
  for (size_t group = 0; group < groups_.size(); ++group) {
    events.push_back(metadata("process_name", group, 0, {{"name", printable(groups_[group])}}));
    events.push_back(metadata("process_sort_index", group, 0, {{"sort_index", group}}));
  }
  for (size_t track = 0; track < tracks_.size(); ++track) {
    events.push_back(metadata("thread_name", tracks_[track].group, track, {{"name", printable(tracks_[track].name)}}));
    events.push_back(metadata("thread_sort_index", tracks_[track].group, track, {{"sort_index", track}}));
  }
  for (const TraceSpan& span : in_order()) {
    const double start = rounded(span.start_us);
    Json event{{"ph", "X"},
               {"name", printable(span.name)},
               {"cat", span.category},
               {"pid", tracks_[span.track].group + 1},
               {"tid", span.track},
               {"ts", start},
               {"dur", rounded(rounded(span.end_us) - start)}};
    if (!span.details.is_null()) event.set("args", span.details);
    events.push_back(std::move(event));
  }
  Json trace;
  trace.set("traceEvents", std::move(events));
  trace.set("displayTimeUnit", "ms");
  return trace;
}

std::string_view name(Phase phase) {
  switch (phase) {
    case Phase::kTransferIn:
      return "transfer in";
    case Phase::kRun:
      return "run";
    case Phase::kTransferOut:
      return "transfer out";
  }
  return "";
}

}  // namespace nestrt::tools
