// SPDX-License-Identifier: Apache-2.0
// One of the shapes that a plan for inputs of several shapes has, as `--shape` names it.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "nestrt/plan.h"
#include "nestrt/result.h"
#include "tools/support/text/cli.h"

namespace nestrt::tools {

// The plan of that shape alone. `shape`: counted from 1; 0: the first. Errors: kInvalidArgument where the plan has no
// such shape.
Result<std::shared_ptr<const Plan>> plan_of_shape(std::shared_ptr<const Plan> plan, int shape);

// The number of the first shape that arrays of the command line (tools/support/report/tensor_files.h) fit; 0 where the
// plan has but one. Errors: why they do not fit the first, with all shapes, where they fit none.
Result<int> shape_of_inputs(const Plan& plan, std::span<const std::string> arguments);

// `--shape N`. `use`: what the command does with that shape.
Option add_shape_option(Command command, int& shape, const std::string& use);

}  // namespace nestrt::tools
