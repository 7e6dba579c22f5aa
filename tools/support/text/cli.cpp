// SPDX-License-Identifier: Apache-2.0
#include "tools/support/text/cli.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <optional>

#include "nestrt/driver/mutex.h"
#include "nestrt/log.h"
#include "tools/support/text/printable.h"
#include "tools/support/text/suggestion.h"

namespace nestrt::tools {
namespace {

// The last message of the log. Thread-safe.
class LastMessage {
 public:
  // Returns false if the last message is the same.
  bool replace(std::string_view message) {
    const MutexLock lock(mutex_);
    if (message_ == message) return false;
    message_ = message;
    return true;
  }

 private:
  Mutex mutex_;
  std::string message_ NESTRT_GUARDED_BY(mutex_);
};

// `shown`: how help shows the value.
CLI::Validator validator(std::function<std::string(std::string&)> check, const std::string& shown = "") {
  return CLI::Validator(std::move(check), shown);
}

std::string check_between(const std::string& text, double least, double most) {
  double value = 0;
  const bool good = CLI::detail::lexical_cast(text, value) && value >= least && value <= most;
  return good ? std::string() : fmt::format("{} is not a number between {} and {}", text, least, most);
}

// Opens a substitute for each closed standard stream. Otherwise the next opened file would take its descriptor and
// receive messages.
void occupy_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0) ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

constexpr std::string_view kLogLevels[] = {"debug", "info", "warning", "error", "off"};  // as LogLevel

void add_log_level(CLI::App& command) {
  const auto apply = [](const std::string& name) {
    const auto level = std::ranges::find(kLogLevels, name) - std::begin(kLogLevels);
    set_log_level(static_cast<LogLevel>(level));
  };
  command.add_option_function<std::string>("--log-level", apply, "lowest level of messages (default: warning)")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kLogLevels), std::end(kLogLevels))))
      ->envname("NESTRT_LOG_LEVEL");
}

std::vector<std::string> names_of_commands(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* const command : program.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> names_of_options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const auto meant = most_like(word, known);
  return meant ? fmt::format(" (did you mean '{}'?)", *meant) : "";
}

// States what the option expected. CLI11 reports "Could not convert: OPTION = VALUES" for values that are not numbers,
// and for numbers that the type of the option cannot represent.
std::string explain_conversion(const std::string& what) {
  constexpr std::string_view kBeforeOption = "Could not convert: ", kBeforeValues = " = ";
  const size_t middle = what.find(kBeforeValues);
  if (!what.starts_with(kBeforeOption) || middle == std::string::npos) return what;
  const std::string values = what.substr(middle + kBeforeValues.size());
  double number = 0;
  return fmt::format("{}: expected {}, got '{}'", what.substr(kBeforeOption.size(), middle - kBeforeOption.size()),
                     CLI::detail::lexical_cast(values, number) ? "an integer in range" : "a number", values);
}

// Explains an invalid command line. `chosen`: the program or one of its commands.
std::string explain(const CLI::ParseError& error, const CLI::App& chosen) {
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) return explain_conversion(error.what());
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return error.what();
  const std::vector<std::string> unknown = chosen.remaining();
  if (unknown.empty()) return error.what();
  const std::string word = unknown[0].substr(0, unknown[0].find('='));
  if (word.starts_with("--"))
    return fmt::format("unknown option '{}'{}", word, did_you_mean(word, names_of_options(chosen)));
  return error.what();
}

}  // namespace

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option& Option::show_default() {
  option_->capture_default_str();
  return *this;
}

Option& Option::in_range(int64_t least, int64_t most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option& Option::between(double least, double most) {
  option_->check(validator([=](const std::string& text) { return check_between(text, least, most); }));
  return *this;
}

Option& Option::positive() {
  const auto check = [](const std::string& text) {
    double value = 0;
    const bool good = CLI::detail::lexical_cast(text, value) && value > 0;
    return good ? std::string() : fmt::format("{} is not a number greater than 0", text);
  };
  option_->check(validator(check, "POSITIVE"));
  return *this;
}

Option& Option::not_empty() {
  option_->check(validator([](const std::string& text) { return text.empty() ? "the name is empty" : ""; }));
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& names) {
  option_->transform(CLI::IsMember(names, [](std::string name) {
    std::ranges::replace(name, '-', '_');
    return name;
  }));
  return *this;
}

Option& Option::repeatable() {
  option_->allow_extra_args(false);
  return *this;
}

Option& Option::separated_by(char separator) {
  option_->delimiter(separator)->allow_extra_args(false);
  return *this;
}

Option& Option::needs(const Option& other) {
  option_->needs(other.option_);
  return *this;
}

Option& Option::needs(const std::string& other) {
  option_->needs(other);
  return *this;
}

Option& Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}

bool Option::given() const { return option_->count() > 0; }

std::string Option::name() const { return option_->get_name(); }

template <typename T>
Option Command::add_option(const std::string& names, T& value, const std::string& description) {
  return Option(*app_->add_option(names, value, description));
}

template Option Command::add_option(const std::string&, std::string&, const std::string&);
template Option Command::add_option(const std::string&, int&, const std::string&);
template Option Command::add_option(const std::string&, int64_t&, const std::string&);
template Option Command::add_option(const std::string&, uint32_t&, const std::string&);
template Option Command::add_option(const std::string&, uint64_t&, const std::string&);
template Option Command::add_option(const std::string&, double&, const std::string&);
template Option Command::add_option(const std::string&, std::optional<double>&, const std::string&);
template Option Command::add_option(const std::string&, std::optional<int>&, const std::string&);
template Option Command::add_option(const std::string&, std::vector<std::string>&, const std::string&);
template Option Command::add_option(const std::string&, std::vector<int>&, const std::string&);
template Option Command::add_option(const std::string&, std::vector<float>&, const std::string&);
template Option Command::add_option(const std::string&, std::vector<double>&, const std::string&);

Option Command::add_parsed_option(const std::string& names, std::function<Status(const std::string&)> parse,
                                  const std::string& description) {
  CLI::Option* const option = app_->add_option_function<std::string>(
      names, [](const std::string&) {}, description);
  option->check(
      validator([parse = std::move(parse)](const std::string& text) { return std::string(parse(text).message()); }));
  return Option(*option);
}

Option Command::add_flag(const std::string& names, bool& value, const std::string& description) {
  return Option(*app_->add_flag(names, value, description));
}

bool Command::given(const std::string& name) const { return app_->count(name) > 0; }

Cli::Cli(std::string program, std::string description)
    : program_(std::move(program)), app_(std::make_unique<CLI::App>(std::move(description), program_)) {
  app_->set_version_flag("--version", program_ + " " NESTRT_VERSION);
  app_->require_subcommand(1);
  app_->footer(
      fmt::format("'{} COMMAND --help' shows the options of a command and examples.\n"
                  "Exit codes: 0 done, 1 a comparison failed, 2 bad input.",
                  program_));
}

Cli::~Cli() = default;

Command Cli::add_command(const std::string& name, const std::string& description,
                         const std::vector<std::string>& examples, std::function<Result<ExitCode>()> run) {
  CLI::App* const app = app_->add_subcommand(name, description);
  app->footer(fmt::format("{}\n  {}", examples.size() > 1 ? "Examples:" : "Example:", fmt::join(examples, "\n  ")));
  add_log_level(*app);
  entries_.push_back({app, std::move(run)});
  return Command(*app);
}

int Cli::run(int argc, const char* const* argv) {
  occupy_standard_streams();
  take_over_log();
  std::signal(SIGXFSZ, SIG_IGN);  // exceeding the file size limit then becomes an error of write()
  const int exit_code = parse_and_run(argc, argv);
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  const int error = errno;
  return report(fmt::format("input/output error: cannot write to standard output{}{}", error != 0 ? ": " : "",
                            error != 0 ? std::strerror(error) : ""));
}

int Cli::parse_and_run(int argc, const char* const* argv) {
  try {
    if (argc <= 1) return show_help();
    const std::vector<std::string> commands = names_of_commands(*app_);
    if (const std::string word = argv[1]; !word.starts_with('-') && std::ranges::find(commands, word) == commands.end())
      return report(fmt::format("invalid argument: unknown command '{}'{}; see {} --help", word,
                                did_you_mean(word, commands), program_));
    app_->parse(argc, argv);
    return run_chosen();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app_->exit(error);  // --help, --version
    const auto chosen = app_->get_subcommands();
    const std::string command = chosen.empty() ? program_ : program_ + " " + chosen[0]->get_name();
    return report(fmt::format("invalid argument: {}; see {} --help",
                              explain(error, chosen.empty() ? *app_ : *chosen[0]), command));
  } catch (const std::bad_alloc&) {
    return report("out of memory");
  } catch (const std::exception& error) {
    if (std::ferror(stdout) != 0) return static_cast<int>(ExitCode::kBadInput);  // run() reports it
    return report(fmt::format("internal error: {}", error.what()));
  }
}

// A command may read a model several times, so a message that equals the one before it is not repeated.
void Cli::take_over_log() const {
  set_log_hook([program = program_, last = std::make_shared<LastMessage>()](LogLevel level, std::string_view message) {
    if (!last->replace(message)) return;
    const char* const what = level == LogLevel::kError ? "error" : level == LogLevel::kWarning ? "warning" : "note";
    std::fputs(fmt::format("{}: {}: {}\n", program, what, printable_message(message)).c_str(), stderr);
  });
}

// Shows the help if there are no arguments. The exit code reports an error, because scripts always pass arguments.
int Cli::show_help() const {
  std::fputs(app_->help().c_str(), stderr);
  return static_cast<int>(ExitCode::kBadInput);
}

int Cli::run_chosen() {
  for (const Entry& entry : entries_) {
    if (!entry.app->parsed()) continue;
    const Result<ExitCode> result = entry.run();
    return result ? static_cast<int>(*result) : report(result.error().to_string());
  }
  return static_cast<int>(ExitCode::kBadInput);
}

int Cli::report(std::string_view message) const {
  std::fflush(stdout);
  // fmt::print throws if standard error is not writable.
  std::fputs(fmt::format("{}: {}\n", program_, printable_message(message)).c_str(), stderr);
  return static_cast<int>(ExitCode::kBadInput);
}

}  // namespace nestrt::tools
