// The backend of EVTA: tuned programs for the operators that legal.h finds legal.
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
  // Programs for so many shares of the channels of each layer that can be divided by them
  // (runtime/plan/queries/channels.h); see pieces.h. 0: none.
  int num_partial_programs = kDefaultPartialPrograms;
  // Layers that take less are not divided: what dividing saves is not worth the synchronisation that it costs.
  double least_divided_us = 100;
  std::string tuning_cache;  // a file; empty: none
};

// Tilings are searched for with the cycle model of the ZCU102, or of the Chisel design where that is the unit's, at its
// clock and bus where it states them.
// Requires: unit.kind == "evta". Errors: kInvalidArgument for an unknown configuration.
Result<std::shared_ptr<Backend>> make_evta_backend(const tools::BoardUnit& unit, const EvtaOptions& options = {});

}  // namespace nestrt::compiler::evta
