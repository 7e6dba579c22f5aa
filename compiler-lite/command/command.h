// The commands of nestc. Each lives in a file of its own and adds itself to the command line.
#pragma once

namespace CLI {
class App;
}

namespace nestrt::compiler {

// Each sets *exit_code when it runs: 0 success, 1 a mismatch was found, 2 bad input. The pointer must outlive the parse.
void add_compile_command(CLI::App& app, int* exit_code);
void add_inspect_command(CLI::App& app, int* exit_code);

}  // namespace nestrt::compiler
