// SPDX-License-Identifier: Apache-2.0
// nestc: the offline compiler.
#include "tools/nestc/command.h"

int main(int argc, char** argv) {
  nestrt::tools::Cli cli("nestc", "nestc: compiles ONNX networks into plans for nestrt");
  nestrt::compiler::add_compile_command(cli);
  nestrt::compiler::add_inspect_command(cli);
  nestrt::compiler::add_explain_command(cli);
  nestrt::compiler::add_check_command(cli);
  nestrt::compiler::add_calibrate_command(cli);
  nestrt::compiler::add_partition_command(cli);
  nestrt::compiler::add_join_command(cli);
  nestrt::compiler::add_export_command(cli);
  nestrt::compiler::add_keygen_command(cli);
  nestrt::compiler::add_sign_command(cli);
  return cli.run(argc, argv);
}
