// EVTA as it stands on the boards, for tests that need one configuration and do not care which.
#pragma once

#include "drivers/evta/isa/configuration.h"

namespace nestrt::evta::test {

inline const Configuration& stock_configuration() { return *find_configuration("1x16_15_15_18_17"); }

}  // namespace nestrt::evta::test
