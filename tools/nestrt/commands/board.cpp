// SPDX-License-Identifier: Apache-2.0
// nestrt board: checks the set-up of a board that is driven without XRT.
#include <fmt/core.h>

#include <algorithm>

#include "drivers/evta/driver/component.h"
#include "tools/nestrt/commands.h"
#include "tools/nestrt/load.h"
#include "tools/support/text/printable.h"

namespace nestrt::command {
namespace {

struct BoardOptions {
  std::string action, device, configuration, json;
};

Json to_json(const evta::BoardCheck& check) {
  return {{"check", check.what},
          {"ok", check.status.ok()},
          {"found", check.found},
          {"problem", std::string(check.status.message())}};
}

void print(const evta::BoardCheck& check) {
  const bool is_skipped = check.status.code() == Code::kCancelled;
  const std::string text = check.status.ok() ? check.found : std::string(check.status.message());
  fmt::print("{:<8}{:<17}{}\n",
             check.status.ok() ? "ok"
             : is_skipped      ? "-"
                               : "FAILED",
             check.what, tools::printable_message(text));
}

Result<const evta::Configuration*> configuration_of(const BoardOptions& options) {
  if (options.configuration.empty()) return &evta::kConfigurations[0];
  Result<const evta::Configuration*> found = evta::read_configuration(options.configuration);
  if (found) return found;
  return Status(Code::kInvalidArgument,
                fmt::format("unknown configuration '{}': {}; one is '{}'", tools::printable(options.configuration),
                            found.error().message(), evta::kConfigurations[0].name));
}

Result<ExitCode> run_board(const BoardOptions& options) {
  NESTRT_RETURN_IF_ERROR(check_output_files({options.json}, {}));
  NESTRT_ASSIGN_OR_RETURN(const evta::Configuration* const configuration, configuration_of(options));
  NESTRT_ASSIGN_OR_RETURN(const evta::Component* const component, evta::find_component("uio"));
  evta::TransportRequest request;
  request.configuration = configuration;
  request.device = options.device;
  const std::vector<evta::BoardCheck> checks = component->check_board(request, options.action == "probe");
  Json list = Json::array();
  for (const evta::BoardCheck& check : checks) {
    print(check);
    list.push_back(to_json(check));
  }
  if (!options.json.empty()) NESTRT_RETURN_IF_ERROR(tools::write_json(options.json, Json{{"checks", std::move(list)}}));
  const bool is_ok = std::ranges::all_of(checks, [](const auto& check) { return check.status.ok(); });
  return is_ok ? ExitCode::kOk : ExitCode::kMismatch;
}

}  // namespace

void add_board(tools::Cli& cli) {
  auto options = std::make_shared<BoardOptions>();
  tools::Command app = cli.add_command(
      "board", "Check the set-up of a board that is driven without XRT (evta:uio), and show how to correct it",
      {"nestrt board setup", "nestrt board probe", "nestrt board probe --device uio0@udmabuf0"},
      [options] { return run_board(*options); });
  app.add_option(
         "ACTION", options->action,
         "setup: check drivers, addresses, rights, memory and fabric without accessing a register; probe: if all "
         "of that is in order, also read the registers and run a program with a known result")
      .required()
      .one_of({"setup", "probe"});
  app.add_option("--device", options->device,
                 "the accelerator's registers and memory, such as uio0, mem:0xa0000000 or uio0@udmabuf0; default: "
                 "$NESTRT_DEVICE, or the first of each");
  app.add_option("--configuration", options->configuration,
                 "the configuration that the bitstream was built for; default: 1x16_15_15_18_17");
  add_json_option(app, options->json, "the same information");
}

}  // namespace nestrt::command
