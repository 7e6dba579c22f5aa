// SPDX-License-Identifier: Apache-2.0
// The commands of nestrt, one file each.
#pragma once

#include "tools/support/text/cli.h"
#include "tools/support/text/json.h"
#include "tools/support/text/table.h"

namespace nestrt::command {

using tools::Align;
using tools::ExitCode;
using tools::Json;
using tools::Table;

void add_run(tools::Cli& cli);
void add_eval(tools::Cli& cli);
void add_bench(tools::Cli& cli);
void add_info(tools::Cli& cli);
void add_verify(tools::Cli& cli);
void add_profile(tools::Cli& cli);
void add_simulate(tools::Cli& cli);
void add_conformance(tools::Cli& cli);
void add_compare(tools::Cli& cli);
void add_board(tools::Cli& cli);
void add_debug(tools::Cli& cli);

}  // namespace nestrt::command
