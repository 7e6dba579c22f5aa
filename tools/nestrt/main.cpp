// SPDX-License-Identifier: Apache-2.0
// nestrt: runs, measures and examines plans.
#include "tools/nestrt/commands.h"

int main(int argc, char** argv) {
  nestrt::tools::Cli cli("nestrt", "Runs, measures and examines the plans that nestc compiles.");
  nestrt::command::add_run(cli);
  nestrt::command::add_eval(cli);
  nestrt::command::add_bench(cli);
  nestrt::command::add_compare(cli);
  nestrt::command::add_info(cli);
  nestrt::command::add_verify(cli);
  nestrt::command::add_profile(cli);
  nestrt::command::add_simulate(cli);
  nestrt::command::add_conformance(cli);
  nestrt::command::add_board(cli);
  nestrt::command::add_debug(cli);
  return cli.run(argc, argv);
}
