// ModelWriter: the ONNX graph while it is written: names, initializers, and the nodes of the operator at hand.
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

namespace onnx {
class GraphProto;
class NodeProto;
class ValueInfoProto;
}  // namespace onnx

namespace nestrt::compiler {

class ModelWriter {
 public:
  // All must outlive the writer; `proto` is empty.
  ModelWriter(const Graph& graph, const ExportedPart& part, ValueNames& names, int64_t opset, onnx::GraphProto& proto)
      : graph_(graph),
        part_(part),
        names_(names),
        opset_(opset),
        proto_(proto),
        outputs_(part.outputs.begin(), part.outputs.end()) {}

  // Errors: those of export_onnx(), but for what the ONNX library says.
  Status write();

  // After write(): by node of the part, the number of ONNX nodes up to and with it.
  const std::vector<int>& ends() const { return ends_; }

  // --- for NodeWriter ---
  const Graph& graph() const { return graph_; }
  int64_t opset() const { return opset_; }
  // What a value is called where it is read. A constant becomes an initializer when it is first asked for.
  std::string name_of(ValueId id);
  // The same as real numbers.
  std::string real(NodeWriter& node, ValueId id);
  std::string write_node(const Node& node, std::string_view op_type, std::vector<std::string> inputs,
                         const WrittenAttributes& attributes);
  // The same of several outputs, of which some may be left out.
  std::vector<std::string> write_outputs_of(const Node& node, std::string_view op_type, std::vector<std::string> inputs,
                                            const WrittenAttributes& attributes, const std::vector<bool>& wanted);
  // A new initializer, called like the node's result with `suffix` behind.
  std::string add_initializer(const Node& node, std::string_view suffix, DataType type, const Shape& shape,
                              std::span<const std::byte> elements);

 private:
  Status write_operator(const Node& node);
  void write_outputs();
  void write_interface();
  // `written` is what the nodes of the operator call its result.
  void finish(const Node& node, const std::string& written);
  void rename(const std::string& from, const std::string& to);
  bool is_output(ValueId id) const { return outputs_.count(id) != 0; }
  std::string add_constant(ValueId id);

  const Graph& graph_;
  const ExportedPart& part_;
  ValueNames& names_;
  const int64_t opset_;
  onnx::GraphProto& proto_;
  const std::unordered_set<ValueId> outputs_;
  int first_node_ = 0;  // of the operator at hand
  std::vector<int> ends_;
  std::unordered_map<ValueId, std::string> written_;  // what is there
  std::unordered_map<ValueId, std::string> reals_;    // behind DequantizeLinear
};

}  // namespace nestrt::compiler
