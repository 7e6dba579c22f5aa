// SPDX-License-Identifier: Apache-2.0
#include "tools/support/report/plan_shape.h"

#include <fmt/core.h>

#include <algorithm>

#include "tools/support/report/tensor_files.h"
#include "tools/support/text/printable.h"

namespace nestrt::tools {

Result<std::shared_ptr<const Plan>> plan_of_shape(std::shared_ptr<const Plan> plan, int shape) {
  const auto shapes = plan->shapes();
  const size_t count = std::max<size_t>(shapes.size(), 1), wanted = static_cast<size_t>(std::max(shape, 1));
  if (wanted > count)
    return Status(Code::kInvalidArgument,
                  fmt::format("--shape {}: the plan has {} shape{}", shape, count, count == 1 ? "" : "s"));
  return shapes.empty() ? plan : shapes[wanted - 1];
}

Result<int> shape_of_inputs(const Plan& plan, std::span<const std::string> arguments) {
  if (plan.shapes().empty()) return 0;
  std::string known;
  for (size_t shape = 0; shape < plan.shapes().size(); ++shape) {
    const std::span<const TensorInfo> inputs = plan.shapes()[shape]->inputs();
    if (read_inputs(inputs, arguments)) return static_cast<int>(shape) + 1;
    for (const TensorInfo& input : inputs)
      known += fmt::format("{}{} {}", known.empty() ? "" : ", ", printable(input.name), input.shape.to_string());
  }
  return read_inputs(plan.shapes()[0]->inputs(), arguments)
      .error()
      .with_context(fmt::format("the arrays do not fit any of the plan's shapes ({})", known));
}

Option add_shape_option(Command command, int& shape, const std::string& use) {
  return command.add_option("--shape", shape, "if the plan has several shapes, the number of the shape to " + use)
      .in_range(1, 32)
      .type_name("N");
}

}  // namespace nestrt::tools
