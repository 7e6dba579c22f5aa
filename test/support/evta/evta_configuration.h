// SPDX-License-Identifier: Apache-2.0
// The configuration of the ZCU102 and the default of --target evta.
#pragma once

#include "drivers/evta/isa/configuration.h"

namespace nestrt::evta::test {

inline const Configuration& stock_configuration() { return *find_configuration("1x16_15_15_18_17"); }

}  // namespace nestrt::evta::test
