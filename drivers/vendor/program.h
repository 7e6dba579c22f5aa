// SPDX-License-Identifier: Apache-2.0
// A plan's program as a plug-in receives it, and the locations of its ports. Requires a verified plan: ranges are
// within their tensors and segments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "drivers/vendor/part.h"
#include "nestrt/data_type.h"
#include "nestrt/plan.h"
#include "nestrt/result.h"
#include "runtime/platform/aligned_memory.h"

namespace nestrt::plan {
struct Program;
}

namespace nestrt::vendor {

// A tensor in a buffer of the plan.
struct Port {
  uint32_t buffer = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;              // in row-major order
  Layout layout = Layout::kPlain;  // of the tensor
};

struct PortedProgram {
  Part part;                  // its blob is owned by the plan, or by `joined`
  std::vector<Port> ports;    // in the order of the part's
  AlignedMemory joined = {};  // a blob that the plan stores in several segments
};

// Ports are the program's ranges in order: whole tensors, inputs before outputs. Errors: kInvalidPlan, kIncompatible
// for another configuration.
Result<PortedProgram> read_program(const Plan& plan, const plan::Program& program, std::string_view configuration);

}  // namespace nestrt::vendor
