// SPDX-License-Identifier: Apache-2.0
// The findings of `nestrt debug` about one program, as text, as JSON, and as a folder for a bug report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "drivers/evta/debug/program_debugger.h"
#include "nestrt/driver/plan_tables.h"
#include "tools/support/text/json.h"

namespace nestrt::command {

struct DebuggedProgram {
  uint32_t branch = 0;
  std::string operators;  // names of the first and the last one
  std::string configuration;
  std::vector<std::string> ranges;  // names of the tensors, or "constants"
  std::vector<evta::Instruction> instructions;
  std::optional<size_t> until;  // number of instructions that were run, if not all
  evta::DebugRun whole;         // run of the whole program, or of the first `until` instructions
  std::optional<evta::WrongInstruction> wrong;
  Status search;                                // why the search ended early
  std::vector<evta::DeviceRegister> registers;  // after the whole program

  bool is_right() const { return whole.is_right(); }
};

// Returns the names of a program's ranges.
std::vector<std::string> names_of_ranges(const plan::Tables& tables, const plan::Program& program);

// Returns one line per instruction in [begin, end) with its index; highlights instruction `marked`.
std::string list_instructions(const std::vector<evta::Instruction>& instructions, size_t begin, size_t end,
                              std::optional<size_t> marked = {});
// Returns the lines that describe what is wrong, and the remedy. Requires: the program is wrong.
std::string describe_fault(const DebuggedProgram& program);
// Returns the lines that describe the memory and the registers after `until` instructions. Requires: `until` is set.
std::string describe_prefix(const DebuggedProgram& program);
tools::Json to_json(const DebuggedProgram& program);

// Writes report.json, program.txt, and program.vtav, which evta-replay runs, to a folder, which is created. `debugger`:
// after run_all(). Errors: kIo, kNotFound.
Status write_bundle(const std::string& folder, const DebuggedProgram& program, const evta::BoundProgram& source,
                    const evta::ProgramDebugger& debugger);

}  // namespace nestrt::command
