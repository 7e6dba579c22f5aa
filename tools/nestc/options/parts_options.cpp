// SPDX-License-Identifier: Apache-2.0
#include "tools/nestc/options/parts_options.h"

#include <filesystem>
#include <iostream>
#include <span>

#include "compiler-lite/export/export_profile.h"
#include "compiler-lite/import/import_model.h"
#include "compiler-lite/parts/cutting/automatic.h"
#include "compiler-lite/parts/cutting/capability.h"
#include "compiler-lite/parts/cutting/cut.h"
#include "compiler-lite/parts/export_parts.h"
#include "compiler-lite/parts/plan_file.h"
#include "compiler-lite/quantize/profile.h"
#include "tools/nestc/model_files.h"
#include "tools/support/nest_c/nest_c_partition.h"
#include "tools/support/text/files.h"
#include "tools/support/text/table.h"

namespace nestrt::compiler {
namespace {

using tools::Align;

// Returns one part with all operators, the default without a plan.
std::vector<PartSpec> one_part(const Graph& graph) {
  PartSpec part{"all", std::string(kHostBackend), {}};
  for (uint32_t op = 0; op < model_operators(graph).size(); ++op) part.operators.push_back(op);
  return {part};
}

void print(const Manifest& manifest) {
  tools::Table table({{"part"},
                      {"backend"},
                      {"operators", Align::kRight},
                      {"inputs", Align::kRight},
                      {"outputs", Align::kRight},
                      {"after"}});
  for (const ManifestPart& part : manifest.parts) {
    std::string after;
    for (const std::string& name : part.after) after += (after.empty() ? "" : ", ") + name;
    table.add_row({part.name, tools::printable(part.backend), std::to_string(part.operators.size()),
                   std::to_string(part.inputs.size()), std::to_string(part.outputs.size()), after});
  }
  std::cout << table.to_string();
}

// Prints why operators stay on the host.
void print(const AutomaticParts& automatic, const std::vector<ModelOperator>& operators) {
  if (automatic.rejected.empty()) return;
  tools::Table table({{"on the CPU"}, {"reason"}});
  for (const RejectedOperator& rejected : automatic.rejected)
    table.add_row({operators[rejected.op].name, tools::printable(rejected.reason)});
  std::cout << table.to_string() << "\n";
}

}  // namespace

std::vector<tools::Option> ExportFlags::add_to(tools::Command command) {
  return {command.add_option("--opset", opset_, "version of the ONNX operator set (default: 13, or the profile's)")
              .in_range(kOldestExportOpset, kNewestExportOpset),
          command
              .add_option("--profile", profile_,
                          "form of the ONNX that a vendor's compiler accepts (docs/how-to/vendor-compilers.md)")
              .type_name("FILE")
              .not_empty(),
          command
              .add_option("--batch-norm", batch_norm_,
                          "keep BatchNormalization, or fold it into the preceding convolutions if possible")
              .one_of({"keep", "fold"})
              .show_default()};
}

Result<ExportForm> ExportFlags::form() const {
  ExportForm form;
  if (!profile_.empty()) NESTRT_RETURN_IF_ERROR(read_export_profile(profile_, form));
  if (opset_ > 0) form.opset = opset_;
  return form;
}

void PartsFlags::add_to(tools::Command command, const tools::Option& output) {
  tools::Option folder =
      command.add_option("--output-dir", folder_, "folder for the parts of a model and their manifest.json");
  folder.not_empty().excludes(output);
  options_ = {
      folder,
      command
          .add_option("--plan", plan_,
                      "assignment of operators to parts: PARTS.yaml (docs/how-to/vendor-compilers.md), or a NEST-C "
                      "partition plan; default: one part with the whole model")
          .needs(folder)};
  options_.push_back(
      command
          .add_option(
              "--capability", capability_,
              "operators and costs of a vendor's compiler (YAML, docs/how-to/vendor-compilers.md), used instead "
              "of a plan: worthwhile parts go to the vendor, the rest to the CPU")
          .needs(folder)
          .excludes(options_.back()));
  for (const tools::Option& option : export_.add_to(command)) options_.push_back(option);
  for (const tools::Option& option : import_.add_to(command)) options_.push_back(option);
}

std::string PartsFlags::first_given() const {
  for (const tools::Option& option : options_)
    if (option.given()) return option.name();
  return "";
}

Result<Graph> PartsFlags::import(const std::string& model) const {
  NESTRT_RETURN_IF_ERROR(import_.require_one_shape("partition"));
  NESTRT_ASSIGN_OR_RETURN(const ImportOptions options, import_.options());
  NESTRT_ASSIGN_OR_RETURN(Graph graph, import_model(model, options));
  if (export_.folds_batch_norm()) NESTRT_RETURN_IF_ERROR(fold_batch_normalization(graph));
  return graph;
}

Result<std::vector<PartSpec>> PartsFlags::parts_of(const Graph& graph) const {
  if (!plan_.empty()) return read_part_plan(plan_, graph);
  if (capability_.empty()) return one_part(graph);
  NESTRT_ASSIGN_OR_RETURN(const Capability capability, read_capability(capability_));
  NESTRT_ASSIGN_OR_RETURN(const ExportForm form, export_.form());
  NESTRT_ASSIGN_OR_RETURN(AutomaticParts automatic, automatic_parts(graph, capability, form));
  print(automatic, model_operators(graph));
  return std::move(automatic.parts);
}

Status PartsFlags::write(const std::string& model) const {
  NESTRT_ASSIGN_OR_RETURN(const Graph graph, import(model));
  NESTRT_ASSIGN_OR_RETURN(std::vector<PartSpec> parts, parts_of(graph));
  NESTRT_ASSIGN_OR_RETURN(const Cut cut, nestrt::compiler::cut(graph, std::move(parts)));
  NESTRT_ASSIGN_OR_RETURN(const ExportForm form, export_.form());
  PartsOptions options{form, export_.folds_batch_norm(), {}};
  NESTRT_ASSIGN_OR_RETURN(options.model_digest, model_digest(model));
  NESTRT_RETURN_IF_ERROR(tools::make_folder(folder_));
  const std::filesystem::path folder(folder_);
  tools::NewFiles files;
  const auto add = [&](const std::string& file, std::string_view bytes) {
    NESTRT_RETURN_IF_ERROR(check_not_model((folder / file).string(), model));
    return files.add((folder / file).string(), std::as_bytes(std::span(bytes)));
  };
  NESTRT_ASSIGN_OR_RETURN(const Manifest manifest, export_parts(graph, cut, options, add));
  NESTRT_ASSIGN_OR_RETURN(const std::string json, manifest.to_json());
  NESTRT_RETURN_IF_ERROR(files.add_text((folder / kManifestFile).string(), json));
  NESTRT_RETURN_IF_ERROR(files.take_places());
  print(manifest);
  return {};
}

Status PartsFlags::write_names(const std::string& model, const std::string& output) const {
  NESTRT_ASSIGN_OR_RETURN(const Graph graph, import(model));
  tools::NestCPartitionPlan plan;
  plan.function = tools::nest_c_name(graph.name);
  plan.partitions.push_back({"p0", std::string(kHostBackend), 0});
  for (const ModelOperator& op : model_operators(graph)) plan.nodes.emplace_back(op.name, 0);
  return tools::write_text(output, plan.to_yaml());
}

}  // namespace nestrt::compiler
