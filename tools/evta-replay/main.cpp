// SPDX-License-Identifier: Apache-2.0
// evta-replay: runs test vectors of the accelerator in the simulator and counts cycles.
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/evta/cycles/cycle_model.h"
#include "drivers/evta/simulator/replay.h"
#include "tools/support/text/files.h"
#include "tools/support/text/json.h"
#include "tools/support/text/printable.h"

namespace {

using nestrt::Code;
using nestrt::Result;
using nestrt::Status;
using nestrt::tools::Json;
using nestrt::tools::printable;

enum ExitCode { kPassed = 0, kFailed = 1, kBadInput = 2 };

constexpr std::string_view kUsage =
    "Usage: evta-replay [OPTIONS] FILE\n"
    "\n"
    "Checks every program in FILE, runs it in the simulator, compares its results with the expected\n"
    "memory contents, and prints how many programs passed and failed. FILE has the format of\n"
    "drivers/evta/simulator/vector_file.h.\n"
    "\n"
    "Vectors are recorded on RTL after a reset, which zeroes its memories. A program that relies on the\n"
    "reset passes, but is reported, because a driver would refuse it.\n"
    "\n"
    "  --configuration NAME  configuration of the programs (default 1x16_15_15_18_17)\n"
    "  --cycles PROFILE      also print the modelled cycles of each program; PROFILE is chisel2019, chisel2021,\n"
    "                        chisel_16_reads, hls_zynq7020 or zcu102 (docs/concepts/evta.md)\n"
    "  --json                print {\"vectors\": [{\"name\": ..., \"passed\": ...}]} instead, with \"cycles\" if\n"
    "                        --cycles is given and they can be counted, \"reason\" if the program failed, and\n"
    "                        \"needs_reset\" (why a driver would refuse it) if it relies on a reset\n"
    "  --help                print this help\n"
    "\n"
    "Exit code: 0 all passed, 1 some failed, 2 bad input.\n"
    "\n"
    "Example: evta-replay vectors.bin\n"
    "         evta-replay --cycles hls_zynq7020 --json vectors.bin\n";

struct Options {
  std::string file;
  const nestrt::evta::Configuration* configuration = nestrt::evta::find_configuration("1x16_15_15_18_17");
  const nestrt::evta::CycleProfile* profile = nullptr;  // null: cycles are not counted
  bool json = false;
  bool help = false;
};

Status bad_option(const std::string& message) {
  return Status(Code::kInvalidArgument, message + "; see evta-replay --help");
}

// Returns, for example, "; available: chisel2019, chisel2021".
template <typename Known>
std::string available(const Known& known) {
  std::string names;
  for (const auto& entry : known) names.append(names.empty() ? "; available: " : ", ").append(entry.name);
  return names;
}

Status set_configuration(const std::string& name, Options* options) {
  options->configuration = nestrt::evta::find_configuration(name);
  if (options->configuration) return {};
  return bad_option("unknown configuration '" + name + "'" + available(nestrt::evta::kConfigurations));
}

Status set_profile(const std::string& name, Options* options) {
  options->profile = nestrt::evta::find_cycle_profile(name);
  if (options->profile) return {};
  return bad_option("unknown profile '" + name + "'" + available(nestrt::evta::cycle_profiles()));
}

// Returns the setter of an option that requires a value, or null.
auto setter_of(std::string_view option) -> Status (*)(const std::string&, Options*) {
  return option == "--configuration" ? set_configuration : option == "--cycles" ? set_profile : nullptr;
}

Status set_argument(const std::string& argument, Options* options) {
  if (argument == "--json") {
    options->json = true;
  } else if (argument.starts_with("-")) {
    return bad_option("unknown option '" + argument + "'");
  } else if (!options->file.empty()) {
    return bad_option("expected one FILE; got '" + options->file + "' and '" + argument + "'");
  } else {
    options->file = argument;
  }
  return {};
}

Result<Options> parse(const std::vector<std::string>& arguments) {
  Options options;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--help" || arguments[i] == "-h") {
      options.help = true;
      return options;
    }
    if (const auto set = setter_of(arguments[i])) {
      if (i + 1 == arguments.size()) return bad_option(arguments[i] + " requires a name");
      NESTRT_RETURN_IF_ERROR(set(arguments[++i], &options));
    } else {
      NESTRT_RETURN_IF_ERROR(set_argument(arguments[i], &options));
    }
  }
  if (options.file.empty()) return bad_option("expected a FILE");
  return options;
}

struct Outcome {
  std::string name;
  Status status;
  Status without_reset;  // status if memories may be uninitialised
  uint64_t cycles = 0;   // 0: not counted
};

Outcome replay(const nestrt::evta::VectorCase& vector, const Options& options) {
  Outcome outcome{vector.name, {}, nestrt::evta::replay(vector, *options.configuration)};
  if (!outcome.without_reset.ok())
    outcome.status = nestrt::evta::replay(vector, *options.configuration, nestrt::evta::OnChip::kZero);
  if (options.profile == nullptr) return outcome;
  const auto count = nestrt::evta::count_cycles({options.configuration, vector.instructions, {}}, *options.profile);
  if (count) outcome.cycles = count->cycles;
  return outcome;
}

Json to_json(const std::vector<Outcome>& outcomes) {
  Json vectors = Json::array();
  for (const Outcome& outcome : outcomes) {
    Json vector{{"name", outcome.name}, {"passed", outcome.status.ok()}};
    if (outcome.cycles > 0) vector.set("cycles", outcome.cycles);
    if (!outcome.status.ok())
      vector.set("reason", outcome.status.message());
    else if (!outcome.without_reset.ok())
      vector.set("needs_reset", outcome.without_reset.message());
    vectors.push_back(std::move(vector));
  }
  return Json{{"vectors", std::move(vectors)}};
}

void print_lines(const std::vector<Outcome>& outcomes, size_t failed) {
  for (const Outcome& outcome : outcomes) {
    const std::string name = printable(outcome.name);
    if (!outcome.status.ok())
      std::printf("%s: %s\n", name.c_str(), printable(outcome.status.message()).c_str());
    else if (!outcome.without_reset.ok())
      std::printf("%s: relies on a reset: %s\n", name.c_str(), printable(outcome.without_reset.message()).c_str());
    if (outcome.status.ok() && outcome.cycles > 0)
      std::printf("%s: %llu cycles\n", name.c_str(), static_cast<unsigned long long>(outcome.cycles));
  }
  std::printf("%zu passed, %zu failed\n", outcomes.size() - failed, failed);
}

Result<ExitCode> replay_all(const Options& options) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> file, nestrt::tools::read_file(options.file));
  auto cases = nestrt::evta::parse_vectors(file);
  if (!cases) return cases.error().with_context(options.file);
  std::vector<Outcome> outcomes;
  size_t failed = 0;
  for (const nestrt::evta::VectorCase& vector : *cases) {
    outcomes.push_back(replay(vector, options));
    failed += outcomes.back().status.ok() ? 0 : 1;
  }
  if (options.json)
    std::fputs(to_json(outcomes).to_string().c_str(), stdout);
  else
    print_lines(outcomes, failed);
  if (std::fflush(stdout) != 0) return Status(Code::kIo, "cannot write to standard output");
  return failed == 0 ? kPassed : kFailed;
}

Result<ExitCode> run(const std::vector<std::string>& arguments) {
  NESTRT_ASSIGN_OR_RETURN(const Options options, parse(arguments));
  if (!options.help) return replay_all(options);
  std::fputs(kUsage.data(), stdout);
  return kPassed;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Result<ExitCode> code = run({argv + 1, argv + argc});
    if (code) return *code;
    std::fprintf(stderr, "evta-replay: %s\n", nestrt::tools::printable_message(code.error().to_string()).c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "evta-replay: %s\n", error.what());
  }
  return kBadInput;
}
