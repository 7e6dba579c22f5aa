// The stages of the compiler, one folder each, in one table.
#pragma once

#include <span>
#include <string_view>

#include "compiler-lite/compilation.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

struct Stage {
  std::string_view name;     // the folder's
  std::string_view summary;  // what people who wait are told
  Status (*run)(Compilation& compilation);
};

// In the order in which they run.
std::span<const Stage> stages();

// Runs the stages from `first` to `last`, both by name and both included. Errors: those of the stages.
Status run_stages(Compilation& compilation, std::string_view first, std::string_view last);

}  // namespace nestrt::compiler
