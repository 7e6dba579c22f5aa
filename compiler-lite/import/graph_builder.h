// GraphBuilder: the Graph while it is being imported: ONNX's names, folding of constants, and the limits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler-lite/graph/graph.h"
#include "compiler-lite/import/integer_extremes.h"
#include "compiler-lite/import/onnx/limits.h"
#include "nestrt/driver/kernel.h"
#include "runtime/core/budget.h"
#include "runtime/plan/format/format.h"

namespace nestrt::compiler {

struct OnnxTensor;

class GraphBuilder {
 public:
  using Quantization = std::optional<plan::Quantization>;

  // For a file of so many bytes.
  GraphBuilder(const ImportLimits& limits, int64_t file_bytes)
      : limits_(limits), operators_(static_cast<uint64_t>(limits.max_operators(file_bytes))) {
    graph_.folding = FoldingBudget(limits.folded_bytes, limits.folding_steps);
  }

  Graph& graph() { return graph_; }
  const Graph& graph() const { return graph_; }
  const ImportLimits& limits() const { return limits_; }

  // --- names of the model ---
  // kNoValue for an unknown name.
  ValueId find(const std::string& name) const;
  // Errors: kInvalidModel for a name that exists.
  Status define(const std::string& name, ValueId id);

  // Names that are defined from here on are forgotten by the leave_scope() that belongs to it, and values called
  // `name`/... Scopes nest.
  void enter_scope(std::string_view name);
  void leave_scope();
  // What values of the innermost scope are called.
  std::string scoped(const std::string& name) const { return scopes_.empty() ? name : scopes_.back().prefix + name; }
  // Before a subgraph of so many nodes and constants is imported. Errors: as add().
  Status charge_subgraph(size_t nodes);
  // Outputs of the model that no node reads.
  void set_last_values(std::unordered_set<std::string> names) { last_values_ = std::move(names); }
  bool is_last_value(const std::string& name) const { return scopes_.empty() && last_values_.count(name) != 0; }

  // --- values ---
  // Errors: kInvalidModel where the tensor is larger than the limits allow.
  Status check_size(const std::string& name, DataType type, const Shape& shape) const;
  // The same, and where a constant of that size would take computed constants past their limit. To be asked before
  // its memory is taken.
  Status check_constant(const std::string& name, DataType type, const Shape& shape) const;
  // A constant that the compiler made. Errors: kInvalidModel where the limits are passed.
  Result<ValueId> add_constant(std::string name, DataType type, const Shape& shape, Bytes elements);
  // One that the file holds, and whose bytes count there.
  ValueId add_constant(const OnnxTensor& tensor);
  // The outputs of one operator, which is evaluated at once (and leaves no node) where all its inputs are constant.
  // `label` starts every message: "node 'conv1' (Conv)". `quantization`: of the outputs. Errors: also kInvalidModel
  // where the file's nodes become more operators than its bytes are worth.
  Result<std::vector<ValueId>> add(const std::string& label, std::string node_name, ops::Attributes attributes,
                                   std::vector<ValueId> inputs, const std::vector<std::string>& output_names,
                                   const Quantization& quantization = {});
  // `id` as integers of that quantization, or of none: a constant that shares its elements, or a Reshape.
  Result<ValueId> reinterpret(const std::string& label, std::string name, ValueId id, const Quantization& quantization);
  // The smallest and the largest element of a constant of s32 or s64; of one that many nodes ask for, found once.
  IntegerExtremes extremes(ValueId id);
  // True where the value depends on constants alone, but is left to run time: to compute it would pass the limits.
  bool is_costly(ValueId id) const { return costly_.count(id) != 0; }
  // A name of its own for graph outputs: `id`, or a copy of it, called `name`.
  Result<ValueId> as_output(ValueId id, const std::string& name);

 private:
  // Takes an operator of so many operands, or a constant, from what the file's bytes are worth.
  Status charge(size_t operands);
  bool is_known(const std::vector<ValueId>& inputs) const;
  Result<std::vector<ValueId>> fold(const std::string& label, Node& node, const std::vector<TensorSpec>& specs,
                                    const std::vector<std::string>& output_names, const Quantization& quantization);

  struct Scope {
    std::string prefix;
    std::vector<std::string> names;
  };

  const ImportLimits& limits_;
  Budget operators_;  // and constants that come with them
  Budget operands_{plan_format::kMaxOperands};
  Graph graph_;
  std::unordered_map<std::string, ValueId> values_;
  std::vector<Scope> scopes_;
  std::unordered_set<std::string> last_values_;
  std::unordered_set<ValueId> costly_;
  std::unordered_map<ValueId, IntegerExtremes> extremes_;  // that were asked for
};

}  // namespace nestrt::compiler
