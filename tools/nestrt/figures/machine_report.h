// The state of the machine before and after runs, as rows and as JSON. What the machine does not tell is left out.
#pragma once

#include "tools/support/board/machine_state.h"
#include "tools/support/text/json.h"
#include "tools/support/text/table.h"

namespace nestrt::command {

// Rows of name, value and note.
void add_machine(tools::Table& table, const tools::MachineState& before, const tools::MachineState& after);
tools::Json machine_to_json(const tools::MachineState& state);

}  // namespace nestrt::command
