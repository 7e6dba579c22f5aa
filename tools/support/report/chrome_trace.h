// SPDX-License-Identifier: Apache-2.0
// Traces in the JSON format that chrome://tracing and ui.perfetto.dev show: tracks, and spans of time on them.
//
// Times are microseconds from any origin: of a clock, or of a simulation's.
#pragma once

#include <string>
#include <vector>

#include "nestrt/driver/unit.h"
#include "tools/support/text/json.h"

namespace nestrt::tools {

// Spans of one track are nested or disjoint.
struct TraceSpan {
  uint32_t track = 0;
  std::string name;
  std::string category;  // for filters: "step", "operator", "phase", "wait" ...
  double start_us = 0;
  double end_us = 0;
  Json details;  // object that is shown for a selected span; null: no details
};

class ChromeTrace {
 public:
  // Adds a track and returns its number. Tracks appear in the order of these calls, grouped by `group`.
  uint32_t add_track(const std::string& group, const std::string& name);
  // Requires a span on an existing track.
  void add(TraceSpan span) { spans_.push_back(std::move(span)); }

  Json to_json() const;

  // Returns the spans by track and start time; enclosing spans precede the enclosed ones.
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

// Returns a name such as "transfer in".
std::string_view name(Phase phase);

}  // namespace nestrt::tools
