// The command line of nestrt and nestc: commands with options, help with examples, exit codes. To include this is
// cheap; CLI11, which does the work, is seen by cli.cpp only.
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
  kMismatch = 1,       // the command worked, and what it compared differs
  kBadInput = 2,       // an option, a file or the machine is at fault; standard error says which
  kInterrupted = 130,  // by the user, who has seen what there was until then
};

// An option, a flag or an argument of a command. A handle: copies mean the same one, which lives as long as the Cli.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  Option& required();
  Option& type_name(const std::string& name);  // what help shows for its value
  Option& show_default();                      // help shows what the variable holds now

  // What values it takes; others are refused by the command line.
  Option& in_range(int64_t least, int64_t most);
  Option& between(double least, double most);  // NaN is not
  Option& positive();
  Option& not_empty();
  Option& one_of(const std::vector<std::string>& names);

  // How it fills a variable that is a vector. Without these it takes all values up to the next option, arguments too.
  Option& repeatable();                  // one value each time that it is given
  Option& separated_by(char separator);  // "1,2,3" each time

  // Whether it may be given only together with another option, or never with it.
  Option& needs(const Option& other);
  Option& needs(const std::string& other);
  Option& excludes(const Option& other);

  // After parsing.
  bool given() const;
  std::string name() const;  // "--threads"

 private:
  CLI::Option* option_;
};

// A command, and the options that it takes. A handle, as Option is. Variables must outlive the parsing; they keep their
// value where the option is not given.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  // `names`: "--threads", "-o,--output", or "PLAN" for an argument. T: std::string, int, int64_t, uint32_t, uint64_t,
  // double, std::optional<double or int>, or a vector of std::string, int, float or double.
  template <typename T>
  Option add_option(const std::string& names, T& value, const std::string& description);
  // `parse` takes the value, or says what is wrong with it.
  Option add_parsed_option(const std::string& names, std::function<Status(const std::string&)> parse,
                           const std::string& description);
  // "!--no-split" sets its variable to false.
  Option add_flag(const std::string& names, bool& value, const std::string& description);

  // After parsing.
  bool given(const std::string& name) const;

 private:
  CLI::App* app_;
};

class Cli {
 public:
  Cli(std::string program, std::string description);
  ~Cli();

  // Adds a command; the caller adds its options to the result. `examples` are whole command lines, shown by --help.
  // A failed Result of `run` is printed as "<program>: <status>", safe for a terminal, and gives kBadInput.
  Command add_command(const std::string& name, const std::string& description, const std::vector<std::string>& examples,
                      std::function<Result<ExitCode>()> run);

  // Parses, runs the chosen command, and returns the exit code of the process. Without arguments: shows the help.
  // What libnestrt logs is printed as "<program>: warning: ...". Nothing escapes; a standard output that could not be
  // written is bad input too.
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
