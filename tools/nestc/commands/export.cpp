// SPDX-License-Identifier: Apache-2.0
// nestc export: writes the imported model as standard ONNX, optionally quantized.
#include <iostream>
#include <memory>
#include <optional>
#include <span>

#include "compiler-lite/compile.h"
#include "compiler-lite/export/export.h"
#include "compiler-lite/import/import_model.h"
#include "compiler-lite/parts/export_parts.h"
#include "tools/nestc/command.h"
#include "tools/nestc/model_files.h"
#include "tools/nestc/options/import_options.h"
#include "tools/nestc/options/parts_options.h"
#include "tools/nestc/options/quantize_options.h"
#include "tools/support/image/image_options.h"
#include "tools/support/image/preprocessing_warnings.h"
#include "tools/support/text/files.h"

namespace nestrt::compiler {
namespace {

struct ExportCommand {
  ImportFlags import;
  tools::ImageFlags images;
  ExportFlags flags;
  QuantizeFlags quantize;
  std::string model;
  std::string output;

  Status run() const;

 private:
  Result<Graph> graph() const;
};

Result<Graph> ExportCommand::graph() const {
  CompileOptions options;
  NESTRT_ASSIGN_OR_RETURN(options.import, import.options());
  options.preprocessing = images.preprocessing();
  if (options.preprocessing) tools::warn_about_preprocessing(*options.preprocessing);
  NESTRT_ASSIGN_OR_RETURN(options.quantization, quantize.quantization(model, options));
  if (options.quantization) return quantized_graph(model, options);
  NESTRT_ASSIGN_OR_RETURN(Graph graph, import_model(model, options.import));
  if (flags.folds_batch_norm()) NESTRT_RETURN_IF_ERROR(fold_batch_normalization(graph));
  return graph;
}

Status ExportCommand::run() const {
  NESTRT_RETURN_IF_ERROR(import.require_one_shape("export"));
  NESTRT_RETURN_IF_ERROR(check_not_model(output, model));
  for (const std::string& file : {output, quantize.saved()}) NESTRT_RETURN_IF_ERROR(import.check_output(file));
  NESTRT_RETURN_IF_ERROR(quantize.check_output(output));
  NESTRT_RETURN_IF_ERROR(quantize.check_saved(model));
  NESTRT_RETURN_IF_ERROR(tools::check_writable(output, tools::Written::kModel));
  NESTRT_ASSIGN_OR_RETURN(const ExportForm form, flags.form());
  NESTRT_ASSIGN_OR_RETURN(const Graph exported, graph());
  NESTRT_ASSIGN_OR_RETURN(const std::string bytes, export_onnx(exported, form));
  NESTRT_RETURN_IF_ERROR(tools::write_file(output, std::as_bytes(std::span(bytes))));
  std::cout << output << ": " << exported.nodes().size() << " operators, opset " << form.opset << "\n";
  return {};
}

}  // namespace

void add_export_command(tools::Cli& cli) {
  auto command = std::make_shared<ExportCommand>();
  tools::Command app =
      cli.add_command("export", "write a model as standard ONNX with one opset, fixed shapes and computed constants",
                      {"nestc export model.onnx -o standard.onnx",
                       "nestc export model.onnx --opset 17 --batch-norm fold -o folded.onnx",
                       "nestc export model.onnx --quantize s8 --calibrate profile.yaml -o qdq.onnx"},
                      [command]() -> Result<tools::ExitCode> {
                        NESTRT_RETURN_IF_ERROR(command->run());
                        return tools::ExitCode::kOk;
                      });
  app.add_option("model", command->model, "the ONNX or TensorFlow Lite file").required();
  app.add_option("-o,--output", command->output, "the ONNX file to write").required().not_empty();
  command->flags.add_to(app);
  command->import.add_to(app);
  command->images.add_to(app);
  command->quantize.add_to(app);
}

}  // namespace nestrt::compiler
