// SPDX-License-Identifier: Apache-2.0
// TargetDescription: the units for which a plan is compiled. All stages use it. A plan's bytes depend only on the model
// and the options, never on the compiling machine.
//
// A target is a list of items:
//   zcu102, path/board.yaml     a board: its CPU and its other units (docs/reference/board-files.md describes the file)
//   host                        CPUs of nestc's architecture, with all of its instruction sets
//   x86-64, x86-64-v3, x86-64-v4, x86-64-v4-amx, aarch64, aarch64-dotprod
//                               CPUs of that level
//   evta:1x16_15_15_18_17       a unit in addition to the CPU; `host` is added if the list contains no CPU
//   evta:path/vta_config.json   the same, with the configuration in VTA's file
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nestrt/result.h"
#include "runtime/core/instruction_set.h"
#include "tools/support/board/board.h"

namespace nestrt::compiler {

using UnitDescription = tools::BoardUnit;

struct TargetDescription {
  std::string name;                              // the list as specified; the board's name if the list is one board
  std::vector<InstructionSet> instruction_sets;  // of the CPUs, ascending without duplicates; never empty
  std::vector<UnitDescription> units;            // of boards and of the list; the CPU first
  std::vector<std::string> profiles = {};        // cost files of the board, if the target is one
};

// Errors: kInvalidArgument with the known items; kNotFound and kIo for a path.
Result<TargetDescription> read_target(const std::string& text);

// Parses the text of a board file; `name` is for messages.
Result<TargetDescription> parse_board(const std::string& yaml, const std::string& name);

// Returns read_target("host"), which cannot fail.
TargetDescription host_target();

}  // namespace nestrt::compiler
