// The command line of nestrt and nestc: sub-commands, help with examples, exit codes.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "nestrt/result.h"

namespace nestrt::tools {

enum class ExitCode : int {
  kOk = 0,
  kMismatch = 1,  // the command worked, and what it compared differs
  kBadInput = 2,  // an option, a file or the machine is at fault; standard error says which
};

class Cli {
 public:
  Cli(std::string program, std::string description);

  // Adds a command; the caller adds its options to the result. `examples` are whole command lines, shown by --help.
  // A failed Result of `run` is printed as "<program>: <status>", safe for a terminal, and gives kBadInput.
  CLI::App& add_command(const std::string& name, const std::string& description, std::vector<std::string> examples,
                        std::function<Result<ExitCode>()> run);

  // Parses, runs the chosen command, and returns the exit code of the process. Nothing escapes; a standard output that
  // could not be written is bad input too.
  int run(int argc, const char* const* argv);

 private:
  int parse_and_run(int argc, const char* const* argv);
  int run_chosen();
  int report(std::string_view message) const;

  struct Command {
    CLI::App* app;
    std::function<Result<ExitCode>()> run;
  };

  std::string program_;
  CLI::App app_;
  std::vector<Command> commands_;
};

// For CLI::Option::check().
CLI::Validator number_between(double least, double most);  // NaN is none
CLI::Validator not_empty();

}  // namespace nestrt::tools
