// How many bytes of constants operators read, each use counted. Units check, copy or repack a constant for every
// operator that reads it, so a plan whose operators share constants beyond reason would take more than in proportion to
// its file.
#pragma once

#include <cstdint>

#include "nestrt/plan_tables.h"
#include "nestrt/status.h"

namespace nestrt {

// `data_bytes`: of the data area. Errors: kInvalidPlan, for more than 256 MB and sixteen times those.
// Requires: operands are indices of tensors, tensors have buffers that exist and that hold them.
Status check_constant_uses(const plan::Tables& plan, uint64_t data_bytes);

}  // namespace nestrt
