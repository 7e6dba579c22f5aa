// SPDX-License-Identifier: Apache-2.0
// Runs a network on the CPU and accelerators together, and on the CPU alone.
#pragma once

#include <memory>
#include <string>

#include "nestrt/driver/unit.h"
#include "nestrt/plan.h"
#include "nestrt/session.h"

namespace nestrt::boards {

// Fails the test if a run on CPU and accelerators differs from one on the CPU alone, or if a host fallback occurred.
// Images are random with a fixed seed. Returns the memory that the last run copied and shared.
SessionMemory check_same_as_host(const std::shared_ptr<const Plan>& plan, const UnitList& accelerators, uint32_t runs);

// Compiles a model for the ZCU102 with nestc, quantized to s8. `extent`: height and width of its images.
std::shared_ptr<const Plan> compile_quantized(const std::string& model, int64_t extent);

}  // namespace nestrt::boards
