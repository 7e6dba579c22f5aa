// SPDX-License-Identifier: Apache-2.0
// The state of the machine before and after the runs, as rows and as JSON. Values that the machine does not report are
// omitted.
#pragma once

#include "tools/support/board/machine_state.h"
#include "tools/support/text/json.h"
#include "tools/support/text/table.h"

namespace nestrt::command {

// Adds rows of name, value and note.
void add_machine(tools::Table& table, const tools::MachineState& before, const tools::MachineState& after);
tools::Json machine_to_json(const tools::MachineState& state);

}  // namespace nestrt::command
