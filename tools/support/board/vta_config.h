// SPDX-License-Identifier: Apache-2.0
// Reads VTA's vta_config.json: the parameters with which an accelerator was built.
#pragma once

#include <string>
#include <string_view>

#include "nestrt/result.h"

namespace nestrt::tools {

// Returns true if the configuration of a unit is the path of a vta_config.json instead of a name.
bool is_vta_config(std::string_view configuration);

// Returns the name of the configuration, {batch}x{block}_{uop}_{inp}_{wgt}_{acc}. Its reader checks the limits of the
// sizes. Errors: those of reading; kInvalidArgument with the key, its value and what is expected.
Result<std::string> read_vta_config(const std::string& path);

}  // namespace nestrt::tools
