// SPDX-License-Identifier: Apache-2.0
// nestc join: combines the parts of a model into one ONNX file.
#include <filesystem>
#include <iostream>
#include <memory>
#include <span>

#include "compiler-lite/graph/same_graph.h"
#include "compiler-lite/import/import_model.h"
#include "compiler-lite/parts/export_parts.h"
#include "compiler-lite/parts/join.h"
#include "tools/nestc/command.h"
#include "tools/nestc/options/import_options.h"
#include "tools/support/text/files.h"

namespace nestrt::compiler {
namespace {

struct JoinCommand {
  ImportFlags flags;
  std::string manifest;
  std::string output;
  std::string model;

  Result<tools::ExitCode> run() const;

 private:
  Result<tools::ExitCode> compare(const Manifest& stated, const std::string& joined) const;
};

// Compares graphs, since value names may differ.
Result<tools::ExitCode> JoinCommand::compare(const Manifest& stated, const std::string& joined) const {
  NESTRT_ASSIGN_OR_RETURN(const ImportOptions options, flags.options());
  NESTRT_ASSIGN_OR_RETURN(Graph expected, import_model(model, options));
  if (stated.folded_batch_norm) NESTRT_RETURN_IF_ERROR(fold_batch_normalization(expected));
  NESTRT_ASSIGN_OR_RETURN(const Graph actual, import_onnx(std::as_bytes(std::span(joined))));
  const Status same = same_graph(actual, expected);
  std::cout << (same.ok() ? "the parts form the complete model\n" : std::string(same.message()) + "\n");
  return same.ok() ? tools::ExitCode::kOk : tools::ExitCode::kMismatch;
}

Result<tools::ExitCode> JoinCommand::run() const {
  for (const std::string& input : {manifest, model})
    if (!input.empty()) NESTRT_RETURN_IF_ERROR(tools::check_not_input(output, input));
  NESTRT_ASSIGN_OR_RETURN(const Manifest stated, read_manifest(manifest));
  for (const ManifestPart& part : stated.parts) {
    const std::filesystem::path file = std::filesystem::path(manifest).parent_path() / part.file;
    NESTRT_RETURN_IF_ERROR(tools::check_not_input(output, file.string()));
  }
  NESTRT_RETURN_IF_ERROR(tools::check_writable(output, tools::Written::kModel));
  NESTRT_ASSIGN_OR_RETURN(const std::string joined, join_parts(manifest));
  NESTRT_RETURN_IF_ERROR(tools::write_file(output, std::as_bytes(std::span(joined))));
  return model.empty() ? tools::ExitCode::kOk : compare(stated, joined);
}

}  // namespace

void add_join_command(tools::Cli& cli) {
  auto command = std::make_shared<JoinCommand>();
  tools::Command app = cli.add_command("join", "join the parts of a model",
                                       {"nestc join parts/manifest.json -o joined.onnx",
                                        "nestc join parts/manifest.json -o joined.onnx --against model.onnx"},
                                       [command] { return command->run(); });
  app.add_option("manifest", command->manifest, "the manifest.json of nestc partition").required();
  app.add_option("-o,--output", command->output, "the ONNX model to write").required().not_empty();
  tools::Option against = app.add_option(
      "--against", command->model,
      "the original model: compare operator by operator, and constants bit for bit; exit code 1 if they differ");
  against.not_empty();
  for (tools::Option option : command->flags.add_to(app)) option.needs(against);
}

}  // namespace nestrt::compiler
