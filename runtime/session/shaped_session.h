// SPDX-License-Identifier: Apache-2.0
// A session of a plan with several shapes. It consists of one session per shape; the inputs of a run select the
// session.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "nestrt/session.h"

namespace nestrt {

// Returns the index of the plan's shape that matches the inputs. Does not allocate.
std::optional<size_t> shape_for(const Plan& plan, std::span<const ConstTensorView> inputs);

// Requires: the plan has shapes. Errors: as for Session::create().
Result<std::unique_ptr<Session>> create_shaped_session(std::shared_ptr<const Plan> plan, const UnitList& units,
                                                       const SessionOptions& options);

}  // namespace nestrt
