#include "tools/common/plan_shape.h"

#include <fmt/core.h>

#include <algorithm>

namespace nestrt::tools {

Result<std::shared_ptr<const Plan>> plan_of_shape(std::shared_ptr<const Plan> plan, int shape) {
  const auto shapes = plan->shapes();
  const size_t count = std::max<size_t>(shapes.size(), 1), wanted = static_cast<size_t>(std::max(shape, 1));
  if (wanted > count)
    return Status(Code::kInvalidArgument,
                  fmt::format("--shape {}: the plan has {} shape{}", shape, count, count == 1 ? "" : "s"));
  return shapes.empty() ? plan : shapes[wanted - 1];
}

Option add_shape_option(Command command, int& shape, const std::string& use) {
  return command.add_option("--shape", shape, "of a plan for inputs of several shapes the one to " + use)
      .in_range(1, 32)
      .type_name("N");
}

}  // namespace nestrt::tools
