// A session of a plan with several shapes: one session for each, of which every run takes the one that fits.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "nestrt/session.h"

namespace nestrt {

// Which of the plan's shapes, if it has several, has inputs of these shapes. Allocates nothing.
std::optional<size_t> shape_for(const Plan& plan, std::span<const ConstTensorView> inputs);

// Requires: the plan has shapes. Errors: as Session::create().
Result<std::unique_ptr<Session>> create_shaped_session(std::shared_ptr<const Plan> plan, const UnitList& units,
                                                       const SessionOptions& options);

}  // namespace nestrt
