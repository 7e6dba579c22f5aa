// SPDX-License-Identifier: Apache-2.0
// Results that an EVTA program writes in a format other than the tensor's, so that the driver copies them.
#pragma once

#include <cstdint>

#include "nestrt/plan.h"

namespace nestrt::test {

// Returns the bytes of the accumulators that programs for all channels write.
uint64_t bytes_of_accumulators(const Plan& plan);

}  // namespace nestrt::test
