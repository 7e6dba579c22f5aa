// SPDX-License-Identifier: Apache-2.0
// The content of a plan and the result of its session, for tables and JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nestrt/driver/channel_range.h"
#include "nestrt/session.h"
#include "tools/support/report/traffic.h"

namespace nestrt::command {

struct OperatorRow {
  std::string name;
  std::string kind;
  std::string kernel;
  std::string unit;
  std::string output_shape;  // of the first output
  std::string output_type;   // such as "f32" or "s8 2^-4"
  uint64_t macs = 0;
  double intensity = 0;      // multiply-accumulates per byte moved
  uint64_t moved_bytes = 0;  // activations and constants, without row fusion
  bool repacked = false;
  bool is_row_fused = false;
};

struct PlanSummary {
  std::string producer;
  std::string model;
  std::string digest;
  std::vector<std::string> targets;  // such as "cpu x86-64-v3"
  uint64_t file_bytes = 0;
  uint64_t weight_bytes = 0;             // constants, including programs
  uint64_t program_bytes = 0;            // part of weight_bytes for accelerators
  uint64_t arena_lower_bound_bytes = 0;  // the largest sum of tensors that are live at the same time
  uint64_t num_branches = 0;
  tools::Traffic traffic;
  SessionMemory memory;
  std::vector<OperatorRow> operators;
};

PlanSummary summarize_plan(const Session& session);

// Returns the slice for a table; empty if it contains all channels.
std::string describe_channels(ChannelRange channels);

}  // namespace nestrt::command
