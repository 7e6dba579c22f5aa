// SPDX-License-Identifier: Apache-2.0
// Configurations with any sizes that VTA's own encoding supports, in addition to those of kConfigurations.
//
// The names of sizes in messages are the keys of VTA's vta_config.json. Source of the limits: VTA's hw_spec.h, whose
// instructions have two words of 64 bits and whose micro-ops have 32 bits.
#pragma once

#include <string_view>

#include "drivers/evta/isa/configuration.h"

namespace nestrt::evta {

// Returns the configuration that a name {batch}x{block}_{uop}_{inp}_{wgt}_{acc} states. The result has no name. Errors:
// kInvalidArgument with the key, its value and the limit.
Result<Configuration> parse_sizes(std::string_view name);

}  // namespace nestrt::evta
