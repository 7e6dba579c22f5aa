// What of a plan's results an EVTA program leaves in another form than the tensor has, so that the driver copies it.
#pragma once

#include <cstdint>

#include "nestrt/plan.h"

namespace nestrt::test {

// Bytes of the accumulators that programs for all channels write.
uint64_t bytes_of_accumulators(const Plan& plan);

}  // namespace nestrt::test
