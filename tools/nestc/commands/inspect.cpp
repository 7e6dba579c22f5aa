// SPDX-License-Identifier: Apache-2.0
// nestc inspect: shows the content of a plan, or of the plan that would be compiled from a model.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "compiler-lite/compile.h"
#include "nestrt/open_units.h"
#include "nestrt/plan.h"
#include "nestrt/session.h"
#include "runtime/plan/format/format.h"
#include "runtime/plan/format/kernel_alternatives.h"
#include "runtime/plan/queries/describe.h"
#include "tools/nestc/assembly.h"
#include "tools/nestc/command.h"
#include "tools/nestc/options/compile_options.h"
#include "tools/nestc/plan_file.h"
#include "tools/nestc/regions.h"
#include "tools/nestc/report_files.h"
#include "tools/support/image/preprocessing_warnings.h"
#include "tools/support/page/page.h"
#include "tools/support/page/plan_figures.h"
#include "tools/support/report/traffic.h"
#include "tools/support/text/cli.h"
#include "tools/support/text/files.h"
#include "tools/support/text/json.h"
#include "tools/support/text/table.h"

namespace nestrt::compiler {
namespace {

struct InspectCommand {
  CompileFlags flags;
  std::string file;
  std::string json;
  std::string html;
  bool assembly = false;
  bool regions = false;
  bool reference = false;

  Status run() const;
};

// A plan that a session accepts, so that all operators are valid, with the file content it may refer to.
struct LoadedPlan {
  std::optional<PlanBytes> bytes;
  std::shared_ptr<const Plan> plan;
  std::unique_ptr<Session> session;  // null if another compiler owns a branch, which requires its unit

  // Returns, per operator, its kernel, or without a session the units that have a program for it.
  std::vector<std::string> kernels() const;
};

bool runs_on_host(const plan::Tables& tables) {
  return std::ranges::all_of(tables.branches, [](const plan::Branch& branch) {
    return std::ranges::any_of(branch.programs,
                               [](const auto& program) { return program.kind == plan::ProgramKind::kKernels; });
  });
}

std::vector<std::string> LoadedPlan::kernels() const {
  std::vector<std::string> names;
  if (session)
    for (const OperatorSummary& summary : session->operators()) names.emplace_back(summary.kernel);
  for (uint32_t op = 0; !session && op < plan->tables().operators.size(); ++op)
    names.push_back(tools::units_of(plan->tables(), op));
  return names;
}

// Returns whether a kernel is the plain loop that defines its operator.
bool is_reference(std::string_view kernel) { return kernel.ends_with(".reference"); }

Result<LoadedPlan> load(const std::string& path, const CompileFlags& flags) {
  LoadedPlan loaded;
  if (is_plan_file(path)) {
    if (const std::string given = flags.first_given(); !given.empty())
      return Status(Code::kInvalidArgument,
                    given + " applies to compiling a model, but '" + path + "' is already a plan");
    NESTRT_ASSIGN_OR_RETURN(loaded.plan, Plan::map(path, Verification::kComplete));
  } else {
    NESTRT_ASSIGN_OR_RETURN(const CompileOptions options, flags.options());
    NESTRT_ASSIGN_OR_RETURN(loaded.bytes, compile(path, options));
    NESTRT_ASSIGN_OR_RETURN(loaded.plan, Plan::from_memory(loaded.bytes->span()));
    tools::warn_about_input_range(loaded.plan->tables());
  }
  if (!runs_on_host(loaded.plan->tables())) return loaded;
  NESTRT_ASSIGN_OR_RETURN(UnitList units, open_units("cpu", {.num_threads = 1}));
  NESTRT_ASSIGN_OR_RETURN(loaded.session, Session::create(loaded.plan, std::move(units)));
  return loaded;
}

// Returns the first operand that is present.
const plan::Tensor* first_of(const plan::Tables& tables, const std::vector<int32_t>& operands) {
  for (int32_t index : operands)
    if (index >= 0) return &tables.tensors[static_cast<uint32_t>(index)];
  return nullptr;
}

std::string shape_text(const plan::Tensor* tensor) { return tensor == nullptr ? "-" : tensor->shape.to_string(); }

std::string type_of(const plan::Tensor* tensor) { return tensor == nullptr ? "-" : describe_type(*tensor); }

std::string_view layout_of(const plan::Tensor* tensor) { return tensor == nullptr ? "-" : name(tensor->layout); }

// Formats a count in units of `unit`; empty for zero, so that other numbers stand out.
std::string cell(uint64_t count, double unit, int digits) {
  return count == 0 ? "" : fmt::format("{:.{}f}", static_cast<double>(count) / unit, digits);
}

std::string intensity_cell(const OperatorStatistics& s) {
  return s.macs == 0 ? "" : fmt::format("{:.1f}", s.intensity());
}

std::vector<std::string> statistics_cells(const OperatorStatistics& s) {
  return {cell(s.macs, 1e6, 2), cell(s.weight_bytes, 1e3, 1), cell(s.bytes(), 1e3, 1), intensity_cell(s)};
}

void add_to(OperatorStatistics& total, const OperatorStatistics& s) {
  total.macs += s.macs;
  total.input_bytes += s.input_bytes;
  total.output_bytes += s.output_bytes;
  total.weight_bytes += s.weight_bytes;
}

// `only_reference`: lists only operators that use the reference kernel.
tools::Table operator_table(const LoadedPlan& loaded, bool only_reference = false) {
  const plan::Tables& tables = loaded.plan->tables();
  const std::vector<std::string> kernels = loaded.kernels();
  using enum tools::Align;
  tools::Table table({{"#", kRight},
                      {"operator"},
                      {"kind"},
                      {"kernel"},
                      {"input"},
                      {"output"},
                      {"type"},
                      {"layout"},
                      {"MMAC", kRight},
                      {"weights KB", kRight},
                      {"moved KB", kRight},
                      {"MAC/B", kRight}});
  const auto add_row = [&](std::vector<std::string> cells, const OperatorStatistics& s) {
    for (std::string& numbers : statistics_cells(s)) cells.push_back(std::move(numbers));
    table.add_row(std::move(cells));
  };
  OperatorStatistics total;
  for (uint32_t i = 0; i < tables.operators.size(); ++i) {
    if (only_reference && !is_reference(kernels[i])) continue;
    const plan::Operator& op = tables.operators[i];
    const plan::Tensor* output = first_of(tables, op.outputs);
    const OperatorStatistics s = tools::moved_by(tables, op);
    add_row(
        {std::to_string(i), tools::printable(op.name), std::string(ops::name(op.kind())), kernels[i],
         shape_text(first_of(tables, op.inputs)), shape_text(output), type_of(output), std::string(layout_of(output))},
        s);
    add_to(total, s);
  }
  add_row({"", "total", "", "", "", "", "", ""}, total);
  return table;
}

double ratio(const plan::MemoryPlan& memory) {
  const uint64_t bound = memory.lower_bound_bytes;
  return bound == 0 ? 1.0 : static_cast<double>(memory.arena_bytes) / static_cast<double>(bound);
}

tools::Table memory_table(const plan::Tables& tables) {
  using enum tools::Align;
  tools::Table table({{"memory plan"}, {"arena", kRight}, {"largest live set", kRight}, {"ratio", kRight}});
  for (const plan::MemoryPlan& memory : tables.memory_plans) {
    table.add_row({std::string(plan::name(memory.kind)), tools::format_bytes(memory.arena_bytes),
                   tools::format_bytes(memory.lower_bound_bytes), fmt::format("{:.3f}", ratio(memory))});
  }
  return table;
}

std::string describe_shape(const Plan& shape) {
  std::string text;
  for (const TensorInfo& info : shape.inputs())
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", tools::printable(info.name), info.shape.to_string());
  return fmt::format("{}: {}, arena {}", shape.shape_index() + 1, text,
                     tools::format_bytes(shape.tables().memory_plans[0].arena_bytes));
}

// Returns the alternative kernels that a session may select, by instruction set.
tools::Table alternatives_table(const plan::Tables& tables) {
  tools::Table table({{"#", tools::Align::kRight}, {"operator"}, {"CPU"}, {"kernel"}, {"other kernels"}, {"weights"}});
  for (const plan::Branch& branch : tables.branches)
    for (const plan::Program& program : branch.programs)
      for (const plan::KernelSelection& selection : program.selections)
        for (const plan::KernelAlternative& other : selection.alternatives) {
          const uint32_t op = branch.operators[other.op];
          table.add_row({std::to_string(op), tools::printable(tables.operators[op].name),
                         tools::printable(selection.instruction_set),
                         tools::printable(tables.kernel_names[selection.kernels[other.op]]),
                         tools::printable(tables.kernel_names[other.kernel]), other.weights >= 0 ? "in the plan" : ""});
        }
  return table;
}

// Returns how many operators run on reference kernels, which are slow, and the names of the first.
std::string describe_reference_kernels(const LoadedPlan& loaded) {
  constexpr size_t kMaxNames = 8;
  const std::vector<std::string> kernels = loaded.kernels();
  std::string names;
  size_t count = 0;
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (!is_reference(kernels[i])) continue;
    if (count++ < kMaxNames) names += ", " + tools::printable(loaded.plan->tables().operators[i].name);
  }
  if (count == 0) return "no operator runs on a reference kernel";
  return fmt::format("{} of {} operators run on reference kernels: {}{}", count, kernels.size(), names.substr(2),
                     count > kMaxNames ? ", ..." : "");
}

tools::PageDetails summary(const LoadedPlan& loaded) {
  const Plan& plan = *loaded.plan;
  const plan::Tables& tables = plan.tables();
  plan_format::Header header;
  std::memcpy(&header, plan.bytes().data(), sizeof header);
  tools::PageDetails facts{
      {"model", tools::printable(tables.model_name)},
      {"producer", fmt::format("{}, digest {}", tools::printable(tables.producer), plan.digest())}};
  const auto add_tensors = [&](const char* what, std::span<const TensorInfo> infos) {
    for (const TensorInfo& info : infos)
      facts.emplace_back(what,
                         fmt::format("{} {} {}", tools::printable(info.name), name(info.type), info.shape.to_string()));
  };
  add_tensors("input", plan.inputs());
  add_tensors("output", plan.outputs());
  for (const auto& shape : plan.shapes())
    if (shape->shape_index() > 0) facts.emplace_back("shape", describe_shape(*shape));
  const uint64_t programs = tools::program_bytes(plan.tables());
  facts.emplace_back(
      "file",
      fmt::format("{}: tables {}, {}weights {}", tools::format_bytes(plan.bytes().size()),
                  tools::format_bytes(header.tables_bytes),
                  programs > 0 ? fmt::format("programs of other units {}, ", tools::format_bytes(programs)) : "",
                  tools::format_bytes(header.data_bytes - std::min(programs, header.data_bytes))));
  for (const auto& [op, placement] : tools::vendor_placements(tables))
    facts.emplace_back("vendor", fmt::format("{}: {}", op, placement));
  if (!loaded.session) return facts;
  facts.emplace_back("scratch", fmt::format("{} for the operator that needs the most",
                                            tools::format_bytes(loaded.session->memory().scratch_bytes)));
  facts.emplace_back("reference", describe_reference_kernels(loaded));
  facts.emplace_back("row fusion", tools::describe_row_fusion(tools::traffic_of(*loaded.session)));
  return facts;
}

void print_summary(const LoadedPlan& loaded) {
  for (const auto& [what, text] : summary(loaded)) fmt::print("{:<9} {}\n", what, text);
  fmt::print("\n");
}

tools::Page page_of(const LoadedPlan& loaded) {
  const plan::Tables& tables = loaded.plan->tables();
  tools::Page page(tables.model_name, "nestc inspect");
  page.add_facts("The plan", summary(loaded));
  tools::add_operator_graph(
      page, "Operators", tables,
      [&](uint32_t op) {
        return tools::OperatorMark{tools::units_of(tables, op), {}};
      },
      "Coloured by the units that have a program for each operator.");
  page.add_table("What operators compute and move", operator_table(loaded));
  if (names_alternatives(tables))
    page.add_table("Kernels that a session may use instead of the compiler's choice", alternatives_table(tables));
  tools::add_memory_map(page, tables);
  page.add_table("Memory plans", memory_table(tables));
  return page;
}

tools::Json to_json(std::span<const TensorInfo> infos) {
  tools::Json list = tools::Json::array();
  for (const TensorInfo& info : infos) {
    list.push_back({{"name", info.name}, {"type", name(info.type)}, {"shape", tools::Json::array(info.shape.dims())}});
  }
  return list;
}

tools::Json to_json(const plan::Tables& tables, const plan::Operator& op, std::string_view kernel) {
  const OperatorStatistics s = tools::moved_by(tables, op);
  const plan::Tensor* output = first_of(tables, op.outputs);
  return {{"name", op.name},
          {"kind", ops::name(op.kind())},
          {"kernel", kernel},
          {"is_reference", is_reference(kernel)},
          {"input", shape_text(first_of(tables, op.inputs))},
          {"output", shape_text(output)},
          {"type", type_of(output)},
          {"layout", layout_of(output)},
          {"macs", s.macs},
          {"weight_bytes", s.weight_bytes},
          {"bytes", s.bytes()}};
}

tools::Json to_json(const std::vector<plan::MemoryPlan>& memory_plans) {
  tools::Json result;
  for (const plan::MemoryPlan& memory : memory_plans) {
    result.set(plan::name(memory.kind), {{"arena_bytes", memory.arena_bytes},
                                         {"lower_bound_bytes", memory.lower_bound_bytes},
                                         {"ratio", ratio(memory)}});
  }
  return result;
}

tools::Json to_json(const LoadedPlan& loaded) {
  const Plan& plan = *loaded.plan;
  const plan::Tables& tables = plan.tables();
  const std::vector<std::string> kernels = loaded.kernels();
  tools::Json operators = tools::Json::array();
  for (uint32_t i = 0; i < tables.operators.size(); ++i)
    operators.push_back(to_json(tables, tables.operators[i], kernels[i]));
  return {{"model", tables.model_name},
          {"digest", plan.digest()},
          {"file_bytes", plan.bytes().size()},
          {"inputs", to_json(plan.inputs())},
          {"outputs", to_json(plan.outputs())},
          {"operators", std::move(operators)},
          {"memory", to_json(tables.memory_plans)},
          {"regions", regions_json(tables)}};
}

Status InspectCommand::run() const {
  NESTRT_RETURN_IF_ERROR(check_report_files({json, html}, file, flags));
  NESTRT_ASSIGN_OR_RETURN(const LoadedPlan loaded, load(file, flags));
  if (assembly) return print_assembly(*loaded.plan);
  if (regions) {
    print_regions(loaded.plan->tables());
  } else {
    print_summary(loaded);
    fmt::print("{}\n{}", operator_table(loaded, reference).to_string(),
               memory_table(loaded.plan->tables()).to_string());
    if (names_alternatives(loaded.plan->tables()))
      fmt::print("\n{}", alternatives_table(loaded.plan->tables()).to_string());
  }
  if (!html.empty()) NESTRT_RETURN_IF_ERROR(tools::write_page(html, page_of(loaded)));
  if (json.empty()) return {};
  return tools::write_json(json, to_json(loaded));
}

}  // namespace

void add_inspect_command(tools::Cli& cli) {
  auto command = std::make_shared<InspectCommand>();
  tools::Command app = cli.add_command(
      "inspect", "show operators, memory and sizes of a plan, or of the plan that a model would be compiled to",
      {"nestc inspect squeezenet.nest", "nestc inspect squeezenet1.1.onnx --json squeezenet.json",
       "nestc inspect squeezenet.nest --regions", "nestc inspect squeezenet.nest --asm | less"},
      [command]() -> Result<tools::ExitCode> {
        NESTRT_RETURN_IF_ERROR(command->run());
        return tools::ExitCode::kOk;
      });
  app.add_option("file", command->file, "a plan (.nest) or a model (.onnx, .tflite)").required();
  const tools::Option json = app.add_option("--json", command->json, "also write the tables to this file").not_empty();
  const tools::Option page = tools::add_html_option(app, command->html);
  const tools::Option assembly =
      app.add_flag("--asm", command->assembly, "show the instructions and the memory of the programs for EVTA")
          .excludes(json)
          .excludes(page);
  app.add_flag("--reference", command->reference,
               "list only the operators that run on reference kernels, which are plain loops and slow")
      .excludes(assembly);
  app.add_flag("--regions", command->regions,
               "show which branches can run concurrently: parallel groups and the tree of branches")
      .excludes(assembly);
  command->flags.add_to(app);
}

}  // namespace nestrt::compiler
