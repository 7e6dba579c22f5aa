// SPDX-License-Identifier: Apache-2.0
// Selection of one shape of a plan that has several, with `--shape`.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "nestrt/plan.h"
#include "nestrt/result.h"
#include "tools/support/text/cli.h"

namespace nestrt::tools {

// Returns the plan of one shape. `shape` counts from 1; 0 selects the first shape. Errors: kInvalidArgument if the plan
// has fewer shapes.
Result<std::shared_ptr<const Plan>> plan_of_shape(std::shared_ptr<const Plan> plan, int shape);

// Returns the number, counted from 1, of the first shape that the command-line arrays
// (tools/support/report/tensor_files.h) fit, or 0 if the plan has only one shape. Errors: if they fit no shape, the
// reason why they do not fit the first one, and a list of all shapes.
Result<int> shape_of_inputs(const Plan& plan, std::span<const std::string> arguments);

// Adds the option `--shape N`. `use`: what the command does with the shape.
Option add_shape_option(Command command, int& shape, const std::string& use);

}  // namespace nestrt::tools
