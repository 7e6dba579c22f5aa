// SPDX-License-Identifier: Apache-2.0
// GraphBuilder: a Graph under construction during import. Resolves ONNX names, folds constants and enforces the limits.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler-lite/graph/graph.h"
#include "compiler-lite/import/integer_extremes.h"
#include "compiler-lite/import/onnx/limits.h"
#include "runtime/core/budget.h"
#include "runtime/kernel/kernel.h"
#include "runtime/plan/format/format.h"

namespace nestrt::compiler {

struct OnnxTensor;

class GraphBuilder {
 public:
  using Quantization = std::optional<plan::Quantization>;

  // `file_bytes`: size of the model file; some limits depend on it.
  GraphBuilder(const ImportLimits& limits, int64_t file_bytes)
      : limits_(limits), operators_(static_cast<uint64_t>(limits.max_operators(file_bytes))) {
    graph_.folding = FoldingBudget(limits.folded_bytes, limits.folding_steps);
  }

  Graph& graph() { return graph_; }
  const Graph& graph() const { return graph_; }
  const ImportLimits& limits() const { return limits_; }

  // --- Names of the model ---
  // Returns kNoValue for an unknown name.
  ValueId find(const std::string& name) const;
  // Errors: kInvalidModel if the name is already defined.
  Status define(const std::string& name, ValueId id);

  // Opens a scope for the values of a subgraph, named `name`/... leave_scope() removes the names defined since. Scopes
  // nest.
  void enter_scope(std::string_view name);
  void leave_scope();
  // Returns the name of a value in the innermost scope.
  std::string scoped(const std::string& name) const { return scopes_.empty() ? name : scopes_.back().prefix + name; }
  // Call before importing a subgraph that contains `nodes` nodes and constants. Errors: see add().
  Status charge_subgraph(size_t nodes);
  // Sets the names of the model's outputs that no node reads.
  void set_last_values(std::unordered_set<std::string> names) { last_values_ = std::move(names); }
  bool is_last_value(const std::string& name) const { return scopes_.empty() && last_values_.count(name) != 0; }

  // --- Values ---
  // Return kInvalidModel if the tensor exceeds the limits.
  Status check_size(const std::string& name, DataType type, const Shape& shape) const;
  // Also fails if a computed constant of this size would exceed the limits. Call it before allocating the memory.
  Status check_constant(const std::string& name, DataType type, const Shape& shape) const;
  // Adds a constant computed by the compiler. Errors: kInvalidModel if it exceeds the limits.
  Result<ValueId> add_constant(std::string name, DataType type, const Shape& shape, Bytes elements);
  // Adds a constant from the file; its bytes raise the budget for computed constants.
  ValueId add_constant(const OnnxTensor& tensor);
  // Adds one operator and returns its outputs. If all inputs are constant, the operator is evaluated immediately and
  // adds no node. `label` starts every message: "node 'conv1' (Conv)". `quantization`: that of the outputs. Errors
  // include kInvalidModel if the model's nodes expand to more operators than the size of the file allows.
  Result<std::vector<ValueId>> add(const std::string& label, std::string node_name, ops::Attributes attributes,
                                   std::vector<ValueId> inputs, const std::vector<std::string>& output_names,
                                   const Quantization& quantization = {});
  // Returns `id` as integers with this quantization, or without one: a constant that shares its elements, or a Reshape.
  Result<ValueId> reinterpret(const std::string& label, std::string name, ValueId id, const Quantization& quantization);
  // Returns the constant that remember_transposed() stored for a constant and a permutation, or kNoValue.
  ValueId find_transposed(ValueId id, const std::vector<int>& permutation) const;
  void remember_transposed(ValueId id, const std::vector<int>& permutation, ValueId transposed);
  // Returns the smallest and largest element of an s32 or s64 constant, cached by value.
  IntegerExtremes extremes(ValueId id);
  // Returns true if the value depends only on constants but was not folded because of the limits.
  bool is_costly(ValueId id) const { return costly_.count(id) != 0; }
  // Returns the ONNX type of a value if it is listed in narrow_types.h, or else 0.
  int32_t narrow_type(ValueId id) const {
    const auto found = narrow_types_.find(id);
    return found == narrow_types_.end() ? 0 : found->second;
  }
  void set_narrow_type(ValueId id, int32_t onnx_type) { narrow_types_[id] = onnx_type; }
  // Describes how many operators were not folded because of the limits, and which option folds them; empty if there are
  // none.
  std::string describe_costly() const;
  // Names `id` `name` for a graph output and returns it, or returns a copy if `id` cannot be renamed.
  Result<ValueId> as_output(ValueId id, const std::string& name);

 private:
  // Charges an operator with this number of operands, or a constant, to the budget that the file size allows.
  Status charge(size_t operands);
  void note_costly(const Node& node);
  bool is_known(const std::vector<ValueId>& inputs) const;
  Result<std::vector<ValueId>> fold(const std::string& label, Node& node, const std::vector<TensorSpec>& specs,
                                    const std::vector<std::string>& output_names, const Quantization& quantization);

  struct Scope {
    std::string prefix;
    std::vector<std::string> names;
  };

  const ImportLimits& limits_;
  Budget operators_;  // operators, and constants added with them
  Budget operands_{plan_format::kMaxOperands};
  Graph graph_;
  std::unordered_map<std::string, ValueId> values_;
  std::vector<Scope> scopes_;
  std::unordered_set<std::string> last_values_;
  std::unordered_set<ValueId> costly_;
  std::unordered_map<ValueId, int32_t> narrow_types_;
  uint64_t costly_bytes_ = 0;
  std::string first_costly_;
  std::unordered_map<ValueId, IntegerExtremes> extremes_;  // cache of extremes()
  // Unrolled cells transpose the same weights in every step, which would exhaust the budget for computed constants.
  std::map<std::pair<ValueId, std::vector<int>>, ValueId> transposed_;
};

}  // namespace nestrt::compiler
