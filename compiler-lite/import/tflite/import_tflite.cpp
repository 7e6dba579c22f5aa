// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <unordered_set>

#include "compiler-lite/import/drop_quantization.h"
#include "compiler-lite/import/graph_inputs.h"
#include "compiler-lite/import/import_model.h"
#include "compiler-lite/import/interface.h"
#include "compiler-lite/import/onnx/onnx_model.h"
#include "compiler-lite/import/tflite/lite_metadata.h"
#include "compiler-lite/import/tflite/lite_operators.h"
#include "runtime/plan/format/image_channels.h"
#include "tools/support/text/files.h"

namespace nestrt::compiler {
namespace {

// Names of the model's inputs or outputs, by tensor: those of the signature or, without a signature, those of the
// tensors.
class PortNames {
 public:
  using Map = flatbuffers::Vector<flatbuffers::Offset<tflite::TensorMap>>;

  PortNames(const LiteGraph& graph, const Map* signature) : graph_(graph) {
    for (size_t i = 0; i < lite_size(signature); ++i) {
      const tflite::TensorMap& entry = *signature->Get(static_cast<uint32_t>(i));
      if (lite_size(entry.name()) > 0) stated_.emplace(entry.tensor_index(), entry.name()->str());
    }
  }

  std::string of(int32_t tensor) const {
    const auto found = stated_.find(static_cast<uint32_t>(tensor));
    return found == stated_.end() ? graph_.name(tensor) : found->second;
  }

 private:
  const LiteGraph& graph_;
  std::map<uint32_t, std::string> stated_;
};

class LiteImporter {
 public:
  LiteImporter(const LiteFile& file, const ImportOptions& options)
      : file_(file), options_(options), builder_(options.limits, file.num_bytes()) {}

  Result<Graph> run() {
    const int64_t num_operators = static_cast<int64_t>(lite_size(file_.main().operators()));
    if (num_operators > options_.limits.max_nodes(file_.num_bytes()))
      return too_many_nodes(options_.limits.max_nodes(file_.num_bytes()));
    NESTRT_RETURN_IF_ERROR(check_lite_operators(file_));
    builder_.graph().name = lite_text(file_.main().name());
    NESTRT_RETURN_IF_ERROR(import_inputs());
    NESTRT_RETURN_IF_ERROR(import_lite_operators(graph_));
    NESTRT_RETURN_IF_ERROR(add_outputs());
    builder_.graph().tidy();
    return std::move(builder_.graph());
  }

 private:
  Result<OnnxValueInfo> input_info(int32_t tensor, std::string name) {
    OnnxValueInfo info;
    info.name = std::move(name);
    const tflite::Tensor& stated = graph_.tensor(tensor);
    NESTRT_ASSIGN_OR_RETURN(info.type, graph_.type(tensor));
    if (stated.type() == tflite::ElementType::INT16)
      return Status(Code::kUnsupported,
                    fmt::format("input '{}' is int16, which plans do not support; convert the model with float inputs "
                                "and outputs (inference_input_type = tf.float32)",
                                info.name));
    const auto dims = lite_list(lite_size(stated.shape_signature()) > 0 ? stated.shape_signature() : stated.shape());
    info.dims.emplace();
    for (const int32_t dim : dims) info.dims->push_back(dim == -1 ? kDynamic : dim);
    info.dim_names.resize(dims.size());
    return info;
  }

  Status import_inputs() {
    const tflite::SignatureDef* signature = file_.signature();
    const PortNames names(graph_, signature == nullptr ? nullptr : signature->inputs());
    OnnxModel model;  // contains only inputs, to check names, shapes and bindings as in ONNX models
    const std::vector<int32_t> tensors = lite_list(file_.main().inputs());
    for (const int32_t tensor : tensors) {
      if (!graph_.exists(tensor)) return Status(Code::kInvalidModel, "an input of the model does not exist");
      NESTRT_ASSIGN_OR_RETURN(OnnxValueInfo info, input_info(tensor, names.of(tensor)));
      model.inputs.push_back(std::move(info));
    }
    NESTRT_RETURN_IF_ERROR(add_inputs(builder_, model, options_));
    NESTRT_RETURN_IF_ERROR(add_preprocessing(model.inputs));
    for (size_t i = 0; i < tensors.size(); ++i)
      NESTRT_RETURN_IF_ERROR(graph_.define_input(tensors[i], builder_.find(model.inputs[i].name)));
    return ok_status();
  }

  // Adds the normalization that the metadata specifies for f32 images.
  Status add_preprocessing(const std::vector<OnnxValueInfo>& infos) {
    NESTRT_ASSIGN_OR_RETURN(const std::vector<Preprocessing> normalizations, lite_normalizations(file_));
    for (size_t i = 0; i < infos.size(); ++i) {
      const bool is_stated = !normalizations[i].mean.empty() || !normalizations[i].scale.empty();
      for (GraphInput& input : builder_.graph().inputs) {
        const Value& value = builder_.graph().value(input.value);
        if (!is_stated || value.name != infos[i].name || !is_image(value)) continue;
        const int64_t channels = value.shape[image_channels_axis(value.shape)];
        NESTRT_ASSIGN_OR_RETURN(input.preprocessing, for_channels(normalizations[i], channels));
      }
    }
    return ok_status();
  }

  Status add_outputs() {
    const std::vector<int32_t> tensors = lite_list(file_.main().outputs());
    if (tensors.empty()) return Status(Code::kInvalidModel, "the model has no outputs");
    const tflite::SignatureDef* signature = file_.signature();
    const PortNames names(graph_, signature == nullptr ? nullptr : signature->outputs());
    std::unordered_set<std::string> known;
    for (const int32_t tensor : tensors) {
      if (!graph_.exists(tensor)) return Status(Code::kInvalidModel, "an output of the model does not exist");
      const std::string name = names.of(tensor);
      if (!known.insert(name).second)
        return Status(Code::kInvalidModel, fmt::format("two outputs have the name '{}'", name));
      NESTRT_ASSIGN_OR_RETURN(const ValueId id, graph_.stored(tensor, Form::kPlain));
      NESTRT_RETURN_IF_ERROR(add_output(id, name));
    }
    for (const auto& [variable, state] : context_.variables) {
      const std::string name = variable + ".next";
      if (!state.is_assigned) continue;
      if (!known.insert(name).second)
        return Status(Code::kInvalidModel, fmt::format("two outputs have the name '{}'", name));
      NESTRT_RETURN_IF_ERROR(add_output(state.value, name));
    }
    return ok_status();
  }

  // The plan's output contains integers without a quantization, as for ONNX models.
  Status add_output(ValueId id, const std::string& name) {
    if (builder_.graph().value(id).quantization) {
      NESTRT_ASSIGN_OR_RETURN(id, builder_.reinterpret(fmt::format("output '{}'", name), name + "/integers", id, {}));
    }
    NESTRT_ASSIGN_OR_RETURN(const ValueId output, builder_.as_output(id, name));
    builder_.graph().outputs.push_back(output);
    return ok_status();
  }

  const LiteFile& file_;
  const ImportOptions& options_;
  GraphBuilder builder_;
  LiteContext context_{.file = file_, .builder = builder_};
  LiteGraph graph_{context_, 0, ""};
};

bool is_hybrid_product(const LiteFile& file, const tflite::SubGraph& graph, const tflite::Operator& op) {
  const auto code = file.code(op);
  using enum tflite::OperatorCodeValue;
  if (!code || (code->code != CONV_2D && code->code != DEPTHWISE_CONV_2D && code->code != FULLY_CONNECTED &&
                code->code != BATCH_MATMUL))
    return false;
  const std::vector<int32_t> inputs = lite_list(op.inputs());
  const auto type_of = [&](size_t input) {
    if (input >= inputs.size() || inputs[input] < 0 || static_cast<size_t>(inputs[input]) >= lite_size(graph.tensors()))
      return tflite::ElementType::STRING;
    return graph.tensors()->Get(static_cast<uint32_t>(inputs[input]))->type();
  };
  return (type_of(0) == tflite::ElementType::FLOAT32 || type_of(0) == tflite::ElementType::INT16) &&
         (type_of(1) == tflite::ElementType::INT8 || type_of(1) == tflite::ElementType::INT4);
}

}  // namespace

bool is_hybrid_tflite(const std::string& path) {
  auto bytes = tools::read_file(path);
  if (!bytes || !LiteFile::is_lite(*bytes)) return false;
  const auto file = LiteFile::open(std::move(*bytes), ImportLimits());
  if (!file || file->main().operators() == nullptr) return false;
  return std::ranges::any_of(*file->main().operators(),
                             [&](const tflite::Operator* op) { return is_hybrid_product(*file, file->main(), *op); });
}

bool is_tflite(const std::string& path) {
  const auto start = tools::read_start(path, LiteFile::kStartBytes);
  return start && LiteFile::is_lite(start->bytes);
}

namespace {

Result<Graph> import_any(const std::string& path, const ImportOptions& options) {
  if (!is_tflite(path)) return import_onnx(path, options);
  NESTRT_ASSIGN_OR_RETURN(std::vector<std::byte> bytes, tools::read_file(path));
  auto graph = import_tflite(std::move(bytes), options);
  if (!graph) return graph.error().with_context(path);
  if (graph->name.empty()) graph->name = std::filesystem::path(path).stem().string();
  return graph;
}

}  // namespace

Result<Graph> import_model(const std::string& path, const ImportOptions& options) {
  NESTRT_ASSIGN_OR_RETURN(Graph graph, import_any(path, options));
  if (!options.drops_quantization) return graph;
  NESTRT_ASSIGN_OR_RETURN(const int dropped, drop_quantization(graph));
  if (dropped > 0) return graph;
  return Status(
      Code::kInvalidArgument,
      fmt::format("--requantize: '{}' has no quantized activations between its operators; omit this option", path));
}

Result<Graph> import_tflite(std::vector<std::byte> model, const ImportOptions& options) {
  NESTRT_ASSIGN_OR_RETURN(const LiteFile file, LiteFile::open(std::move(model), options.limits));
  return LiteImporter(file, options).run();
}

}  // namespace nestrt::compiler
