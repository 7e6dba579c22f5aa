// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/parts/join.h"

#include <fmt/core.h>
#include <google/protobuf/io/coded_stream.h>
#include <onnx/onnx_pb.h>

#include <climits>
#include <filesystem>
#include <set>
#include <unordered_map>

#include "compiler-lite/export/check_model.h"
#include "compiler-lite/export/onnx_numbers.h"
#include "compiler-lite/import/onnx/wire_limits.h"
#include "tools/support/text/files.h"

namespace nestrt::compiler {
namespace {

using google::protobuf::io::CodedInputStream;

Status invalid(const std::string& what) { return Status(Code::kInvalidModel, what); }

Result<onnx::ModelProto> parse(const std::vector<std::byte>& bytes) {
  onnx::ModelProto model;
  if (bytes.empty() || bytes.size() > INT_MAX) return invalid("its size must be 1 byte to 2 GiB");
  CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
  NESTRT_RETURN_IF_ERROR(
      check_wire_limits(stream, *model.GetDescriptor(), ImportLimits(), static_cast<int64_t>(bytes.size())));
  if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return invalid("not an ONNX model");
  return model;
}

// Checks types and dimensions against the manifest, in any order.
template <typename Infos>
Status check_borders(const Infos& infos, const std::vector<Border>& borders, const char* what) {
  std::unordered_map<std::string, const Border*> expected;
  for (const Border& border : borders) expected.emplace(border.name, &border);
  if (static_cast<size_t>(infos.size()) != borders.size())
    return invalid(fmt::format("has {} {}s, but the manifest has {}", infos.size(), what, borders.size()));
  for (const onnx::ValueInfoProto& info : infos) {
    const auto found = expected.find(info.name());
    if (found == expected.end())
      return invalid(fmt::format("has an {} '{}' that is not in the manifest", what, info.name()));
    const auto& tensor = info.type().tensor_type();
    bool fits = tensor.elem_type() == onnx_number(found->second->type) &&
                tensor.shape().dim_size() == found->second->shape.rank();
    for (int axis = 0; fits && axis < tensor.shape().dim_size(); ++axis)
      fits = tensor.shape().dim(axis).dim_value() == found->second->shape[axis];
    if (!fits)
      return invalid(fmt::format("{} '{}' has a different type or shape than in the manifest", what, info.name()));
    expected.erase(found);
  }
  return {};
}

class Joiner {
 public:
  explicit Joiner(const Manifest& manifest) : manifest_(manifest) {}

  Result<std::string> run(const PartSource& source) {
    joined_.mutable_graph()->set_name(manifest_.model);
    if (manifest_.parts.empty()) return invalid("the manifest has no parts");
    for (const ManifestPart& part : manifest_.parts)
      if (const Status status = add(part, source); !status.ok())
        return status.with_context(fmt::format("part '{}' ({})", part.name, part.file));
    for (const Border& border : manifest_.inputs) state(*joined_.mutable_graph()->add_input(), border);
    for (const Border& border : manifest_.outputs) {
      outputs_.insert(border.name);
      state(*joined_.mutable_graph()->add_output(), border);
    }
    add_value_infos();
    if (joined_.ByteSizeLong() > INT_MAX) return Status(Code::kUnsupported, "the model would be larger than 2 GiB");
    NESTRT_RETURN_IF_ERROR(check_onnx_model(joined_));
    return joined_.SerializeAsString();
  }

 private:
  static void state(onnx::ValueInfoProto& info, const Border& border) {
    info.set_name(border.name);
    auto& tensor = *info.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(onnx_number(border.type));
    tensor.mutable_shape();
    for (const int64_t dim : border.shape) tensor.mutable_shape()->add_dim()->set_dim_value(dim);
  }

  Status add(const ManifestPart& part, const PartSource& source) {
    NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, source(part.file));
    NESTRT_ASSIGN_OR_RETURN(onnx::ModelProto model, parse(bytes));
    NESTRT_RETURN_IF_ERROR(add_opset(model));
    NESTRT_RETURN_IF_ERROR(check_borders(model.graph().input(), part.inputs, "input"));
    NESTRT_RETURN_IF_ERROR(check_borders(model.graph().output(), part.outputs, "output"));
    for (onnx::NodeProto& node : *model.mutable_graph()->mutable_node()) NESTRT_RETURN_IF_ERROR(add_node(node));
    for (onnx::TensorProto& tensor : *model.mutable_graph()->mutable_initializer())
      NESTRT_RETURN_IF_ERROR(add_initializer(tensor));
    for (const onnx::ValueInfoProto& info : model.graph().value_info()) infos_.emplace(info.name(), info);
    for (const onnx::ValueInfoProto& info : model.graph().output()) infos_.emplace(info.name(), info);
    return {};
  }

  Status add_opset(const onnx::ModelProto& model) {
    for (const auto& entry : model.opset_import()) {
      if (!entry.domain().empty() && entry.domain() != "ai.onnx") continue;
      if (entry.version() != manifest_.opset)
        return invalid(fmt::format("has opset {}, but the manifest has {}", entry.version(), manifest_.opset));
    }
    if (joined_.opset_import_size() > 0) return {};
    joined_.set_ir_version(model.ir_version());
    joined_.set_producer_name(model.producer_name());
    joined_.set_producer_version(model.producer_version());
    *joined_.mutable_opset_import() = model.opset_import();
    return {};
  }

  Status add_node(onnx::NodeProto& node) {
    for (const std::string& output : node.output())
      if (!output.empty() && !computed_.insert(output).second)
        return invalid(fmt::format("computes '{}', which another part also computes", output));
    joined_.mutable_graph()->add_node()->Swap(&node);
    return {};
  }

  // Adds an initializer of a part. Parts that read the same constant contain separate copies.
  Status add_initializer(onnx::TensorProto& tensor) {
    if (tensor.data_location() == onnx::TensorProto::EXTERNAL)
      return invalid(fmt::format("stores initializer '{}' in another file; store it in the part", tensor.name()));
    const auto [entry, is_new] = initializers_.emplace(tensor.name(), joined_.graph().initializer_size());
    if (is_new) {
      joined_.mutable_graph()->add_initializer()->Swap(&tensor);
      return {};
    }
    if (joined_.graph().initializer(entry->second).SerializeAsString() == tensor.SerializeAsString()) return {};
    return invalid(fmt::format("has a different initializer '{}' than an earlier part", tensor.name()));
  }

  void add_value_infos() {
    for (const auto& [name, info] : infos_)
      if (outputs_.count(name) == 0) *joined_.mutable_graph()->add_value_info() = info;
  }

  const Manifest& manifest_;
  onnx::ModelProto joined_;
  std::set<std::string> computed_, outputs_;
  std::unordered_map<std::string, int> initializers_;
  std::map<std::string, onnx::ValueInfoProto> infos_;
};

}  // namespace

Result<std::string> join_parts(const Manifest& manifest, const PartSource& source) {
  return Joiner(manifest).run(source);
}

Result<std::string> join_parts(const std::string& manifest_path) {
  NESTRT_ASSIGN_OR_RETURN(const Manifest manifest, read_manifest(manifest_path));
  const std::filesystem::path folder = std::filesystem::path(manifest_path).parent_path();
  return join_parts(manifest, [&](const std::string& file) { return tools::read_file((folder / file).string()); });
}

}  // namespace nestrt::compiler
