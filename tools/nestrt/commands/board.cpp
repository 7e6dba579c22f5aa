// SPDX-License-Identifier: Apache-2.0
// nestrt board: loads the design of a board that is driven without XRT, and checks its set-up.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "drivers/evta/driver/component.h"
#include "tools/nestrt/commands.h"
#include "tools/nestrt/load.h"
#include "tools/support/text/printable.h"

namespace nestrt::command {
namespace {

struct BoardOptions {
  std::string action, device, configuration, bitstream, overlay, json;
  double device_wait = 0;  // in seconds
};

Json to_json(const evta::BoardCheck& check) {
  return {{"check", check.what},
          {"ok", check.status.ok()},
          {"found", check.found},
          {"advice", check.advice},
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
  if (!check.advice.empty()) fmt::print("{:<8}{:<17}{}\n", "CHECK", check.what, tools::printable_message(check.advice));
}

Result<const evta::Configuration*> configuration_of(const BoardOptions& options) {
  if (options.configuration.empty()) return &evta::kConfigurations[0];
  Result<const evta::Configuration*> found = evta::read_configuration(options.configuration);
  if (found) return found;
  return Status(Code::kInvalidArgument,
                fmt::format("unknown configuration '{}': {}; one is '{}'", tools::printable(options.configuration),
                            found.error().message(), evta::kConfigurations[0].name));
}

// Options of another action would have no effect.
Status check_options(const BoardOptions& options) {
  const bool is_load = options.action == "load";
  if (!is_load && (!options.bitstream.empty() || !options.overlay.empty() || options.device_wait != 0))
    return Status(Code::kInvalidArgument,
                  fmt::format("--bitstream, --overlay and --device-wait need the action load, not {}", options.action));
  if (is_load && (!options.device.empty() || !options.configuration.empty()))
    return Status(Code::kInvalidArgument, "--device and --configuration need the action setup or probe, not load");
  return {};
}

Result<std::vector<evta::BoardCheck>> perform(const BoardOptions& options) {
  NESTRT_ASSIGN_OR_RETURN(const evta::Component* const component, evta::find_component("uio"));
  if (options.action == "load") {
    const std::chrono::duration<double> wait(options.device_wait);
    return component->load_design({options.bitstream, options.overlay},
                                  std::chrono::duration_cast<std::chrono::milliseconds>(wait));
  }
  evta::TransportRequest request;
  NESTRT_ASSIGN_OR_RETURN(request.configuration, configuration_of(options));
  request.device = options.device;
  return component->check_board(request, options.action == "probe");
}

Result<ExitCode> run_board(const BoardOptions& options) {
  NESTRT_RETURN_IF_ERROR(check_output_files({options.json}, {}));
  NESTRT_RETURN_IF_ERROR(check_options(options));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<evta::BoardCheck> checks, perform(options));
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
      "board",
      "Load the design of a board that is driven without XRT (evta:uio), check its set-up, and show how to correct it",
      {"nestrt board load --overlay evta.dtbo", "nestrt board setup", "nestrt board probe --device uio0@udmabuf0"},
      [options] { return run_board(*options); });
  app.add_option(
         "ACTION", options->action,
         "load: put a design into the fabric, as root; setup: check drivers, addresses, rights, memory, port widths "
         "and fabric without accessing a register; probe: if all of that is in order, also read the registers and run "
         "a program with a known result")
      .required()
      .one_of({"load", "setup", "probe"});
  app.add_option(
         "--overlay", options->overlay,
         "load: the device tree overlay in /lib/firmware, which also loads the bitstream that it names; replaces "
         "the overlay of the same name")
      .type_name("FILE")
      .not_empty();
  app.add_option("--bitstream", options->bitstream, "load: the bitstream (.bit.bin) in /lib/firmware")
      .type_name("FILE")
      .not_empty();
  app.add_option("--device-wait", options->device_wait,
                 "load: how long to wait for a process that uses the accelerator")
      .between(0, 1e6)
      .show_default()
      .type_name("SECONDS");
  app.add_option("--device", options->device,
                 "the accelerator's registers and memory, such as uio0, mem:0xa0000000 or uio0@udmabuf0; default: "
                 "$NESTRT_DEVICE, or the first of each");
  app.add_option("--configuration", options->configuration,
                 "the configuration that the bitstream was built for; default: 1x16_15_15_18_17");
  add_json_option(app, options->json, "the same information");
}

}  // namespace nestrt::command
