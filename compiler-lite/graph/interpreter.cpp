// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/graph/interpreter.h"

#include <fmt/core.h>

#include <memory>
#include <string>
#include <utility>

#include "compiler-lite/graph/bound_operator.h"

namespace nestrt::compiler {
namespace {

// The elements of all live values during a run. Constants are not copied.
class Memory {
 public:
  Memory(const Graph& graph, const std::vector<ValueId>& wanted)
      : graph_(graph), elements_(graph.num_values()), uses_(graph.num_values(), 0) {
    for (ValueId id : wanted) ++uses_[index(id)];
    for (const auto& node : graph.nodes())
      for (ValueId id : node->inputs)
        if (id != kNoValue) ++uses_[index(id)];
  }
  void store(ValueId id, Bytes elements) {
    if (uses_[index(id)] > 0) elements_[index(id)] = std::move(elements);
  }
  const Bytes& elements(ValueId id) const {
    const Value& value = graph_.value(id);
    return value.is_constant() ? *value.constant : elements_[index(id)];
  }
  void release(ValueId id) {
    if (--uses_[index(id)] == 0) elements_[index(id)] = Bytes();
  }

 private:
  static size_t index(ValueId id) { return static_cast<size_t>(id); }

  const Graph& graph_;
  std::vector<Bytes> elements_;
  std::vector<int> uses_;
};

Status store_inputs(const Graph& graph, const std::vector<HostTensor>& inputs, Memory& memory) {
  if (inputs.size() != graph.inputs.size()) {
    return Status(Code::kInvalidArgument,
                  fmt::format("the graph has {} inputs, got {}", graph.inputs.size(), inputs.size()));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Value& value = graph.value(graph.inputs[i].value);
    const bool fits =
        inputs[i].type == value.type && inputs[i].shape == value.shape &&
        static_cast<int64_t>(inputs[i].elements.size()) == storage_bytes(value.type, value.shape, Layout::kPlain);
    if (!fits) {
      return Status(Code::kInvalidArgument,
                    fmt::format("input '{}': expected {} {}, got {} {}", value.name, name(value.type),
                                value.shape.to_string(), name(inputs[i].type), inputs[i].shape.to_string()));
    }
    memory.store(graph.inputs[i].value, inputs[i].elements);
  }
  return ok_status();
}

Status run(const Graph& graph, const Node& node, Memory& memory) {
  std::vector<const std::byte*> operands;
  for (ValueId id : node.inputs) operands.push_back(id == kNoValue ? nullptr : memory.elements(id).data());
  NESTRT_ASSIGN_OR_RETURN(std::vector<Bytes> results, evaluate(graph, node, operands));
  for (size_t i = 0; i < results.size(); ++i) memory.store(node.outputs[i], std::move(results[i]));
  for (ValueId id : node.inputs)
    if (id != kNoValue) memory.release(id);
  return ok_status();
}

}  // namespace

Result<std::vector<HostTensor>> interpret(const Graph& graph, const std::vector<HostTensor>& inputs,
                                          const std::vector<ValueId>& wanted) {
  Memory memory(graph, wanted);
  NESTRT_RETURN_IF_ERROR(store_inputs(graph, inputs, memory));
  for (const auto& node : graph.nodes()) NESTRT_RETURN_IF_ERROR(run(graph, *node, memory));
  std::vector<HostTensor> results;
  for (ValueId id : wanted) results.push_back({graph.value(id).type, graph.value(id).shape, memory.elements(id)});
  return results;
}

Result<std::vector<HostTensor>> interpret(const Graph& graph, const std::vector<HostTensor>& inputs) {
  return interpret(graph, inputs, graph.outputs);
}

}  // namespace nestrt::compiler
