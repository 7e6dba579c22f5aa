// SPDX-License-Identifier: Apache-2.0
// The commands of nestc. Each has its own file and adds itself to the command line.
#pragma once

#include "tools/support/text/cli.h"

namespace nestrt::compiler {

void add_compile_command(tools::Cli& cli);
void add_inspect_command(tools::Cli& cli);
void add_explain_command(tools::Cli& cli);
void add_check_command(tools::Cli& cli);
void add_calibrate_command(tools::Cli& cli);
void add_partition_command(tools::Cli& cli);
void add_join_command(tools::Cli& cli);
void add_export_command(tools::Cli& cli);
void add_keygen_command(tools::Cli& cli);
void add_sign_command(tools::Cli& cli);

}  // namespace nestrt::compiler
