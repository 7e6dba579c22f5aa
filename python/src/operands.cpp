// SPDX-License-Identifier: Apache-2.0
#include "python/src/operands.h"

#include <algorithm>

#include "python/src/errors.h"
#include "python/src/text.h"

namespace nestrt::python {
namespace {

namespace nb = nanobind;

std::string names_of(std::span<const TensorInfo> infos) {
  std::string names;
  for (const TensorInfo& info : infos) names += (names.empty() ? "'" : ", '") + info.name + "'";
  return names;
}

std::string keys_of(nb::handle dict) {
  std::string names;
  for (const auto& [key, value] : nb::borrow<nb::dict>(dict))
    names += (names.empty() ? "" : ", ") + nb::cast<std::string>(nb::repr(key));
  return names.empty() ? "nothing" : names;
}

// Returns one object per info: from a dict by name, from a list or tuple by position, or the object itself.
std::vector<nb::handle> by_position(const PlanHandle& plan, nb::handle given, std::span<const TensorInfo> infos,
                                    const std::string& what) {
  std::vector<nb::handle> found;
  if (PyDict_Check(given.ptr()) != 0) {
    for (const TensorInfo& info : infos) {
      PyObject* const value = PyDict_GetItemString(given.ptr(), info.name.c_str());
      if (value == nullptr)
        refuse(plan, what + " '" + info.name + "' is missing: the plan expects " + names_of(infos) + ", got " +
                         keys_of(given));
      found.emplace_back(value);
    }
    if (static_cast<size_t>(PyDict_Size(given.ptr())) != infos.size())
      refuse(plan, what + "s: unknown names: the plan expects " + names_of(infos) + ", got " + keys_of(given));
    return found;
  }
  if (PyList_Check(given.ptr()) != 0 || PyTuple_Check(given.ptr()) != 0) {
    for (const nb::handle item : nb::iter(given)) found.push_back(item);
  } else {
    found.push_back(given);
  }
  if (found.size() != infos.size())
    refuse(plan, what + "s: the plan expects " + std::to_string(infos.size()) + " (" + names_of(infos) + "), got " +
                     std::to_string(found.size()));
  return found;
}

// Returns the shape of the plan that matches the inputs. If none does, returns the first; the session then reports it.
const Plan& plan_for(const Plan& plan, const Inputs& inputs) {
  for (const auto& shape : plan.shapes()) {
    const auto has_shape = [](const TensorInfo& info, const ConstTensorView& view) { return info.shape == view.shape; };
    if (std::ranges::equal(shape->inputs(), inputs.views, has_shape)) return *shape;
  }
  return plan;
}

}  // namespace

[[noreturn]] void refuse(const PlanHandle& plan, const std::string& text) {
  raise(Status(Code::kInvalidArgument, text), plan.where);
}

Inputs gather_inputs(const PlanHandle& plan, nb::handle given, FrameInputs& frames) {
  const std::span<const TensorInfo> infos = plan.plan->inputs();
  const std::vector<nb::handle> objects = by_position(plan, given, infos, "input");
  Inputs inputs(infos.size());
  for (size_t i = 0; i < infos.size(); ++i) {
    if (!nb::isinstance<FrameHandle>(objects[i])) {
      inputs.views[i] = view_input(objects[i], "input '" + infos[i].name + "'", inputs.arrays[i]);
      continue;
    }
    const Frame& frame = nb::cast<const FrameHandle&>(objects[i]).frame;
    inputs.converted.push_back(checked(frames.convert(frame, i), plan.where));
    inputs.views[i] = {infos[i].type, infos[i].shape, inputs.converted.back().data()};
  }
  return inputs;
}

Outputs gather_outputs(const PlanHandle& plan, const Inputs& inputs, nb::handle given,
                       std::vector<nb::object>& results) {
  const std::span<const TensorInfo> infos = plan_for(*plan.plan, inputs).outputs();
  Outputs outputs(infos.size());
  if (!given.is_none()) {
    const std::vector<nb::handle> objects = by_position(plan, given, infos, "output");
    for (size_t i = 0; i < infos.size(); ++i) {
      outputs.views[i] = view_output(objects[i], "output '" + infos[i].name + "'", outputs.arrays[i]);
      results.push_back(nb::borrow(objects[i]));
    }
    return outputs;
  }
  for (size_t i = 0; i < infos.size(); ++i) {
    AlignedMemory memory = checked(AlignedMemory::allocate(infos[i].size_bytes(), "an output"), plan.where);
    outputs.views[i] = {infos[i].type, infos[i].shape, memory.data()};
    results.push_back(make_array(std::move(memory), infos[i]));
  }
  return outputs;
}

nb::dict named(const PlanHandle& plan, const std::vector<nb::object>& results) {
  nb::dict outputs;
  for (size_t i = 0; i < results.size(); ++i) outputs[plan.plan->outputs()[i].name.c_str()] = results[i];
  return outputs;
}

}  // namespace nestrt::python
