// SPDX-License-Identifier: Apache-2.0
// The command line of nestrt and nestc: commands with options, help with examples, exit codes. This header is cheap to
// include; only cli.cpp includes CLI11.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "nestrt/result.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace nestrt::tools {

enum class ExitCode : int {
  kOk = 0,
  kMismatch = 1,       // the command worked, but the comparison found a difference
  kBadInput = 2,       // invalid option, file or environment; standard error has details
  kInterrupted = 130,  // by the user; partial results are printed
};

// An option, a flag or an argument of a command. It is a handle: copies refer to the same option, which lives as long
// as the Cli.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  Option& required();
  Option& type_name(const std::string& name);  // name of the value in help
  Option& show_default();                      // shows the current value of the variable as the default

  // Restricts the accepted values.
  Option& in_range(int64_t least, int64_t most);
  Option& between(double least, double most);  // rejects NaN
  Option& positive();
  Option& not_empty();
  Option& one_of(const std::vector<std::string>& names);  // a value may have '-' instead of '_'

  // How a vector variable is filled. By default an option accepts all values up to the next option, including
  // arguments.
  Option& repeatable();                  // one value per occurrence
  Option& separated_by(char separator);  // "1,2,3" per occurrence

  // Requires, or excludes, another option.
  Option& needs(const Option& other);
  Option& needs(const std::string& other);
  Option& excludes(const Option& other);

  // Returns whether the option was given. Call after parsing.
  bool given() const;
  std::string name() const;  // "--threads"

 private:
  CLI::Option* option_;
};

// A command and its options. It is a handle, like Option. Variables must outlive parsing and keep their values if an
// option is not given.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  // `names`: "--threads", "-o,--output", or "PLAN" for an argument. T: std::string, int, int64_t, uint32_t, uint64_t,
  // double, std::optional<double or int>, or a vector of std::string, int, float or double.
  template <typename T>
  Option add_option(const std::string& names, T& value, const std::string& description);
  // `parse` stores the value or returns an error.
  Option add_parsed_option(const std::string& names, std::function<Status(const std::string&)> parse,
                           const std::string& description);
  // "!--no-split" sets its variable to false.
  Option add_flag(const std::string& names, bool& value, const std::string& description);

  // Returns whether the option was given. Call after parsing.
  bool given(const std::string& name) const;

 private:
  CLI::App* app_;
};

class Cli {
 public:
  Cli(std::string program, std::string description);
  ~Cli();

  // Adds a command; the caller adds its options to the result. `examples`: command lines for --help. An error of `run`
  // is printed as "<program>: <status>", escaped for terminals, and returns kBadInput.
  Command add_command(const std::string& name, const std::string& description, const std::vector<std::string>& examples,
                      std::function<Result<ExitCode>()> run);

  // Parses, runs the chosen command, and returns the exit code of the process. Without arguments it shows the help. Log
  // messages of libnestrt appear as "<program>: warning: ...". No exception escapes. If standard output cannot be
  // written, returns kBadInput.
  int run(int argc, const char* const* argv);

 private:
  int parse_and_run(int argc, const char* const* argv);
  int show_help() const;
  void take_over_log() const;
  int run_chosen();
  int report(std::string_view message) const;

  struct Entry {
    CLI::App* app;
    std::function<Result<ExitCode>()> run;
  };

  std::string program_;
  std::unique_ptr<CLI::App> app_;
  std::vector<Entry> entries_;
};

}  // namespace nestrt::tools
