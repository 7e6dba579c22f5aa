// Target: the units of a board, which a plan is compiled for.
//
// Written as a list of units (cpu,evta:1x16_15_15_18_17), or as the name of a board: the file boards/NAME.yaml that
// comes with nestc, or the path of such a file. docs/boards.md describes the file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nestrt/result.h"
#include "tools/common/board.h"

namespace nestrt::compiler {

using TargetUnit = tools::BoardUnit;

struct Target {
  std::string name;               // the board's, or the list as it was written
  std::vector<TargetUnit> units;  // the CPU first: it can run everything
};

// `text` is "host", a list of units, the name of a board, or the path of a board file.
// Errors: kInvalidArgument with what is known; kNotFound and kIo for a path.
Result<Target> read_target(const std::string& text);

// The target in the text of a board file; `name` for messages.
Result<Target> parse_board(const std::string& yaml, const std::string& name);

}  // namespace nestrt::compiler
