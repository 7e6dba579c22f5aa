#include "tools/common/cli.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include "tools/common/printable.h"

namespace nestrt::tools {

Cli::Cli(std::string program, std::string description)
    : program_(std::move(program)), app_(std::move(description), program_) {
  app_.set_version_flag("--version", program_ + " " NESTRT_VERSION);
  app_.require_subcommand(1);
  app_.footer(
      fmt::format("'{} COMMAND --help' shows the options of a command and examples.\n"
                  "Exit codes: 0 done, 1 a comparison failed, 2 bad input.",
                  program_));
}

CLI::App& Cli::add_command(const std::string& name, const std::string& description, std::vector<std::string> examples,
                           std::function<Result<ExitCode>()> run) {
  CLI::App* command = app_.add_subcommand(name, description);
  command->footer(fmt::format("{}\n  {}", examples.size() > 1 ? "Examples:" : "Example:", fmt::join(examples, "\n  ")));
  commands_.push_back({command, std::move(run)});
  return *command;
}

int Cli::run(int argc, const char* const* argv) {
  const int exit_code = parse_and_run(argc, argv);
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  const int error = errno;
  return report(fmt::format("i/o error: cannot write to standard output{}{}", error != 0 ? ": " : "",
                            error != 0 ? std::strerror(error) : ""));
}

int Cli::parse_and_run(int argc, const char* const* argv) {
  try {
    app_.parse(argc, argv);
    return run_chosen();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app_.exit(error);  // --help, --version
    const auto chosen = app_.get_subcommands();
    const std::string command = chosen.empty() ? program_ : program_ + " " + chosen[0]->get_name();
    return report(fmt::format("invalid argument: {}; see {} --help", error.what(), command));
  } catch (const std::bad_alloc&) {
    return report("out of memory");
  } catch (const std::exception& error) {
    if (std::ferror(stdout) != 0) return static_cast<int>(ExitCode::kBadInput);  // run() reports it
    return report(fmt::format("internal error: {}", error.what()));
  }
}

int Cli::run_chosen() {
  for (const Command& command : commands_) {
    if (!command.app->parsed()) continue;
    const Result<ExitCode> result = command.run();
    return result ? static_cast<int>(*result) : report(result.error().to_string());
  }
  return static_cast<int>(ExitCode::kBadInput);
}

int Cli::report(std::string_view message) const {
  std::fflush(stdout);
  fmt::print(stderr, "{}: {}\n", program_, printable_message(message));
  return static_cast<int>(ExitCode::kBadInput);
}

CLI::Validator number_between(double least, double most) {
  const auto check = [=](std::string& text) {
    double value = 0;
    const bool good = CLI::detail::lexical_cast(text, value) && value >= least && value <= most;
    return good ? std::string() : fmt::format("{} is not a number between {} and {}", text, least, most);
  };
  return CLI::Validator(check, "");
}

CLI::Validator not_empty() {
  return CLI::Validator([](std::string& text) { return text.empty() ? std::string("the name is empty") : ""; }, "");
}

}  // namespace nestrt::tools
