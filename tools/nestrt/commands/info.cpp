// SPDX-License-Identifier: Apache-2.0
// nestrt info: shows the content of a plan and the kernels that run it on this machine, or the units of the machine.
#include <fmt/format.h>

#include "tools/nestrt/commands.h"
#include "tools/nestrt/figures/summaries.h"
#include "tools/nestrt/load.h"
#include "tools/nestrt/units.h"

namespace nestrt::command {
namespace {

struct InfoOptions {
  std::string plan;
  std::string json;
  UnitChoice units;
};

size_t count_repacked(const PlanSummary& summary) {
  size_t count = 0;
  for (const OperatorRow& op : summary.operators) count += op.repacked;
  return count;
}

std::string list_of(const std::vector<float>& values) { return fmt::format("{}", fmt::join(values, ",")); }

std::string format_preprocessing(const Preprocessing& p) {
  std::string size = p.resize > 0 ? fmt::format("shorter side to {}, centre crop", p.resize) : "resize to the input";
  if (p.letterbox) size = fmt::format("resize into the input, pad with {}", p.pad);
  if (!p.antialias) size += " without antialiasing";
  return fmt::format("{}; x = (pixel - [{}]) * [{}]{}", size, list_of(p.mean), list_of(p.scale), p.bgr ? "; BGR" : "");
}

void print_head(const PlanSummary& summary, const std::string& path) {
  Table table({{""}, {""}});
  const auto row = [&](std::string what, std::string value) {
    table.add_row({std::move(what), tools::printable(value)});
  };
  row("plan", path);
  row("model", summary.model);
  row("producer", summary.producer);
  row("digest", summary.digest);
  row("targets", fmt::format("{}", fmt::join(summary.targets, ", ")));
  row("file", tools::format_bytes(summary.file_bytes));
  row("weights", fmt::format("{}{}", tools::format_bytes(summary.weight_bytes),
                             summary.program_bytes == 0 ? ""
                                                        : fmt::format(", including {} in programs of other units",
                                                                      tools::format_bytes(summary.program_bytes))));
  row("arena", fmt::format("{} (lower bound {})", tools::format_bytes(summary.memory.arena_bytes),
                           tools::format_bytes(summary.arena_lower_bound_bytes)));
  row("scratch", tools::format_bytes(summary.memory.scratch_bytes));
  const size_t repacked = count_repacked(summary);
  row("repacked", repacked == 0 ? "none; the weights are packed for this CPU"
                                : fmt::format("{} of {} operators ({}); the plan has no weights for this CPU; add it "
                                              "to --target, such as zcu102,host",
                                              repacked, summary.operators.size(),
                                              tools::format_bytes(summary.memory.repacked_bytes)));
  row("row fusion", tools::describe_row_fusion(summary.traffic));
  row("operators", fmt::format("{} in {} branches, {}", summary.operators.size(), summary.num_branches,
                               tools::format_count(static_cast<double>(summary.traffic.macs), "MAC")));
  fmt::print("{}", table.to_string());
}

void print_tensors(const Plan& plan) {
  fmt::print("\ninputs\n{}", describe(plan.inputs()));
  for (size_t i = 0; i < plan.inputs().size(); ++i) {
    const Preprocessing* preprocessing = plan.preprocessing(i);
    if (preprocessing == nullptr) continue;
    fmt::print("  {} from an image: {}\n", tools::printable(plan.inputs()[i].name),
               format_preprocessing(*preprocessing));
  }
  fmt::print("outputs\n{}\n", describe(plan.outputs()));
}

std::string shapes_of(std::span<const TensorInfo> infos) {
  std::vector<std::string> shapes;
  for (const TensorInfo& info : infos) shapes.push_back(info.shape.to_string());
  return fmt::format("{}", fmt::join(shapes, ", "));
}

// The information printed before applies to one of the shapes.
void print_shapes(const Plan& whole) {
  if (whole.shapes().empty()) return;
  Table table({{"shape", Align::kRight}, {"inputs"}, {"outputs"}, {"arena", Align::kRight}});
  for (const auto& shape : whole.shapes())
    table.add_row({std::to_string(shape->shape_index() + 1), shapes_of(shape->inputs()), shapes_of(shape->outputs()),
                   tools::format_bytes(shape->tables().memory_plans[0].arena_bytes)});
  fmt::print("{}\n", table.to_string());
}

Json to_json(const TensorInfo& info) {
  return {{"name", info.name}, {"type", name(info.type)}, {"shape", Json::array(info.shape.dims())}};
}

Json to_json(const Preprocessing& p) {
  return {{"mean", Json::array(p.mean)}, {"scale", Json::array(p.scale)},
          {"resize", p.resize},          {"bgr", p.bgr},
          {"letterbox", p.letterbox},    {"pad", int{p.pad}},
          {"antialias", p.antialias}};
}

Json inputs_to_json(const Plan& plan) {
  Json list = Json::array();
  for (size_t i = 0; i < plan.inputs().size(); ++i) {
    Json input = to_json(plan.inputs()[i]);
    if (const Preprocessing* p = plan.preprocessing(i); p != nullptr) input.set("preprocessing", to_json(*p));
    list.push_back(std::move(input));
  }
  return list;
}

Json outputs_to_json(const Plan& plan) {
  Json list = Json::array();
  for (const TensorInfo& info : plan.outputs()) list.push_back(to_json(info));
  return list;
}

Json shapes_to_json(const Plan& whole) {
  Json list = Json::array();
  for (const auto& shape : whole.shapes())
    list.push_back({{"inputs", inputs_to_json(*shape)}, {"outputs", outputs_to_json(*shape)}});
  return list;
}

void print_operators(const PlanSummary& summary) {
  Table table({{"operator"}, {"kind"}, {"output"}, {"type"}, {"work", Align::kRight}, {"unit"}, {"kernel"}, {""}});
  for (const OperatorRow& op : summary.operators) {
    table.add_row({tools::printable(op.name), op.kind, op.output_shape, op.output_type,
                   op.macs > 0 ? tools::format_count(static_cast<double>(op.macs), "MAC") : "", op.unit, op.kernel,
                   op.repacked       ? "repacked"
                   : op.is_row_fused ? "row-fused with the next"
                                     : ""});
  }
  fmt::print("{}", table.to_string());
}

Json operators_to_json(const PlanSummary& summary) {
  Json list = Json::array();
  for (const OperatorRow& op : summary.operators) {
    list.push_back(Json{{"name", op.name},
                        {"kind", op.kind},
                        {"output_shape", op.output_shape},
                        {"output_type", op.output_type},
                        {"macs", op.macs},
                        {"moved_bytes", op.moved_bytes},
                        {"unit", op.unit},
                        {"kernel", op.kernel},
                        {"repacked", op.repacked},
                        {"is_row_fused", op.is_row_fused}});
  }
  return list;
}

Json to_json(const Plan& plan, const Plan& whole, const PlanSummary& summary) {
  return Json{{"model", summary.model},
              {"producer", summary.producer},
              {"digest", summary.digest},
              {"targets", Json::array(summary.targets)},
              {"file_bytes", summary.file_bytes},
              {"weight_bytes", summary.weight_bytes},
              {"arena_bytes", summary.memory.arena_bytes},
              {"arena_lower_bound_bytes", summary.arena_lower_bound_bytes},
              {"scratch_bytes", summary.memory.scratch_bytes},
              {"repacked_bytes", summary.memory.repacked_bytes},
              {"repacked_operators", count_repacked(summary)},
              {"macs", summary.traffic.macs},
              {"branches", summary.num_branches},
              {"inputs", inputs_to_json(plan)},
              {"outputs", outputs_to_json(plan)},
              {"shapes", shapes_to_json(whole)},
              {"operators", operators_to_json(summary)}};
}

// Rejects options that have no effect without a plan.
Status check_without_plan(const UnitChoice& choice) {
  const UnitChoice defaults;
  if (!choice.plugin.empty())
    return {Code::kInvalidArgument,
            "--plugin requires a plan; use nestrt conformance --plugin to test a vendor library without one"};
  const std::pair<const char*, bool> options[] = {{"--units", choice.units != defaults.units},
                                                  {"--cpus", !choice.cpus.empty()},
                                                  {"--threads", choice.threads != defaults.threads},
                                                  {"--pace", choice.pace != defaults.pace},
                                                  {"--schedule", choice.method != defaults.method},
                                                  {"--no-split", !choice.split_channels},
                                                  {"--partition", !choice.partition.empty()},
                                                  {"--cost-file", !choice.cost_file.empty()},
                                                  {"--check-every", choice.check_every != defaults.check_every},
                                                  {"--plugin-options", !choice.plugin_options.empty()},
                                                  {"--isolate", choice.isolate},
                                                  {"--shape", choice.shape != defaults.shape}};
  for (const auto& [name, given] : options)
    if (given)
      return {Code::kInvalidArgument,
              fmt::format("{} requires a plan; without one nestrt info shows all known units", name)};
  return {};
}

Result<ExitCode> run_info(const InfoOptions& options) {
  if (options.plan.empty()) {
    NESTRT_RETURN_IF_ERROR(check_without_plan(options.units));
    NESTRT_RETURN_IF_ERROR(check_output_files({options.json}, {}));
    NESTRT_RETURN_IF_ERROR(show_units(options.units, options.json));
    return ExitCode::kOk;
  }
  NESTRT_RETURN_IF_ERROR(check_output_files({options.json}, {options.plan}));
  NESTRT_ASSIGN_OR_RETURN(const LoadedPlan loaded, load_plan(options.plan, options.units));
  NESTRT_ASSIGN_OR_RETURN(const auto whole, Plan::map(options.plan, Verification::kTables));
  const PlanSummary summary = summarize_plan(*loaded.session);
  if (!options.json.empty())
    NESTRT_RETURN_IF_ERROR(tools::write_json(options.json, to_json(*loaded.plan, *whole, summary)));
  print_head(summary, options.plan);
  print_tensors(*loaded.plan);
  print_shapes(*whole);
  print_operators(summary);
  return ExitCode::kOk;
}

}  // namespace

void add_info(tools::Cli& cli) {
  auto options = std::make_shared<InfoOptions>();
  tools::Command app = cli.add_command(
      "info", "Show inputs, outputs, operators, kernels and memory of a plan, or the units of this machine",
      {"nestrt info squeezenet.nest", "nestrt info squeezenet.nest --json info.json", "nestrt info"},
      [options] { return run_info(*options); });
  app.add_option("PLAN", options->plan, "compiled network (.nest); default: show the units and why one is not usable")
      .type_name("FILE");
  add_json_option(app, options->json, "the same information");
  add_unit_options(app, options->units);
  add_schedule_options(app, options->units);
}

}  // namespace nestrt::command
