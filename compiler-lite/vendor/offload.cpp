// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/vendor/offload.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <unordered_map>

#include "compiler-lite/codegen/vendor/blob_program.h"
#include "compiler-lite/codegen/vendor/vendor_backend.h"
#include "compiler-lite/vendor/calibration.h"
#include "compiler-lite/vendor/vendor_command.h"
#include "drivers/vendor/answers.h"

namespace nestrt::compiler {
namespace {

std::vector<PartSpec> all_operators(const Graph& graph, const std::string& backend) {
  PartSpec part{"all", backend, {}};
  for (uint32_t op = 0; op < model_operators(graph).size(); ++op) part.operators.push_back(op);
  return {part};
}

Status check_part(const Part& part, const VendorOptions& options) {
  if (part.backend != options.unit)
    return Status(Code::kInvalidArgument,
                  fmt::format("part '{}' is for '{}', but the vendor is '{}'", part.name, part.backend, options.unit));
  return check_vendor_ports(part.exported.inputs.size(), part.exported.outputs.size())
      .with_context(fmt::format("part '{}'", part.name));
}

// Replaces each part with an Opaque operator.
class Replacer {
 public:
  explicit Replacer(Graph& graph) : graph_(graph) {}

  Status replace(const Part& part, int32_t number) {
    std::vector<ValueId> inputs;
    for (const ValueId id : part.exported.inputs) inputs.push_back(now(id));
    std::vector<std::string> names;
    for (const ValueId id : part.exported.outputs) names.push_back(graph_.value(id).name);
    NESTRT_ASSIGN_OR_RETURN(const Node* const node,
                            graph_.add_node(part.name, ops::Opaque{number, results_of(part)}, inputs, names));
    for (size_t i = 0; i < names.size(); ++i) {
      const ValueId before = part.exported.outputs[i], after = node->outputs[i];
      graph_.value(after).quantization = graph_.value(before).quantization;
      graph_.replace_uses(before, after);
      replaced_[before] = after;
    }
    return {};
  }

 private:
  ValueId now(ValueId id) const {
    const auto found = replaced_.find(id);
    return found == replaced_.end() ? id : found->second;
  }

  std::vector<int64_t> results_of(const Part& part) const {
    std::vector<int64_t> results;
    for (const ValueId id : part.exported.outputs) {
      const Value& value = graph_.value(id);
      results.push_back(static_cast<int64_t>(value.type));
      results.push_back(value.shape.rank());
      for (int axis = 0; axis < value.shape.rank(); ++axis) results.push_back(value.shape[axis]);
    }
    return results;
  }

  Graph& graph_;
  std::unordered_map<ValueId, ValueId> replaced_;
};

RegionSize size_of(const Graph& graph, const Part& part, const Cut& cut) {
  RegionSize size{part.operators.size(), 0, 0};
  for (const uint32_t op : part.operators) {
    const ModelOperator& its = cut.operators[op];
    size.macs += macs_of(graph, Subgraph(graph.nodes()).subspan(its.first, its.count));
  }
  for (const auto* borders : {&part.exported.inputs, &part.exported.outputs})
    for (const ValueId id : *borders) size.border_bytes += plain_bytes(graph.value(id));
  return size;
}

// Compiles each of the vendor's parts from the graph as it is before any part is replaced.
class PartCompiler {
 public:
  PartCompiler(const Graph& graph, const Cut& cut, const VendorOptions& options)
      : graph_(graph), cut_(cut), options_(options), names_(graph) {}

  Result<VendorPrograms> run() {
    VendorPrograms programs;
    for (size_t i = 0; i < cut_.parts.size(); ++i) {
      const Part& part = cut_.parts[i];
      if (part.backend == kHostBackend) continue;
      NESTRT_RETURN_IF_ERROR(check_part(part, options_));
      Result<UnitProgram> program = compiled(part);
      if (!program)
        return program.error().with_context(fmt::format("vendor '{}', part '{}'", options_.unit, part.name));
      programs.emplace(static_cast<int32_t>(i), std::move(*program));
    }
    if (!programs.empty()) return programs;
    return Status(Code::kInvalidArgument, fmt::format("the model has no part for vendor '{}'", options_.unit));
  }

 private:
  Result<UnitProgram> compiled(const Part& part) {
    VendorPart input;
    input.name = part.name;
    NESTRT_ASSIGN_OR_RETURN(input.model, export_onnx(graph_, part.exported, names_, options_.form));
    input.inputs = borders_of(graph_, names_, part.exported.inputs);
    input.outputs = borders_of(graph_, names_, part.exported.outputs);
    input.calibrate = [&](const std::string& folder) {
      return write_calibration(graph_, part.exported.inputs, input.inputs, options_.samples, folder);
    };
    NESTRT_ASSIGN_OR_RETURN(VendorOutput output, run_vendor_command(options_, input));
    return program_of(std::move(output), input, options_.cost, size_of(graph_, part, cut_));
  }

  const Graph& graph_;
  const Cut& cut_;
  const VendorOptions& options_;
  ValueNames names_;
};

}  // namespace

Result<VendorOptions> parse_vendor(const std::string& text) {
  const size_t equals = text.find('=');
  VendorOptions options;
  if (equals != std::string::npos) {
    options.unit = text.substr(0, equals);
    options.command = text.substr(equals + 1);
  }
  if (!vendor::is_unit_kind(options.unit))
    return Status(
        Code::kInvalidArgument,
        fmt::format(
            "expected NAME=COMMAND; NAME consists of a-z, 0-9, '_' and '-', starts with a letter, and is neither 'cpu' "
            "nor 'evta'; got '{}'",
            text));
  NESTRT_RETURN_IF_ERROR(check_vendor_command(options.command));
  return options;
}

Result<std::shared_ptr<Backend>> offload_parts(Graph& graph, const VendorOptions& options) {
  std::vector<PartSpec> specs = all_operators(graph, options.unit);
  if (options.parts) {
    NESTRT_ASSIGN_OR_RETURN(specs, options.parts(graph));
  }
  NESTRT_ASSIGN_OR_RETURN(const Cut parts, cut(graph, std::move(specs)));
  NESTRT_ASSIGN_OR_RETURN(VendorPrograms programs, PartCompiler(graph, parts, options).run());
  Replacer replacer(graph);
  for (const auto& [number, program] : programs)
    NESTRT_RETURN_IF_ERROR(replacer.replace(parts.parts[static_cast<size_t>(number)], number));
  graph.tidy();
  return make_vendor_backend(options.unit, std::move(programs));
}

}  // namespace nestrt::compiler
