// nestc inspect: what is in a plan, or what a model would become.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "compiler-lite/command/command.h"
#include "compiler-lite/command/compile_options.h"
#include "compiler-lite/compile.h"
#include "nestrt/plan.h"
#include "nestrt/session.h"
#include "runtime/plan/format.h"
#include "runtime/plan/statistics.h"
#include "runtime/tools/cli.h"
#include "runtime/tools/files.h"
#include "runtime/tools/table.h"

namespace nestrt::compiler {
namespace {

struct InspectCommand {
  CompileFlags flags;
  std::string file;
  std::string json;

  Status run() const;
};

// A plan that a session accepts (so that every operator obeys its rules), with the bytes that it may live in.
struct LoadedPlan {
  std::optional<PlanBytes> bytes;
  std::unique_ptr<Session> session;
};

bool is_plan_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  char magic[sizeof plan_format::kMagic] = {};
  stream.read(magic, sizeof magic);
  return std::equal(std::begin(magic), std::end(magic), std::begin(plan_format::kMagic));
}

Result<LoadedPlan> load(const std::string& path, const CompileFlags& flags) {
  LoadedPlan loaded;
  std::shared_ptr<const Plan> plan;
  if (is_plan_file(path)) {
    NESTRT_ASSIGN_OR_RETURN(plan, Plan::map(path, Verification::kComplete));
  } else {
    NESTRT_ASSIGN_OR_RETURN(const CompileOptions options, flags.options());
    NESTRT_ASSIGN_OR_RETURN(loaded.bytes, compile(path, options));
    NESTRT_ASSIGN_OR_RETURN(plan, Plan::from_memory(loaded.bytes->span()));
  }
  NESTRT_ASSIGN_OR_RETURN(UnitList units, open_units("cpu", {.num_threads = 1}));
  NESTRT_ASSIGN_OR_RETURN(loaded.session, Session::create(plan, std::move(units)));
  return loaded;
}

std::string name_of(const plan::Operator& op) { return op.name() == nullptr ? "" : tools::printable(op.name()->str()); }

std::string fixed(double value, int digits) {
  char text[48];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string describe(const plan::Tensor& tensor) {
  const Shape shape(std::span(tensor.shape()->data(), tensor.shape()->size()));
  std::string text = shape.to_string();
  if (tensor.layout() != plan::Layout::plain) text += std::string(" ") + plan::EnumNameLayout(tensor.layout());
  return text;
}

// The first present input, and the first output: what a reader looks for.
std::string shapes(const plan::Plan& tables, const plan::Operator& op) {
  const plan::Tensor* input = tables.tensors()->Get(static_cast<uint32_t>(op.inputs()->Get(0)));
  const plan::Tensor* output = tables.tensors()->Get(static_cast<uint32_t>(op.outputs()->Get(0)));
  return describe(*input) + " -> " + describe(*output);
}

void print_operators(const Session& session) {
  const plan::Plan& tables = session.plan().tables();
  const std::vector<OperatorSummary> summaries = session.operators();
  using enum tools::Align;
  tools::Table table({{"#", kRight},
                      {"operator"},
                      {"kind"},
                      {"kernel"},
                      {"shapes"},
                      {"MMAC", kRight},
                      {"weights kB", kRight},
                      {"moved kB", kRight},
                      {"MAC/B", kRight}});
  OperatorStatistics total;
  for (uint32_t i = 0; i < tables.operators()->size(); ++i) {
    const plan::Operator& op = *tables.operators()->Get(i);
    const OperatorStatistics s = statistics(tables, op);
    table.add_row({std::to_string(i), name_of(op), plan::EnumNameAttributes(op.attributes_type()),
                   std::string(summaries[i].kernel), shapes(tables, op), fixed(static_cast<double>(s.macs) / 1e6, 2),
                   fixed(static_cast<double>(s.weight_bytes) / 1e3, 1), fixed(static_cast<double>(s.bytes()) / 1e3, 1),
                   fixed(s.intensity(), 1)});
    total.macs += s.macs;
    total.input_bytes += s.input_bytes;
    total.output_bytes += s.output_bytes;
    total.weight_bytes += s.weight_bytes;
  }
  table.add_row({"", "total", "", "", "", fixed(static_cast<double>(total.macs) / 1e6, 2),
                 fixed(static_cast<double>(total.weight_bytes) / 1e3, 1),
                 fixed(static_cast<double>(total.bytes()) / 1e3, 1), fixed(total.intensity(), 1)});
  std::cout << table.to_string();
}

double ratio(const plan::MemoryPlan& memory) {
  const uint64_t bound = memory.lower_bound_bytes();
  return bound == 0 ? 1.0 : static_cast<double>(memory.arena_bytes()) / static_cast<double>(bound);
}

void print_memory(const plan::Plan& tables) {
  using enum tools::Align;
  tools::Table table({{"memory plan"}, {"arena bytes", kRight}, {"largest live set", kRight}, {"ratio", kRight}});
  for (const plan::MemoryPlan* memory : *tables.memory_plans()) {
    table.add_row({plan::EnumNameMemoryPlanKind(memory->kind()), std::to_string(memory->arena_bytes()),
                   std::to_string(memory->lower_bound_bytes()), fixed(ratio(*memory), 3)});
  }
  std::cout << table.to_string();
}

void print_summary(const Plan& plan) {
  const plan::Plan& tables = plan.tables();
  plan_format::Header header;
  std::memcpy(&header, plan.bytes().data(), sizeof header);
  std::cout << "model     " << (tables.model_name() ? tables.model_name()->str() : "") << "\n";
  std::cout << "producer  " << (tables.producer() ? tables.producer()->str() : "") << ", digest " << plan.digest()
            << "\n";
  for (const TensorInfo& info : plan.inputs())
    std::cout << "input     " << info.name << " " << name(info.type) << " " << info.shape.to_string() << "\n";
  for (const TensorInfo& info : plan.outputs())
    std::cout << "output    " << info.name << " " << name(info.type) << " " << info.shape.to_string() << "\n";
  std::cout << "file      " << plan.bytes().size() << " bytes: tables " << header.tables_bytes << ", weights "
            << header.data_bytes << "; scratch of the hungriest operator " << tables.scratch_bytes() << "\n\n";
}

nlohmann::json to_json(const Session& session) {
  const Plan& plan = session.plan();
  const plan::Plan& tables = plan.tables();
  const std::vector<OperatorSummary> summaries = session.operators();
  nlohmann::json result;
  result["digest"] = plan.digest();
  result["file_bytes"] = plan.bytes().size();
  for (uint32_t i = 0; i < tables.operators()->size(); ++i) {
    const plan::Operator& op = *tables.operators()->Get(i);
    const OperatorStatistics s = statistics(tables, op);
    result["operators"].push_back({{"name", name_of(op)},
                                   {"kind", plan::EnumNameAttributes(op.attributes_type())},
                                   {"kernel", std::string(summaries[i].kernel)},
                                   {"macs", s.macs},
                                   {"weight_bytes", s.weight_bytes},
                                   {"bytes", s.bytes()}});
  }
  for (const plan::MemoryPlan* memory : *tables.memory_plans()) {
    result["memory"][plan::EnumNameMemoryPlanKind(memory->kind())] = {
        {"arena_bytes", memory->arena_bytes()},
        {"lower_bound_bytes", memory->lower_bound_bytes()},
        {"ratio", ratio(*memory)}};
  }
  return result;
}

Status InspectCommand::run() const {
  NESTRT_ASSIGN_OR_RETURN(const LoadedPlan loaded, load(file, flags));
  print_summary(loaded.session->plan());
  print_operators(*loaded.session);
  std::cout << "\n";
  print_memory(loaded.session->plan().tables());
  if (json.empty()) return {};
  return tools::write_text(json, to_json(*loaded.session).dump(2) + "\n");
}

}  // namespace

void add_inspect_command(tools::Cli& cli) {
  auto command = std::make_shared<InspectCommand>();
  CLI::App& app =
      cli.add_command("inspect", "operators, memory and sizes of a plan, or of what a model would become",
                      {"nestc inspect squeezenet.nest", "nestc inspect squeezenet1.1.onnx --json squeezenet.json"},
                      [command]() -> Result<tools::ExitCode> {
                        NESTRT_RETURN_IF_ERROR(command->run());
                        return tools::ExitCode::kOk;
                      });
  app.add_option("file", command->file, "a plan (.nest) or a model (.onnx)")->required();
  app.add_option("--json", command->json, "also write the tables to this file");
  command->flags.add_to(app);
}

}  // namespace nestrt::compiler
