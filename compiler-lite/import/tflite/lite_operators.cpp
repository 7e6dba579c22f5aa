// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/tflite/lite_operators.h"

#include <fmt/core.h>

#include <map>

#include "compiler-lite/import/tflite/lite_table.h"

namespace nestrt::compiler {
namespace {

constexpr int kMaxDepth = 8;

const tflite::Operator& operator_at(const tflite::SubGraph& graph, size_t index) {
  return *graph.operators()->Get(static_cast<uint32_t>(index));
}

using MissingLiteOperators = std::map<std::string, int64_t>;  // number of operators by name

std::string list_of_missing(const MissingLiteOperators& missing) {
  constexpr size_t kMaxListed = 50;
  std::string list;
  size_t listed = 0;
  for (const auto& [name, count] : missing) {
    if (listed++ == kMaxListed) break;
    list += fmt::format("{}{} ({} operator{})", list.empty() ? "" : ", ", name, count, count == 1 ? "" : "s");
  }
  return list;
}

Status import_lite_operator(LiteGraph& graph, size_t index) {
  const tflite::Operator& op = operator_at(graph.subgraph(), index);
  NESTRT_ASSIGN_OR_RETURN(const LiteCode code, graph.file().code(op));
  const LiteRule& rule = *find_lite_rule(code);
  LiteNode node(graph, op, code.name(), index);
  NESTRT_RETURN_IF_ERROR(node.check_tensors(rule.num_inputs, rule.has_outputs));
  if (rule.options_type != 0 && op.options() != nullptr) {
    if (op.options_type() != rule.options_type || !rule.verify(graph.file(), *op.options()))
      return node.invalid("its options are those of another operator, or damaged");
  }
  return rule.import(node);
}

// Counts nested calls.
class LiteCall {
 public:
  explicit LiteCall(LiteContext& context) : context_(context) { ++context_.depth; }
  ~LiteCall() { --context_.depth; }
  LiteCall(const LiteCall&) = delete;
  LiteCall& operator=(const LiteCall&) = delete;

 private:
  LiteContext& context_;
};

}  // namespace

Status check_lite_operators(const LiteFile& file) {
  MissingLiteOperators missing;
  bool has_custom = false;
  for (const tflite::SubGraph* graph : *file.model().subgraphs()) {
    for (size_t i = 0; i < lite_size(graph->operators()); ++i) {
      NESTRT_ASSIGN_OR_RETURN(const LiteCode code, file.code(operator_at(*graph, i)));
      if (find_lite_rule(code) != nullptr) continue;
      ++missing[code.name()];
      has_custom |= code.code == LiteOp::CUSTOM;
    }
  }
  if (missing.empty()) return ok_status();
  return Status(
      Code::kUnsupported,
      fmt::format("the TensorFlow Lite model contains {} that nestrt does not support: {}; "
                  "docs/how-to/tensorflow-lite.md lists the supported ones{}; alternatively convert the original "
                  "model to ONNX, e.g. with tf2onnx",
                  missing.size() == 1 ? "an operator" : fmt::format("{} operators", missing.size()),
                  list_of_missing(missing),
                  has_custom ? "; convert the model without SELECT_TF_OPS and custom operators" : ""));
}

Status import_lite_operators(LiteGraph& graph) {
  for (size_t i = 0; i < lite_size(graph.subgraph().operators()); ++i)
    NESTRT_RETURN_IF_ERROR(import_lite_operator(graph, i));
  return ok_status();
}

Result<std::vector<ValueId>> call_lite_subgraph(LiteNode& node, int32_t index, const std::vector<ValueId>& arguments,
                                                const std::string& scope) {
  LiteContext& context = node.graph().context();
  const tflite::SubGraph* const callee = context.file.subgraph(index);
  if (callee == nullptr || callee->tensors() == nullptr) return node.invalid("calls a subgraph that does not exist");
  if (context.depth >= kMaxDepth) return node.unsupported(fmt::format("calls are nested deeper than {}", kMaxDepth));
  const std::vector<int32_t> inputs = lite_list(callee->inputs()), outputs = lite_list(callee->outputs());
  if (inputs.size() != arguments.size())
    return node.invalid(fmt::format("passes {} values to a subgraph of {} inputs", arguments.size(), inputs.size()));
  NESTRT_RETURN_IF_ERROR(
      context.builder.charge_subgraph(lite_size(callee->operators()) + callee->tensors()->size() + arguments.size()));
  const LiteCall call(context);
  LiteGraph graph(context, index, scope);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!graph.exists(inputs[i])) return node.invalid("an input of the subgraph does not exist");
    NESTRT_RETURN_IF_ERROR(graph.define_argument(inputs[i], arguments[i]));
  }
  NESTRT_RETURN_IF_ERROR(import_lite_operators(graph));
  std::vector<ValueId> results;
  for (const int32_t output : outputs) {
    if (!graph.exists(output)) return node.invalid("an output of the subgraph does not exist");
    NESTRT_ASSIGN_OR_RETURN(results.emplace_back(), graph.stored(output, Form::kPlain));
  }
  return results;
}

}  // namespace nestrt::compiler
