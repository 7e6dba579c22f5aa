// SPDX-License-Identifier: Apache-2.0
// Inputs and outputs of a run: converts Python objects to the plan's tensors.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "python/src/arrays.h"
#include "python/src/frame.h"
#include "python/src/plan.h"

namespace nestrt::python {

// The arrays of a run, and views of them in the plan's order.
template <typename Array, typename View>
struct Tensors {
  explicit Tensors(size_t count) : arrays(count), views(count) {}
  std::vector<Array> arrays;
  std::vector<View> views;
};
struct Inputs : Tensors<InputArray, ConstTensorView> {
  using Tensors::Tensors;
  std::vector<AlignedMemory> converted;  // values of frames
};
using Outputs = Tensors<OutputArray, TensorView>;

// Raises InvalidArgument with `text`; the plan is its location.
[[noreturn]] void refuse(const PlanHandle& plan, const std::string& text);

// Reads inputs from a dict by name, a list or tuple by position, or a single array. `frames` converts frames.
Inputs gather_inputs(const PlanHandle& plan, nanobind::handle given, FrameInputs& frames);
// Returns the caller's arrays, or new ones if `given` is None, in the shapes that match the inputs. Appends the arrays
// to `results` in the plan's order.
Outputs gather_outputs(const PlanHandle& plan, const Inputs& inputs, nanobind::handle given,
                       std::vector<nanobind::object>& results);
// Returns the results by the names of the plan's outputs.
nanobind::dict named(const PlanHandle& plan, const std::vector<nanobind::object>& results);

}  // namespace nestrt::python
