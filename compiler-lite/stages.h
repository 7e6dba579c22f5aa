// SPDX-License-Identifier: Apache-2.0
// The stages of the compiler, one folder each.
#pragma once

#include <span>
#include <string_view>

#include "compiler-lite/compilation.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

struct Stage {
  std::string_view name;     // name of the folder
  std::string_view summary;  // shown in progress displays
  Status (*run)(Compilation& compilation);
};

// Returns the stages in execution order.
std::span<const Stage> stages();

// Runs the stages from `first` to `last` (inclusive). Errors: those of the stages.
Status run_stages(Compilation& compilation, std::string_view first, std::string_view last);

}  // namespace nestrt::compiler
