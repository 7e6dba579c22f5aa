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

std::optional<size_t> find(std::span<const TensorInfo> infos, std::string_view name) {
  const auto found = std::find_if(infos.begin(), infos.end(), [&](const auto& info) { return info.name == name; });
  return found != infos.end() ? std::optional(static_cast<size_t>(found - infos.begin())) : std::nullopt;
}

}  // namespace

struct Model::State {
  // The memory for runs with one shape, allocated by the first of them.
  struct Memory {
    std::optional<TensorSet> tensors;
    std::vector<ModelOutput> outputs;
  };

  State(std::shared_ptr<const Plan> loaded, UnitList opened, std::unique_ptr<Session> created)
      : plan(std::move(loaded)),
        units(std::move(opened)),
        session(std::move(created)),
        bound(*plan, units),
        memory(std::max<size_t>(plan->shapes().size(), 1)) {}

  Status allocate_outputs(size_t index) {
    Memory& own = memory[index];
    if (own.tensors) return {};
    const std::span<const TensorInfo> infos = shape_of_plan(*plan, index).outputs();
    NESTRT_ASSIGN_OR_RETURN(TensorSet tensors, TensorSet::create(infos));
    own.outputs.clear();
    for (size_t i = 0; i < tensors.views().size(); ++i) own.outputs.push_back({tensors.views()[i], infos[i].name});
    own.tensors = std::move(tensors);
    return {};
  }

  Result<std::span<const ModelOutput>> run(std::span<const ModelInput> inputs, const RunOptions& options) {
    NESTRT_ASSIGN_OR_RETURN(const size_t index, bound.bind(inputs));
    NESTRT_RETURN_IF_ERROR(allocate_outputs(index));
    Memory& own = memory[index];
    NESTRT_RETURN_IF_ERROR(session->run(bound.views(index), own.tensors->views(), options));
    return std::span<const ModelOutput>(own.outputs);
  }

  std::shared_ptr<const Plan> plan;
  UnitList units;
  std::unique_ptr<Session> session;
  ShapedInputs bound;
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
    if (plan == nullptr) return Status(Code::kInvalidArgument, "the plan is null");
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
