// SPDX-License-Identifier: Apache-2.0
// nestrt debug: finds the first instruction that EVTA executes incorrectly.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "drivers/evta/debug/program_debugger.h"
#include "drivers/evta/driver/component.h"
#include "drivers/evta/isa/decode.h"
#include "runtime/plan/queries/channels.h"
#include "tools/nestrt/commands.h"
#include "tools/nestrt/debugging/debugged_program.h"
#include "tools/nestrt/load.h"
#include "tools/support/text/progress.h"

namespace nestrt::command {
namespace {

struct DebugOptions {
  std::string plan;
  ReadChoice reading;
  std::string transport = "xrt", xclbin, device;
  std::optional<int> branch, until;
  double limit_s = 10;
  uint32_t seed = 1;
  bool lists = false;  // list the instructions instead of running them
  std::string bundle, json;
};

struct ProgramOfBranch {
  uint32_t branch;
  const plan::Program* program;
};

Result<std::vector<ProgramOfBranch>> chosen_programs(const DebugOptions& options, const Plan& plan) {
  const std::vector<plan::Branch>& branches = plan.tables().branches;
  std::vector<ProgramOfBranch> chosen;
  for (uint32_t branch = 0; branch < branches.size(); ++branch)
    for (const plan::Program& program : branches[branch].programs)
      if (program.kind == plan::ProgramKind::kInstructions &&
          (!options.branch || *options.branch == static_cast<int>(branch)))
        chosen.push_back({branch, &program});
  if (!chosen.empty()) return chosen;
  return Status(Code::kInvalidArgument,
                options.branch ? fmt::format("branch {} has no program for EVTA; nestc explain PLAN lists the branches",
                                             *options.branch)
                               : "the plan has no program for EVTA; compile it for one: nestc compile --target zcu102");
}

std::string names_of_operators(const plan::Tables& tables, const plan::Branch& branch) {
  const std::string &first = tables.operators[branch.operators.front()].name,
                    &last = tables.operators[branch.operators.back()].name;
  return branch.operators.size() == 1 ? first : first + " to " + last;
}

Result<const evta::Configuration*> configuration_of(const plan::Program& program) {
  const evta::Configuration* const found = evta::find_configuration(program.configuration);
  if (found != nullptr) return found;
  return Status(Code::kIncompatible, fmt::format("the plan was compiled for the unknown configuration '{}'",
                                                 tools::printable(program.configuration)));
}

Result<std::unique_ptr<evta::Transport>> open_transport(const DebugOptions& options,
                                                        const evta::Configuration& configuration) {
  NESTRT_ASSIGN_OR_RETURN(const evta::Component* const component, evta::find_component(options.transport));
  evta::TransportRequest request;
  request.configuration = &configuration;
  request.bitstream = options.xclbin;
  request.device = options.device;
  return component->make_transport(request);
}

// Runs the first instructions of a program only.
Status run_prefix(size_t count, evta::ProgramDebugger& debugger, evta::Transport& transport, DebuggedProgram& result) {
  if (count > result.instructions.size())
    return Status(Code::kInvalidArgument, fmt::format("--until {}: the program of branch {} has {} instructions", count,
                                                      result.branch, result.instructions.size()));
  result.until = count;
  NESTRT_ASSIGN_OR_RETURN(result.whole, debugger.run(count));
  result.registers = transport.registers();
  return {};
}

// The bundle also contains the plan, because the plan shows the other programs and the costs.
Status add_plan(const DebugOptions& options) {
  const std::string copy = options.bundle + "/plan.nest";
  std::error_code error;
  if (std::filesystem::equivalent(options.plan, copy, error)) return {};
  std::filesystem::copy_file(options.plan, copy, std::filesystem::copy_options::overwrite_existing, error);
  return error ? Status(Code::kIo, fmt::format("'{}' cannot be written: {}", copy, error.message())) : Status();
}

Result<DebuggedProgram> debug_program(const DebugOptions& options, const Plan& plan, const ProgramOfBranch& chosen,
                                      const evta::Configuration& configuration, evta::Transport& transport) {
  const plan::Tables& tables = plan.tables();
  NESTRT_ASSIGN_OR_RETURN(const auto source, evta::read_program(plan, chosen.branch, *chosen.program, configuration));
  const std::chrono::milliseconds limit(static_cast<int64_t>(options.limit_s * 1000));
  NESTRT_ASSIGN_OR_RETURN(auto debugger, evta::ProgramDebugger::create(transport, source, options.seed, limit));
  DebuggedProgram result;
  result.branch = chosen.branch;
  result.operators = names_of_operators(tables, tables.branches[chosen.branch]);
  result.configuration = configuration.name;
  result.ranges = names_of_ranges(tables, *chosen.program);
  result.instructions = debugger.instructions();
  if (options.until) {
    NESTRT_RETURN_IF_ERROR(run_prefix(static_cast<size_t>(*options.until), debugger, transport, result));
    return result;
  }
  NESTRT_ASSIGN_OR_RETURN(result.whole, debugger.run_all());
  if (result.is_right()) return result;
  result.registers = transport.registers();
  // Writes the bundle before the search, which overwrites the memory of the run and may be interrupted.
  if (!options.bundle.empty()) {
    NESTRT_RETURN_IF_ERROR(write_bundle(options.bundle, result, source, debugger));
    NESTRT_RETURN_IF_ERROR(add_plan(options));
  }
  tools::StageLine line("searching");
  auto wrong = debugger.find_first_wrong([&](size_t runs) { line.show(fmt::format("{} runs", runs)); });
  if (wrong)
    result.wrong = std::move(*wrong);
  else
    result.search = wrong.error();
  if (!options.bundle.empty())
    NESTRT_RETURN_IF_ERROR(tools::write_json(options.bundle + "/report.json", to_json(result)));
  return result;
}

Status list_programs(const Plan& plan, const std::vector<ProgramOfBranch>& programs) {
  for (const ProgramOfBranch& chosen : programs) {
    NESTRT_ASSIGN_OR_RETURN(const evta::Configuration* const configuration, configuration_of(*chosen.program));
    NESTRT_ASSIGN_OR_RETURN(const auto source,
                            evta::read_program(plan, chosen.branch, *chosen.program, *configuration));
    NESTRT_ASSIGN_OR_RETURN(const auto instructions, evta::decode(*configuration, source.instructions));
    const std::string channels =
        chosen.program->channels.all() ? "" : ", channels " + to_string(chosen.program->channels);
    fmt::print("branch {} ({}), {}{}\n{}", chosen.branch,
               tools::printable(names_of_operators(plan.tables(), plan.tables().branches[chosen.branch])),
               configuration->name, channels, list_instructions(instructions, 0, instructions.size()));
  }
  return {};
}

// Stops at the first program that is wrong, because a hung accelerator cannot run any more programs.
Result<ExitCode> run_programs(const DebugOptions& options, const Plan& plan,
                              const std::vector<ProgramOfBranch>& programs) {
  NESTRT_ASSIGN_OR_RETURN(const evta::Configuration* const configuration, configuration_of(*programs[0].program));
  NESTRT_ASSIGN_OR_RETURN(const auto transport, open_transport(options, *configuration));
  Json list = Json::array();
  size_t right = 0;
  ExitCode code = ExitCode::kOk;
  for (const ProgramOfBranch& chosen : programs) {
    if (chosen.program->configuration != programs[0].program->configuration) continue;
    NESTRT_ASSIGN_OR_RETURN(const DebuggedProgram result,
                            debug_program(options, plan, chosen, *configuration, *transport));
    list.push_back(to_json(result));
    if (result.until) fmt::print("{}", describe_prefix(result));
    if (result.is_right()) {
      ++right;
      continue;
    }
    if (!result.until) {
      fmt::print("{}", describe_fault(result));
      if (!options.bundle.empty()) fmt::print("bundle    {}\n", options.bundle);
    }
    code = ExitCode::kMismatch;
    break;
  }
  fmt::print("{} programs of {} on {} match the simulator's results\n", right, configuration->name, transport->name());
  if (!options.json.empty())
    NESTRT_RETURN_IF_ERROR(tools::write_json(options.json, Json{{"programs", std::move(list)}}));
  return code;
}

Result<ExitCode> run_debug(const DebugOptions& options) {
  if (options.until && !options.branch) return Status(Code::kInvalidArgument, "--until requires --branch");
  NESTRT_RETURN_IF_ERROR(check_output_files({options.json}, {options.plan}));
  NESTRT_ASSIGN_OR_RETURN(const LoadOptions reading, options.reading.options());
  NESTRT_ASSIGN_OR_RETURN(const auto plan, Plan::map(options.plan, reading));
  NESTRT_ASSIGN_OR_RETURN(const auto programs, chosen_programs(options, *plan));
  if (!options.lists) return run_programs(options, *plan, programs);
  NESTRT_RETURN_IF_ERROR(list_programs(*plan, programs));
  return ExitCode::kOk;
}

}  // namespace

void add_debug(tools::Cli& cli) {
  auto options = std::make_shared<DebugOptions>();
  tools::Command app = cli.add_command(
      "debug", "Find the first instruction that an EVTA accelerator executes incorrectly",
      {"nestrt debug squeezenet.nest --transport uio", "nestrt debug squeezenet.nest --branch 3 --bundle report",
       "nestrt debug squeezenet.nest --branch 3 --list"},
      [options] { return run_debug(*options); });
  add_plan_argument(app, options->plan);
  add_read_options(app, options->reading);
  app.add_option("--transport", options->transport,
                 "how the accelerator is reached: xrt, uio, or sim for the simulator")
      .one_of({"xrt", "uio", "sim"})
      .show_default();
  app.add_option("--xclbin", options->xclbin, "the xclbin, for xrt; default: $NESTRT_XCLBIN");
  app.add_option("--device", options->device,
                 "the device, as for nestrt run; default: $NESTRT_DEVICE, or the first one");
  app.add_option("--branch", options->branch, "index of a branch, as in nestc explain; default: all");
  app.add_option("--until", options->until,
                 "run only the first N instructions of the branch's program, and compare the memory after them")
      .between(1, 1e9);
  app.add_option("--timeout", options->limit_s, "seconds after which a run counts as a hang")
      .between(0.001, 3600)
      .show_default();
  app.add_option("--seed", options->seed, "seed of the random inputs").show_default();
  app.add_flag("--list", options->lists, "print the instructions and run nothing");
  app.add_option("--bundle", options->bundle,
                 "folder for a bug report about the first wrong program: report.json, program.txt, the plan, and "
                 "program.vtav, which evta-replay runs");
  add_json_option(app, options->json, "the results");
}

}  // namespace nestrt::command
