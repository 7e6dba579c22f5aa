// SPDX-License-Identifier: Apache-2.0
// The EVTA backend: tuned programs for the operators that legal.h accepts.
#pragma once

#include <memory>
#include <string>

#include "compiler-lite/codegen/backend.h"
#include "compiler-lite/codegen/evta/partial_programs.h"

namespace nestrt::tools {
struct BoardUnit;
}

namespace nestrt::compiler::evta {

struct EvtaOptions {
  // Maximum number of partial programs per layer; see partial_programs.h. Only layers that can be divided by channels
  // have them (runtime/plan/queries/channels.h). 0 disables them.
  int num_partial_programs = kDefaultPartialPrograms;
  // Layers below this time are not divided, because synchronisation would cost more than division saves.
  double least_divided_us = 100;
  std::string tuning_cache;  // file name; empty disables the cache
};

// Searches tilings with the cycle model of the ZCU102, or of the Chisel design if the unit uses it, at the clock and
// bus width of the unit if specified.
// Requires unit.kind == "evta". Errors: kInvalidArgument for an unknown configuration.
Result<std::shared_ptr<Backend>> make_evta_backend(const tools::BoardUnit& unit, const EvtaOptions& options = {});

}  // namespace nestrt::compiler::evta
