// SPDX-License-Identifier: Apache-2.0
// A session of a plan with several shapes: one session per shape; the inputs of a run select it.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "nestrt/session.h"

namespace nestrt {

// Returns the index of the plan's shape that matches the inputs. Allocates nothing.
std::optional<size_t> shape_for(const Plan& plan, std::span<const ConstTensorView> inputs);

// Requires: the plan has shapes. Errors: those of Session::create().
Result<std::unique_ptr<Session>> create_shaped_session(std::shared_ptr<const Plan> plan, const UnitList& units,
                                                       const SessionOptions& options);

}  // namespace nestrt
