// SPDX-License-Identifier: Apache-2.0
#include "nestrt/model.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "drivers/model/image_input.h"
#include "runtime/core/tensor_set.h"
#include "runtime/platform/guard.h"

namespace nestrt {

// The inputs passed to Session::run(): the caller's tensors, and images converted to f32.
struct BoundInputs {
  std::vector<ConstTensorView> views;
  std::vector<std::vector<float>> images;  // per input; reused by later runs
};

namespace {

Status invalid(const std::string& message) { return Status(Code::kInvalidArgument, message); }

std::optional<size_t> find(std::span<const TensorInfo> infos, std::string_view name) {
  const auto found = std::find_if(infos.begin(), infos.end(), [&](const auto& info) { return info.name == name; });
  return found != infos.end() ? std::optional(static_cast<size_t>(found - infos.begin())) : std::nullopt;
}

Result<size_t> index_of(std::span<const TensorInfo> infos, const ModelInput& input, size_t position) {
  if (input.name().empty()) return position;
  if (const auto index = find(infos, input.name())) return *index;
  std::string names;
  for (const TensorInfo& info : infos) names += (names.empty() ? "'" : ", '") + info.name + "'";
  return invalid(fmt::format("unknown input '{}'; available: {}", input.name(), names));
}

// Returns the inputs in the plan's order. Errors: kInvalidArgument if one is unknown, missing or given twice.
Result<std::vector<const ModelInput*>> in_order(std::span<const TensorInfo> infos, std::span<const ModelInput> inputs) {
  if (inputs.size() != infos.size())
    return invalid(fmt::format("the plan expects {} inputs, got {}", infos.size(), inputs.size()));
  std::vector<const ModelInput*> ordered(infos.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    NESTRT_ASSIGN_OR_RETURN(const size_t index, index_of(infos, inputs[i], i));
    if (ordered[index] != nullptr) return invalid(fmt::format("input '{}' is passed twice", infos[index].name));
    ordered[index] = &inputs[i];
  }
  return ordered;
}

Status expect_bytes(const TensorInfo& info, size_t expected, size_t actual) {
  if (actual == expected || actual == SIZE_MAX) return {};
  return invalid(fmt::format("input '{}' ({} {}) expects {} bytes, got {}", info.name, name(info.type),
                             info.shape.to_string(), expected, actual));
}

Status bind_image(const TensorInfo& info, const Preprocessing& preprocessing, const ModelInput& input,
                  std::vector<float>& values, ConstTensorView& view) {
  NESTRT_ASSIGN_OR_RETURN(const PixelOrder order, pixel_order(info.name, info.shape, input.shape(), preprocessing));
  const auto count = static_cast<size_t>(info.shape.num_elements());
  const bool has_room = input.shape().has_value() && input.capacity() >= count;
  if (!has_room) NESTRT_RETURN_IF_ERROR(expect_bytes(info, count, input.capacity()));
  values.resize(count);
  convert_image(static_cast<const uint8_t*>(input.data()), order, info.shape, preprocessing, values.data());
  view = {DataType::kF32, info.shape, values.data()};
  return {};
}

Status bind_input(const Plan& plan, size_t index, const ModelInput& input, BoundInputs& bound) {
  const TensorInfo& info = plan.inputs()[index];
  const Preprocessing* preprocessing = plan.preprocessing(index);
  if (input.type() == DataType::kU8 && info.type == DataType::kF32) {
    if (preprocessing != nullptr)
      return bind_image(info, *preprocessing, input, bound.images[index], bound.views[index]);
    return invalid(
        fmt::format("input '{}' is f32 and the plan contains no image preprocessing; pass f32 values, or compile the "
                    "model with nestc compile --mean and --scale",
                    info.name));
  }
  if (!input.shape()) {
    if (input.type() != info.type)
      return invalid(fmt::format("input '{}' has type {}, got {}", info.name, name(info.type), name(input.type())));
    NESTRT_RETURN_IF_ERROR(expect_bytes(info, info.size_bytes(), input.capacity()));
  }
  bound.views[index] = {input.type(), input.shape().value_or(info.shape), input.data(), input.capacity()};
  return {};
}

Status bind(const Plan& plan, std::span<const ModelInput* const> inputs, BoundInputs& bound) {
  bound.views.resize(inputs.size());
  bound.images.resize(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    NESTRT_RETURN_IF_ERROR(bind_input(plan, i, *inputs[i], bound));
    const TensorInfo& info = plan.inputs()[i];
    if (bound.views[i].shape != info.shape)
      return invalid(fmt::format("input '{}' has shape {}, got {}", info.name, info.shape.to_string(),
                                 bound.views[i].shape.to_string()));
  }
  return {};
}

}  // namespace

struct Model::State {
  // The memory for runs with one shape, allocated by the first of them.
  struct Memory {
    BoundInputs inputs;
    std::optional<TensorSet> tensors;
    std::vector<ModelOutput> outputs;
  };

  State(std::shared_ptr<const Plan> loaded, std::unique_ptr<Session> created)
      : plan(std::move(loaded)), session(std::move(created)), memory(std::max<size_t>(plan->shapes().size(), 1)) {}

  const Plan& shape(size_t index) const { return plan->shapes().empty() ? *plan : *plan->shapes()[index]; }

  // Binds the inputs to the first shape that matches, and returns its index. Errors: the reason why the first shape
  // does not match.
  Result<size_t> select_shape(std::span<const ModelInput* const> inputs) {
    Status first;
    for (size_t i = 0; i < memory.size(); ++i) {
      Status status = bind(shape(i), inputs, memory[i].inputs);
      if (status.ok()) return i;
      if (i == 0) first = std::move(status);
    }
    if (memory.size() == 1) return first;
    return first.with_context(fmt::format("none of the plan's {} shapes matches the inputs; the first", memory.size()));
  }

  Status allocate_outputs(size_t index) {
    Memory& own = memory[index];
    if (own.tensors) return {};
    NESTRT_ASSIGN_OR_RETURN(TensorSet tensors, TensorSet::create(shape(index).outputs()));
    own.outputs.clear();
    for (size_t i = 0; i < tensors.views().size(); ++i)
      own.outputs.push_back({tensors.views()[i], shape(index).outputs()[i].name});
    own.tensors = std::move(tensors);
    return {};
  }

  Result<std::span<const ModelOutput>> run(std::span<const ModelInput> inputs, const RunOptions& options) {
    NESTRT_ASSIGN_OR_RETURN(const auto ordered, in_order(plan->inputs(), inputs));
    NESTRT_ASSIGN_OR_RETURN(const size_t index, select_shape(ordered));
    NESTRT_RETURN_IF_ERROR(allocate_outputs(index));
    Memory& own = memory[index];
    NESTRT_RETURN_IF_ERROR(session->run(own.inputs.views, own.tensors->views(), options));
    return std::span<const ModelOutput>(own.outputs);
  }

  std::shared_ptr<const Plan> plan;
  std::unique_ptr<Session> session;
  std::vector<Memory> memory;  // per shape
};

Model::Model(std::unique_ptr<State> state) : state_(std::move(state)) {}
Model::Model(Model&& other) noexcept = default;
Model& Model::operator=(Model&& other) noexcept = default;
Model::~Model() = default;

Result<Model> Model::open(const std::string& path, const ModelOptions& options) {
  return guarded([&]() -> Result<Model> {
    NESTRT_ASSIGN_OR_RETURN(auto plan, Plan::map(path, options.load));
    NESTRT_ASSIGN_OR_RETURN(UnitList units, open_units(options.units, options.unit_options));
    return create(std::move(plan), std::move(units), options.session);
  });
}

Result<Model> Model::create(std::shared_ptr<const Plan> plan, UnitList units, const SessionOptions& options) {
  return guarded([&]() -> Result<Model> {
    if (plan == nullptr) return invalid("the plan is null");
    NESTRT_ASSIGN_OR_RETURN(auto session, Session::create(plan, std::move(units), options));
    return Model(std::make_unique<State>(std::move(plan), std::move(session)));
  });
}

Result<std::span<const ModelOutput>> Model::run(std::span<const ModelInput> inputs, const RunOptions& options) {
  return guarded([&] { return state_->run(inputs, options); });
}

std::span<const TensorInfo> Model::inputs() const { return plan().inputs(); }
std::span<const TensorInfo> Model::outputs() const { return plan().outputs(); }
std::optional<size_t> Model::find_input(std::string_view name) const { return find(inputs(), name); }
std::optional<size_t> Model::find_output(std::string_view name) const { return find(outputs(), name); }
const Plan& Model::plan() const { return *state_->plan; }
Session& Model::session() { return *state_->session; }

}  // namespace nestrt
