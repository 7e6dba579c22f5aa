// OnnxModel: an ONNX file as plain structures, free of protobuf, with all tensors decoded. The importer's only view of
// the model.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "compiler-lite/graph/graph.h"
#include "compiler-lite/import/onnx/limits.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

struct OnnxTensor {
  std::string name;
  DataType type = DataType::kF32;
  Shape shape;
  std::shared_ptr<const Bytes> elements;
};

// A kind that no supported operator takes (a list of tensors or of subgraphs, a type).
struct OnnxOpaque {};

struct OnnxGraph;

using OnnxAttribute = std::variant<OnnxOpaque, int64_t, float, std::string, OnnxTensor, std::vector<int64_t>,
                                   std::vector<float>, std::vector<std::string>, std::shared_ptr<const OnnxGraph>>;

struct OnnxNode {
  std::string op_type;
  std::string domain;  // empty for ONNX's own operators
  std::string name;
  std::vector<std::string> inputs;  // empty: an absent optional one
  std::vector<std::string> outputs;
  std::map<std::string, OnnxAttribute> attributes;

  // With the domain where that is not ONNX's own: "com.microsoft.QLinearAdd".
  std::string qualified_type() const { return (domain.empty() ? "" : domain + ".") + op_type; }
  // "node 'conv1' (Conv)"; a node without a name goes by its first output.
  std::string label() const;
};

inline constexpr int64_t kDynamic = INT64_MIN;

struct OnnxValueInfo {
  std::string name;
  std::optional<DataType> type;              // as converted; absent for other than tensors of numbers
  std::string type_name;                     // the model's word for it; empty for what is no tensor
  std::optional<std::vector<int64_t>> dims;  // as stated, kDynamic where symbolic; absent where even the rank is open
  std::vector<std::string> dim_names;        // for messages
};

// The model's own, or one of If, Loop or Scan, whose nodes may refer to values around it.
struct OnnxGraph {
  std::string name;
  std::vector<OnnxValueInfo> inputs;  // initializers that are listed as inputs, too, are left out
  std::vector<std::string> outputs;
  std::vector<OnnxTensor> initializers;
  std::vector<OnnxNode> nodes;  // as in the file
};

struct OnnxModel : OnnxGraph {
  int64_t file_bytes = 0;                 // external data are not among them
  int64_t opset = 0;                      // that of ONNX's own operators; 0: none
  std::set<std::string> converted_types;  // floating types of the file that became f32
  std::vector<OnnxNode> subgraph_nodes;   // of all subgraphs: op_type, domain and name only
  bool has_functions = false;             // of its own, which nodes call like operators
};

// Decode a file or its bytes, which must not refer to external data.
Result<OnnxModel> read_onnx_model(const std::string& path, const ImportLimits& limits);
Result<OnnxModel> read_onnx_model(std::span<const std::byte> bytes, const ImportLimits& limits);

// Where a model keeps data beside its file, as it says. Errors: those of read_onnx_model() for a file that is no model.
Result<std::vector<std::string>> external_files(const std::string& path);

}  // namespace nestrt::compiler
