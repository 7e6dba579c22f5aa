// SPDX-License-Identifier: Apache-2.0
// ModelWriter: builds an ONNX graph. It holds the names, the initializers, and the nodes of the current operator.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler-lite/export/export.h"
#include "compiler-lite/export/node_writer.h"
#include "runtime/core/function_ref.h"

namespace onnx {
class GraphProto;
class NodeProto;
class ValueInfoProto;
}  // namespace onnx

namespace nestrt::compiler {

class ModelWriter {
 public:
  // All arguments must outlive the writer. `proto` must be empty.
  ModelWriter(const Graph& graph, const ExportedPart& part, ValueNames& names, const ExportForm& form,
              onnx::GraphProto& proto)
      : graph_(graph),
        part_(part),
        names_(names),
        form_(form),
        proto_(proto),
        outputs_(part.outputs.begin(), part.outputs.end()) {}

  // Errors: those of export_onnx(), except those of the ONNX library.
  Status write();

  // Returns the cumulative number of ONNX nodes, by node of the part. Call after write().
  const std::vector<int>& ends() const { return ends_; }

  // --- For NodeWriter ---
  const Graph& graph() const { return graph_; }
  const ExportForm& form() const { return form_; }
  // Returns the name under which ONNX nodes read a value. Adds a constant as an initializer on first use.
  std::string name_of(ValueId id);
  // Returns the name of the value as real numbers.
  std::string real(NodeWriter& node, ValueId id);
  // Returns the name of a constant matrix, transposed, as real numbers.
  std::string transposed_real(NodeWriter& node, ValueId id);
  // Returns the name of the real numbers that integers represent. `stored` returns the name of the integers; it is
  // called only if they are written unchanged.
  std::string dequantized(NodeWriter& node, const Value& integers, const plan::Quantization& quantization,
                          FunctionRef<std::string()> stored);
  std::string write_node(const Node& node, std::string_view op_type, std::vector<std::string> inputs,
                         const WrittenAttributes& attributes);
  // Writes a node with several outputs; unwanted optional outputs are omitted.
  std::vector<std::string> write_outputs_of(const Node& node, std::string_view op_type, std::vector<std::string> inputs,
                                            const WrittenAttributes& attributes, const std::vector<bool>& wanted);
  // Adds an initializer named after the node's result with `suffix` appended.
  std::string add_initializer(const Node& node, std::string_view suffix, DataType type, const Shape& shape,
                              std::span<const std::byte> elements);

 private:
  Status write_operator(const Node& node);
  void write_outputs();
  void write_interface();
  // Names the result of an operator; `written` is its name so far.
  void finish(const Node& node, ValueId result, const std::string& written);
  void rename(const std::string& from, const std::string& to);
  bool is_output(ValueId id) const { return outputs_.count(id) != 0; }
  std::string add_constant(ValueId id);
  std::string name_for_transposed(ValueId id);
  // Writes the nodes from `first` on that form one operator, and returns their number.
  Result<size_t> write_next(size_t first);
  // Returns the name of a value as real numbers. `stored`: see dequantized().
  std::string as_real(NodeWriter& node, const Value& value, FunctionRef<std::string()> stored);

  const Graph& graph_;
  const ExportedPart& part_;
  ValueNames& names_;
  const ExportForm& form_;
  onnx::GraphProto& proto_;
  const std::unordered_set<ValueId> outputs_;
  int first_node_ = 0;  // of the current operator
  std::vector<int> ends_;
  std::unordered_map<ValueId, std::string> written_;     // names of values that exist in the model
  std::unordered_map<ValueId, std::string> reals_;       // results of DequantizeLinear
  std::unordered_map<ValueId, std::string> transposed_;  // results of transposed_real()
};

}  // namespace nestrt::compiler
