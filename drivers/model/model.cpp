// SPDX-License-Identifier: Apache-2.0
#include "nestrt/model.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "drivers/model/input_binder.h"
#include "runtime/core/tensor_set.h"
#include "runtime/platform/guard.h"

namespace nestrt {
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

// Stores the inputs in the plan's order. Errors: kInvalidArgument if one is unknown, missing or given twice.
Status put_in_order(std::span<const TensorInfo> infos, std::span<const ModelInput> inputs,
                    std::vector<const ModelInput*>& ordered) {
  if (inputs.size() != infos.size())
    return invalid(fmt::format("the plan expects {} inputs, got {}", infos.size(), inputs.size()));
  ordered.assign(infos.size(), nullptr);
  for (size_t i = 0; i < inputs.size(); ++i) {
    NESTRT_ASSIGN_OR_RETURN(const size_t index, index_of(infos, inputs[i], i));
    if (ordered[index] != nullptr) return invalid(fmt::format("input '{}' is passed twice", infos[index].name));
    ordered[index] = &inputs[i];
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

  State(std::shared_ptr<const Plan> loaded, UnitList opened, std::unique_ptr<Session> created)
      : plan(std::move(loaded)),
        units(std::move(opened)),
        session(std::move(created)),
        memory(std::max<size_t>(plan->shapes().size(), 1)) {}

  const Plan& shape(size_t index) const { return plan->shapes().empty() ? *plan : *plan->shapes()[index]; }

  // Binds the inputs to the first shape that matches, and returns its index. Errors: the reason why the first shape
  // does not match.
  Result<size_t> select_shape() {
    Status first;
    for (size_t i = 0; i < memory.size(); ++i) {
      Status status = InputBinder(shape(i), units, memory[i].inputs).bind(ordered);
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
    NESTRT_RETURN_IF_ERROR(put_in_order(plan->inputs(), inputs, ordered));
    NESTRT_ASSIGN_OR_RETURN(const size_t index, select_shape());
    NESTRT_RETURN_IF_ERROR(allocate_outputs(index));
    Memory& own = memory[index];
    NESTRT_RETURN_IF_ERROR(session->run(own.inputs.views, own.tensors->views(), options));
    return std::span<const ModelOutput>(own.outputs);
  }

  std::shared_ptr<const Plan> plan;
  UnitList units;
  std::unique_ptr<Session> session;
  std::vector<Memory> memory;                // per shape
  std::vector<const ModelInput*> ordered{};  // of the current run, in the plan's order
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
    NESTRT_ASSIGN_OR_RETURN(auto session, Session::create(plan, units, options));
    return Model(std::make_unique<State>(std::move(plan), std::move(units), std::move(session)));
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
