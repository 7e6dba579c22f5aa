#include "compiler-lite/compile.h"

#include <algorithm>
#include <cmath>

#include "tools/common/image.h"

namespace nestrt::compiler {
namespace {

bool is_picture(const Value& value) {
  return value.type == DataType::kF32 && value.shape.rank() == 4 && (value.shape[1] == 1 || value.shape[1] == 3);
}

Status check_preprocessing(const Preprocessing& preprocessing, const Shape& picture) {
  const auto is_finite = [](float value) { return std::isfinite(value); };
  if (!std::all_of(preprocessing.mean.begin(), preprocessing.mean.end(), is_finite))
    return Status(Code::kInvalidArgument, "--mean takes finite numbers");
  const auto is_factor = [](float value) { return std::isfinite(value) && value != 0; };
  if (!std::all_of(preprocessing.scale.begin(), preprocessing.scale.end(), is_factor))
    return Status(Code::kInvalidArgument, "--scale takes finite numbers other than 0: x = (pixel - mean) * scale");
  const int64_t resize = preprocessing.resize;
  if (resize == 0) return {};
  const int64_t least = std::min(picture[2], picture[3]);
  if (resize < least || resize > tools::kMaxPixels / resize) {
    return Status(Code::kInvalidArgument,
                  "--resize " + std::to_string(resize) + ": the shorter side of a picture must have at least the " +
                      std::to_string(least) + " pixels that are cropped from it for the input (" + picture.to_string() +
                      "), and the square of it no more than " + std::to_string(tools::kMaxPixels));
  }
  return {};
}

// Preprocessing belongs to the one input that can hold a picture: [N, 1 or 3, H, W].
Status attach_preprocessing(Graph& graph, const Preprocessing& preprocessing) {
  GraphInput* picture = nullptr;
  for (GraphInput& input : graph.inputs) {
    if (!is_picture(graph.value(input.value))) continue;
    if (picture != nullptr) {
      return Status(Code::kInvalidArgument,
                    "--mean, --scale, --resize and --bgr need one picture input; the model has several");
    }
    picture = &input;
  }
  if (picture == nullptr) {
    return Status(
        Code::kInvalidArgument,
        "--mean, --scale, --resize and --bgr need a picture input of shape Nx1xHxW or Nx3xHxW; the model has none");
  }
  const auto channels = static_cast<size_t>(graph.value(picture->value).shape[1]);
  picture->preprocessing = preprocessing;
  for (std::vector<float>* values : {&picture->preprocessing->mean, &picture->preprocessing->scale}) {
    if (values->size() == 1) values->assign(channels, values->front());
    if (values->size() != channels) {
      return Status(Code::kInvalidArgument, "--mean and --scale take one value, or one for each of the input's " +
                                                std::to_string(channels) + " channels; " +
                                                std::to_string(values->size()) + " were given");
    }
  }
  return check_preprocessing(*picture->preprocessing, graph.value(picture->value).shape);
}

Status expose(Graph& graph, const std::string& name) {
  for (const auto& node : graph.nodes()) {
    for (const ValueId id : node->outputs) {
      if (graph.value(id).name != name) continue;
      if (!graph.is_output(id)) graph.outputs.push_back(id);
      return {};
    }
  }
  return Status(Code::kInvalidArgument, "--expose: no operator of the model computes '" + name +
                                            "'; nestc inspect lists the values that one does");
}

void tell(const CompileOptions& options, std::string_view stage) {
  if (options.progress) options.progress(stage);
}

PassOptions with_progress(const CompileOptions& options) {
  PassOptions result = options.passes;
  if (!options.progress) return result;
  result.before_pass = [&options](const Pass& pass) { options.progress(pass.summary); };
  return result;
}

// The profile must be this model's, and say something about it.
Status require_fit(const std::filesystem::path& model, const QuantizationProfile& profile) {
  NESTRT_ASSIGN_OR_RETURN(const std::string digest, model_digest(model));
  return require_model(profile, digest);
}

Status require_s8(const QuantizationReport& report) {
  if (report.s8_nodes > 0) return {};
  const std::string reason = report.kept.empty() ? "the network has no Conv and no Dense"
                                                 : "'" + report.kept[0].name + "' because " + report.kept[0].reason;
  return Status(Code::kInvalidArgument, "--quantize s8: every operator would stay f32: " + reason);
}

// Residuals are fused afterwards, for what stays f32 and what does not.
Status quantize_and_fuse(Graph& graph, const CompileOptions& options) {
  if (options.quantization) {
    tell(options, "quantize");
    const Quantization& quantization = *options.quantization;
    NESTRT_ASSIGN_OR_RETURN(const QuantizationReport report,
                            quantize(graph, quantization.profile, quantization.options));
    if (quantization.observer) quantization.observer(report);
    NESTRT_RETURN_IF_ERROR(require_s8(report));
  }
  return options.passes.disabled.count("fuse-residual") == 0 ? fuse_residual(graph).error() : Status();
}

Result<Graph> quantized_graph(const std::filesystem::path& model, const CompileOptions& options) {
  NESTRT_RETURN_IF_ERROR(require_fit(model, options.quantization->profile));
  NESTRT_ASSIGN_OR_RETURN(Graph graph, quantizable_graph(model, options));
  NESTRT_RETURN_IF_ERROR(quantize_and_fuse(graph, options));
  return graph;
}

}  // namespace

Result<Graph> optimised_graph(const std::filesystem::path& model, const CompileOptions& options) {
  tell(options, "read the model");
  NESTRT_ASSIGN_OR_RETURN(Graph graph, import_onnx(model, options.import));
  if (options.preprocessing) NESTRT_RETURN_IF_ERROR(attach_preprocessing(graph, *options.preprocessing));
  for (const std::string& name : options.exposed) NESTRT_RETURN_IF_ERROR(expose(graph, name));
  NESTRT_RETURN_IF_ERROR(optimise(graph, with_progress(options)));
  return graph;
}

Result<Graph> quantizable_graph(const std::filesystem::path& model, const CompileOptions& options) {
  CompileOptions unfused = options;
  unfused.passes.disabled.insert("fuse-residual");
  return optimised_graph(model, unfused);
}

Result<PlanBytes> compile_quantizable(Graph graph, const CompileOptions& options) {
  NESTRT_RETURN_IF_ERROR(quantize_and_fuse(graph, options));
  NESTRT_RETURN_IF_ERROR(choose_layout(graph, options.layout));
  return emit_plan(graph);
}

Result<Graph> build_graph(const std::filesystem::path& model, const CompileOptions& options) {
  NESTRT_ASSIGN_OR_RETURN(Graph graph,
                          options.quantization ? quantized_graph(model, options) : optimised_graph(model, options));
  tell(options, "choose layouts and pack weights");
  NESTRT_RETURN_IF_ERROR(choose_layout(graph, options.layout));
  return graph;
}

Result<PlanBytes> compile(const std::filesystem::path& model, const CompileOptions& options) {
  NESTRT_ASSIGN_OR_RETURN(Graph graph, build_graph(model, options));
  tell(options, "plan the memory and write the plan");
  return emit_plan(graph, options.backends, options.offer_observer);
}

}  // namespace nestrt::compiler
