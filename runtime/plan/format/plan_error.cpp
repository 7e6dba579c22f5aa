// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/format/plan_error.h"

#include <fmt/core.h>

#include <utility>

namespace nestrt {

Status damaged_plan(std::string what) {
  return Status(Code::kInvalidPlan, fmt::format("{}; recompile the model with nestc or copy the file again", what));
}

Status as_plan_error(const Status& status) {
  const bool broken = status.code() == Code::kInvalidModel || status.code() == Code::kInvalidPlan;
  return broken ? damaged_plan(std::string(status.message())) : status;
}

}  // namespace nestrt
