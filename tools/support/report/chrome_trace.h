// Traces in the JSON format that chrome://tracing and ui.perfetto.dev show: tracks, and spans of time on them.
//
// Times are microseconds from any origin: of a clock, or of a simulation's.
#pragma once

#include <string>
#include <vector>

#include "nestrt/driver/unit.h"
#include "tools/support/text/json.h"

namespace nestrt::tools {

// On one track, spans contain one another or lie side by side.
struct TraceSpan {
  uint32_t track = 0;
  std::string name;
  std::string category;  // "step", "operator", "phase", "wait", ...: for filters
  double start_us = 0;
  double end_us = 0;
  Json details;  // an object, shown with the span that is selected; null: none
};

class ChromeTrace {
 public:
  // Tracks are shown in the order in which they come, those of a group together. Returns the track's number.
  uint32_t add_track(const std::string& group, const std::string& name);
  // Requires a span of one of the tracks.
  void add(TraceSpan span) { spans_.push_back(std::move(span)); }

  Json to_json() const;

  // By track and time; of spans that begin together those around others first.
  std::vector<TraceSpan> in_order() const;
  std::vector<std::string> track_names() const;

 private:
  struct Track {
    size_t group;  // in groups_
    std::string name;
  };

  std::vector<std::string> groups_;
  std::vector<Track> tracks_;
  std::vector<TraceSpan> spans_;
};

// "transfer in", ...
std::string_view name(Phase phase);

}  // namespace nestrt::tools
