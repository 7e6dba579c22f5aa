// SPDX-License-Identifier: Apache-2.0
// Parses configurations that are not in kConfigurations, with any sizes that VTA's encoding supports.
//
// Messages name the keys of VTA's vta_config.json. The limits come from VTA's hw_spec.h: an instruction has two 64-bit
// words, and a micro-op has 32 bits.
#pragma once

#include <string_view>

#include "drivers/evta/isa/configuration.h"

namespace nestrt::evta {

// Returns the configuration with the sizes in `name`, {batch}x{block}_{uop}_{inp}_{wgt}_{acc}. Its name is not set.
// Errors: kInvalidArgument with the key, its value and the limit.
Result<Configuration> parse_sizes(std::string_view name);

}  // namespace nestrt::evta
