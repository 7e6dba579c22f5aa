// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <onnx/onnx_pb.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <unordered_set>
#include <utility>

#include "compiler-lite/graph/rounding.h"
#include "compiler-lite/import/import.h"
#include "compiler-lite/import/onnx/narrow_types.h"
#include "compiler-lite/import/onnx/onnx_model.h"
#include "compiler-lite/import/onnx/onnx_types.h"
#include "compiler-lite/import/onnx/tensor_proto.h"
#include "compiler-lite/import/onnx/wire_limits.h"
#include "runtime/core/budget.h"
#include "runtime/platform/file_descriptor.h"
#include "tools/support/text/files.h"

namespace nestrt::compiler {
namespace {

using google::protobuf::io::ArrayInputStream;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::FileInputStream;
using google::protobuf::io::ZeroCopyInputStream;
using onnx::AttributeProto;

std::string normalized_domain(const std::string& domain) { return domain == "ai.onnx" ? std::string() : domain; }

// Converts a ModelProto into an OnnxModel. Frees each part after conversion, so weights are not stored twice.
class Reader {
 public:
  Reader(onnx::ModelProto& proto, ExternalFiles* files, const ImportLimits& limits, int64_t file_bytes)
      : proto_(proto), files_(files), limits_(limits), constant_bytes_(static_cast<uint64_t>(limits.constant_bytes)) {
    model_.file_bytes = file_bytes;
  }

  Result<OnnxModel> read() {
    if (!proto_.has_graph()) return Status(Code::kInvalidModel, "not an ONNX model: it has no graph");
    read_opset();
    for (const auto& entry : proto_.metadata_props())
      if (entry.key() == kRoundingKey) model_.rounding = entry.value();
    NESTRT_RETURN_IF_ERROR(check_outputs(proto_.graph()));
    for (onnx::FunctionProto& function : *proto_.mutable_functions()) NESTRT_RETURN_IF_ERROR(read_function(function));
    NESTRT_RETURN_IF_ERROR(read_graph(*proto_.mutable_graph(), model_));
    return std::move(model_);
  }

 private:
  Status check_outputs(const onnx::GraphProto& graph) {
    for (const auto& output : graph.output()) {
      const auto kind = output.type().value_case();
      if (kind == onnx::TypeProto::kTensorType)
        note_type(output.type().tensor_type().elem_type());
      else if (kind != onnx::TypeProto::VALUE_NOT_SET)
        return Status(Code::kUnsupported,
                      fmt::format("output '{}' is not a tensor; nestrt computes only tensors: end the model before "
                                  "sequences, maps and optional values (skl2onnx: options={{'zipmap': False}})",
                                  output.name()));
    }
    return ok_status();
  }

  void read_opset() { model_.opset = newest_opset(proto_.opset_import()); }

  // Returns the model's opset for ONNX operators, or 0 if it is not specified.
  template <typename Imports>
  static int64_t newest_opset(const Imports& imports) {
    int64_t newest = 0;
    for (const auto& entry : imports)
      if (normalized_domain(entry.domain()).empty()) newest = std::max(newest, entry.version());
    return newest;
  }

  // Numbers of fields that ONNX versions newer than the library define.
  static constexpr int kNodeOverload = 8, kFunctionDefaults = 11, kFunctionOverload = 13;

  // Returns the strings or messages in a field that the library does not know.
  static std::vector<std::string> unknown_fields(const google::protobuf::Message& message, int number) {
    const google::protobuf::UnknownFieldSet& fields = message.GetReflection()->GetUnknownFields(message);
    std::vector<std::string> found;
    for (int i = 0; i < fields.field_count(); ++i) {
      const google::protobuf::UnknownField& field = fields.field(i);
      if (field.number() == number && field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
        found.push_back(field.length_delimited());
    }
    return found;
  }

  static std::string unknown_string(const google::protobuf::Message& message, int number) {
    const std::vector<std::string> found = unknown_fields(message, number);
    return found.empty() ? std::string() : found.back();
  }

  Status read_function(onnx::FunctionProto& proto) {
    OnnxNode call;
    call.op_type = proto.name();
    call.domain = normalized_domain(proto.domain());
    call.overload = unknown_string(proto, kFunctionOverload);
    OnnxFunction function;
    function.inputs.assign(proto.input().begin(), proto.input().end());
    function.outputs.assign(proto.output().begin(), proto.output().end());
    function.opset = newest_opset(proto.opset_import());
    NESTRT_RETURN_IF_ERROR(read_defaults(proto, function));
    for (onnx::NodeProto& node : *proto.mutable_node())
      NESTRT_RETURN_IF_ERROR(read_node(node, function.nodes.emplace_back()));
    if (model_.functions.emplace(call.function_name(), std::move(function)).second) return ok_status();
    return Status(Code::kInvalidModel, fmt::format("function '{}' is defined twice", call.function_name()));
  }

  Status read_defaults(const onnx::FunctionProto& proto, OnnxFunction& function) {
    for (const std::string& bytes : unknown_fields(proto, kFunctionDefaults)) {
      AttributeProto attribute;
      if (!attribute.ParseFromString(bytes))
        return Status(Code::kInvalidModel, fmt::format("function '{}' has an invalid attribute", proto.name()));
      const Status status = read_attribute(attribute, &function.defaults[attribute.name()]);
      if (!status.ok())
        return status.with_context(fmt::format("function '{}', attribute '{}'", proto.name(), attribute.name()));
    }
    return ok_status();
  }

  // Recursion is safe: check_wire_limits() bounds the nesting depth.
  Status read_graph(onnx::GraphProto& graph, OnnxGraph& result) {
    result.name = graph.name();
    std::unordered_set<std::string> initialized;
    NESTRT_RETURN_IF_ERROR(read_initializers(graph, result, initialized));
    for (const auto& input : graph.input()) {
      if (initialized.count(input.name()) == 0) result.inputs.push_back(value_info(input));
    }
    for (const auto& output : graph.output()) result.outputs.push_back(output.name());
    for (onnx::NodeProto& node : *graph.mutable_node())
      NESTRT_RETURN_IF_ERROR(read_node(node, result.nodes.emplace_back()));
    return ok_status();
  }

  Status read_initializers(onnx::GraphProto& graph, OnnxGraph& result, std::unordered_set<std::string>& initialized) {
    if (graph.sparse_initializer_size() != 0) {
      return Status(Code::kUnsupported, "sparse initializers are not supported; store them as dense tensors");
    }
    for (onnx::TensorProto& tensor : *graph.mutable_initializer()) {
      NESTRT_RETURN_IF_ERROR(add_tensor(tensor, &result.initializers.emplace_back()));
      if (!initialized.insert(tensor.name()).second) {
        return Status(Code::kInvalidModel, fmt::format("initializer '{}' is defined twice", tensor.name()));
      }
      onnx::TensorProto().Swap(&tensor);  // Clear() would keep the memory of its lists
    }
    return ok_status();
  }

  Status add_tensor(const onnx::TensorProto& proto, OnnxTensor* tensor) {
    NESTRT_ASSIGN_OR_RETURN(*tensor, decode_tensor(proto, files_, limits_));
    note_type(proto.data_type());
    if (constant_bytes_.charge(tensor->elements->size())) return ok_status();
    return Status(Code::kInvalidModel, fmt::format("the constants up to tensor '{}' exceed the limit of {} bytes",
                                                   tensor->name, constant_bytes_.limit()));
  }

  void note_type(int32_t onnx_type) {
    if (onnx_type == onnx::TensorProto::FLOAT || converted_type(onnx_type) != DataType::kF32) return;
    model_.converted_types.insert(onnx_type_name(onnx_type));
  }

  OnnxValueInfo value_info(const onnx::ValueInfoProto& proto) {
    OnnxValueInfo info;
    info.name = proto.name();
    if (!proto.type().has_tensor_type()) {
      return info;
    }
    const auto& tensor = proto.type().tensor_type();
    note_type(tensor.elem_type());
    info.type = converted_type(tensor.elem_type());
    info.type_name = onnx_type_name(tensor.elem_type());
    if (find_narrow_type(tensor.elem_type()) != nullptr) info.narrow_type = tensor.elem_type();
    if (!tensor.has_shape()) return info;
    info.dims.emplace().reserve(static_cast<size_t>(tensor.shape().dim_size()));
    info.dim_names.reserve(static_cast<size_t>(tensor.shape().dim_size()));
    for (const auto& dim : tensor.shape().dim()) {
      info.dims->push_back(dim.has_dim_value() ? dim.dim_value() : kDynamic);
      info.dim_names.push_back(dim.dim_param());
    }
    return info;
  }

  // Checks the length of a node's names. All operators and values that a node becomes get names derived from it; a
  // Split may become thousands.
  static Status check_names(const onnx::NodeProto& proto) {
    constexpr size_t kMaxNameBytes = 1024;
    size_t longest = proto.name().size();
    for (const std::string& output : proto.output()) longest = std::max(longest, output.size());
    if (longest <= kMaxNameBytes) return ok_status();
    return Status(
        Code::kInvalidModel,
        fmt::format("a node of type {} or one of its outputs has a name of {} bytes; the limit is {}; rename it",
                    proto.op_type().substr(0, 64), longest, kMaxNameBytes));
  }

  Status read_node(onnx::NodeProto& proto, OnnxNode& node) {
    NESTRT_RETURN_IF_ERROR(check_names(proto));
    node = head(proto);
    node.inputs.assign(proto.input().begin(), proto.input().end());
    for (AttributeProto& attribute : *proto.mutable_attribute()) {
      OnnxAttribute value;
      const Status status = read_attribute(attribute, &value);
      if (!status.ok()) return status.with_context(fmt::format("{}, attribute '{}'", node.label(), attribute.name()));
      if (!node.attributes.emplace(attribute.name(), std::move(value)).second) {
        return Status(Code::kInvalidModel,
                      fmt::format("{}: attribute '{}' appears twice", node.label(), attribute.name()));
      }
    }
    onnx::NodeProto().Swap(&proto);  // Clear() would keep the memory of its tensors
    return ok_status();
  }

  static OnnxNode head(const onnx::NodeProto& proto) {
    OnnxNode node;
    node.op_type = proto.op_type();
    node.domain = normalized_domain(proto.domain());
    node.name = proto.name();
    node.overload = unknown_string(proto, kNodeOverload);
    node.outputs.assign(proto.output().begin(), proto.output().end());
    return node;
  }

  Status read_attribute(AttributeProto& proto, OnnxAttribute* value) {
    if (!proto.ref_attr_name().empty()) {
      *value = OnnxReference{proto.ref_attr_name()};
      return ok_status();
    }
    switch (kind(proto)) {
      case AttributeProto::INT:
        *value = proto.i();
        break;
      case AttributeProto::FLOAT:
        *value = proto.f();
        break;
      case AttributeProto::STRING:
        *value = proto.s();
        break;
      case AttributeProto::INTS:
        *value = std::vector<int64_t>(proto.ints().begin(), proto.ints().end());
        break;
      case AttributeProto::FLOATS:
        *value = std::vector<float>(proto.floats().begin(), proto.floats().end());
        break;
      case AttributeProto::STRINGS:
        *value = std::vector<std::string>(proto.strings().begin(), proto.strings().end());
        break;
      case AttributeProto::TENSOR:
        return add_tensor(proto.t(), &value->emplace<OnnxTensor>());
      case AttributeProto::GRAPH:
        return add_subgraph(*proto.mutable_g(), value);
      default:
        break;  // stays opaque
    }
    return ok_status();
  }

  // Files of the first ONNX versions do not specify the attribute type.
  static AttributeProto::AttributeType kind(const AttributeProto& proto) {
    if (proto.type() != AttributeProto::UNDEFINED) return proto.type();
    if (proto.has_i()) return AttributeProto::INT;
    if (proto.has_f()) return AttributeProto::FLOAT;
    if (proto.has_s()) return AttributeProto::STRING;
    if (proto.has_t()) return AttributeProto::TENSOR;
    if (proto.has_g()) return AttributeProto::GRAPH;
    if (proto.floats_size() != 0) return AttributeProto::FLOATS;
    if (proto.strings_size() != 0) return AttributeProto::STRINGS;
    return AttributeProto::INTS;
  }

  Status add_subgraph(onnx::GraphProto& proto, OnnxAttribute* value) {
    for (const onnx::NodeProto& node : proto.node()) model_.subgraph_nodes.push_back(head(node));
    auto graph = std::make_shared<OnnxGraph>();
    NESTRT_RETURN_IF_ERROR(read_graph(proto, *graph));
    *value = std::shared_ptr<const OnnxGraph>(std::move(graph));
    return ok_status();
  }

  onnx::ModelProto& proto_;
  ExternalFiles* const files_;
  const ImportLimits& limits_;
  OnnxModel model_;
  Budget constant_bytes_;
};

Status check(ZeroCopyInputStream& input, const google::protobuf::Descriptor& descriptor, const ImportLimits& limits,
             int64_t bytes) {
  CodedInputStream stream(&input);
  stream.SetTotalBytesLimit(INT32_MAX);
  return check_wire_limits(stream, descriptor, limits, bytes);
}

Status parse(ZeroCopyInputStream& input, google::protobuf::Message& message) {
  CodedInputStream stream(&input);
  stream.SetTotalBytesLimit(INT32_MAX);
  if (message.ParsePartialFromCodedStream(&stream) && stream.ConsumedEntireMessage()) return ok_status();
  return Status(Code::kInvalidModel, "not an ONNX model, or truncated: its protobuf encoding is invalid");
}

class OpenFile {
 public:
  static Result<OpenFile> open(const std::string& path, const ImportLimits& limits) {
    std::error_code failure;
    const bool exists = std::filesystem::exists(path, failure);
    if (failure) return Status(Code::kIo, fmt::format("cannot be opened: {}", failure.message()));
    if (!exists) return Status(Code::kNotFound, "no such file");
    const bool is_regular = std::filesystem::is_regular_file(path, failure);
    if (failure) return Status(Code::kIo, fmt::format("cannot be opened: {}", failure.message()));
    if (!is_regular) return Status(Code::kInvalidArgument, "not a regular file");
    OpenFile file(FileDescriptor::open_to_read(path));
    const int reason = errno;
    const auto size = std::filesystem::file_size(path, failure);
    if (!file.file_.is_open()) return Status(Code::kIo, fmt::format("cannot be opened: {}", std::strerror(reason)));
    if (failure) return Status(Code::kIo, fmt::format("cannot be opened: {}", failure.message()));
    if (size == 0) return Status(Code::kInvalidModel, "the file is empty");
    if (const auto is_plan = tools::begins_as_plan(path); is_plan && *is_plan)
      return Status(Code::kInvalidModel, "this is a plan; expected the ONNX model that it was compiled from");
    if (size > static_cast<uintmax_t>(limits.file_bytes)) {
      return Status(Code::kInvalidModel,
                    fmt::format("the file is {} bytes long, but the limit is {}; store weights as external data", size,
                                limits.file_bytes));
    }
    file.bytes_ = static_cast<int64_t>(size);
    return file;
  }
  int64_t bytes() const { return bytes_; }
  Status load(google::protobuf::Message& message, const ImportLimits& limits) const {
    FileInputStream first(file_.value());
    const Status checked = check(first, *message.GetDescriptor(), limits, bytes_);
    NESTRT_RETURN_IF_ERROR(explain(first, checked));
    if (::lseek(file_.value(), 0, SEEK_SET) != 0) return Status(Code::kIo, "cannot be rewound");
    FileInputStream second(file_.value());
    const Status parsed = parse(second, message);
    return explain(second, parsed);
  }

 private:
  explicit OpenFile(FileDescriptor file) : file_(std::move(file)) {}

  // Returns the reason for a failure. Protobuf reports a read error as a truncated file.
  static Status explain(const FileInputStream& input, const Status& status) {
    if (input.GetErrno() == 0) return status;
    return Status(Code::kIo, fmt::format("cannot be read: {}", std::strerror(input.GetErrno())));
  }

  FileDescriptor file_;
  int64_t bytes_ = 0;
};

Result<OnnxModel> read_file(const std::string& path, const ImportLimits& limits) {
  onnx::ModelProto proto;
  int64_t file_bytes = 0;
  {
    NESTRT_ASSIGN_OR_RETURN(const OpenFile file, OpenFile::open(path, limits));
    NESTRT_RETURN_IF_ERROR(file.load(proto, limits));
    file_bytes = file.bytes();
  }
  ExternalFiles files(std::filesystem::path(path).parent_path().string());
  return Reader(proto, &files, limits, file_bytes).read();
}

Result<HostTensor> read_tensor_file(const std::string& path) {
  const ImportLimits limits;
  onnx::TensorProto proto;
  NESTRT_ASSIGN_OR_RETURN(const OpenFile file, OpenFile::open(path, limits));
  NESTRT_RETURN_IF_ERROR(file.load(proto, limits));
  NESTRT_ASSIGN_OR_RETURN(const OnnxTensor tensor, decode_tensor(proto, nullptr, limits));
  return HostTensor{tensor.type, tensor.shape, *tensor.elements};
}

// Collects the locations of all tensors in a message, including those of subgraphs and functions.
void add_locations(const google::protobuf::Message& message, std::set<std::string>& locations) {
  if (const auto* tensor = dynamic_cast<const onnx::TensorProto*>(&message)) {
    for (const auto& entry : tensor->external_data())
      if (entry.key() == "location") locations.insert(entry.value());
    return;
  }
  const google::protobuf::Reflection& fields = *message.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> present;
  fields.ListFields(message, &present);
  for (const auto* field : present) {
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      add_locations(fields.GetMessage(message, field), locations);
      continue;
    }
    for (int i = 0; i < fields.FieldSize(message, field); ++i)
      add_locations(fields.GetRepeatedMessage(message, field, i), locations);
  }
}

template <typename T>
Result<T> about(const std::string& path, Result<T> result) {
  if (!result) return result.error().with_context(path);
  return result;
}

}  // namespace

std::string OnnxNode::label() const {
  const std::string& shown = !name.empty() || outputs.empty() ? name : outputs.front();
  return fmt::format("node '{}' ({})", shown, qualified_type());
}

Result<OnnxModel> read_onnx_model(const std::string& path, const ImportLimits& limits) {
  return about(path, read_file(path, limits));
}

Result<OnnxModel> read_onnx_model(std::span<const std::byte> bytes, const ImportLimits& limits) {
  if (bytes.empty() || bytes.size() > static_cast<size_t>(limits.file_bytes)) {
    return Status(Code::kInvalidModel,
                  fmt::format("expected a model of 1 to {} bytes, got {}", limits.file_bytes, bytes.size()));
  }
  onnx::ModelProto proto;
  ArrayInputStream first(bytes.data(), static_cast<int>(bytes.size()));
  NESTRT_RETURN_IF_ERROR(check(first, *proto.GetDescriptor(), limits, static_cast<int64_t>(bytes.size())));
  ArrayInputStream second(bytes.data(), static_cast<int>(bytes.size()));
  NESTRT_RETURN_IF_ERROR(parse(second, proto));
  return Reader(proto, nullptr, limits, static_cast<int64_t>(bytes.size())).read();
}

Result<HostTensor> read_tensor_proto(const std::string& path) { return about(path, read_tensor_file(path)); }

Result<std::vector<std::string>> external_files(const std::string& path) {
  const ImportLimits limits;
  onnx::ModelProto proto;
  NESTRT_ASSIGN_OR_RETURN(const OpenFile file, OpenFile::open(path, limits));
  NESTRT_RETURN_IF_ERROR(file.load(proto, limits));
  std::set<std::string> locations;
  add_locations(proto, locations);
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::vector<std::string> files;
  files.reserve(locations.size());
  for (const std::string& location : locations) files.push_back((folder / location).string());
  return files;
}

}  // namespace nestrt::compiler
