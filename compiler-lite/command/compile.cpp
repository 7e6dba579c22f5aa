// nestc compile: from an ONNX file to a plan.
#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <iostream>

#include "compiler-lite/command/command.h"
#include "compiler-lite/command/compile_options.h"
#include "compiler-lite/compile.h"
#include "nestrt/plan.h"
#include "runtime/tools/cli.h"
#include "runtime/tools/files.h"

namespace nestrt::compiler {
namespace {

struct CompileCommand {
  CompileFlags flags;
  std::string model;
  std::string output;
  bool list_passes = false;

  Status run() const;
};

std::string megabytes(uint64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f MB", static_cast<double>(bytes) / 1e6);
  return text;
}

Status CompileCommand::run() const {
  if (list_passes) {
    for (const Pass& pass : passes()) std::cout << pass.name << "\n";
    return {};
  }
  if (model.empty()) return Status(Code::kInvalidArgument, "no model given; try: nestc compile model.onnx -o model.nest");
  const std::filesystem::path path = output.empty() ? std::filesystem::path(model).replace_extension(".nest") : output;
  NESTRT_ASSIGN_OR_RETURN(const CompileOptions options, flags.options());
  const auto start = std::chrono::steady_clock::now();
  NESTRT_ASSIGN_OR_RETURN(const PlanBytes bytes, compile(model, options));
  NESTRT_RETURN_IF_ERROR(tools::write_file(path.string(), bytes.span()));

  NESTRT_ASSIGN_OR_RETURN(const auto plan, Plan::from_memory(bytes.span()));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const plan::MemoryPlan& memory = *plan->tables().memory_plans()->Get(0);
  std::cout << path.string() << ": " << plan->tables().operators()->size() << " operators, "
            << megabytes(bytes.span().size()) << ", arena " << megabytes(memory.arena_bytes()) << ", compiled in "
            << static_cast<int>(seconds.count() * 1e3) << " ms\n";
  return {};
}

}  // namespace

void add_compile_command(CLI::App& app, int* exit_code) {
  auto command = std::make_shared<CompileCommand>();
  CLI::App* sub = app.add_subcommand("compile", "compile an ONNX file into a plan");
  sub->add_option("model", command->model, "the ONNX file");
  sub->add_option("-o,--output", command->output, "the plan to write (default: the model's name with .nest)");
  sub->add_flag("--passes", command->list_passes, "list the optimisations in their order, and stop");
  command->flags.add_to(*sub);
  sub->footer("Examples:\n"
              "  nestc compile squeezenet1.1.onnx -o squeezenet.nest --mean 123,117,104\n"
              "  nestc compile detector.onnx -o detector.nest --input-shape x=1,3,640,640");
  sub->callback([command, exit_code] { *exit_code = tools::report("nestc compile", command->run()); });
}

}  // namespace nestrt::compiler
