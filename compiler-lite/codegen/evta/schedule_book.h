// ScheduleBook: finds the schedule of a layer that costs least under the cycle model, each geometry once.
#pragma once

#include <memory>
#include <string>

#include "compiler-lite/codegen/evta/layer_generator.h"
#include "compiler-lite/codegen/evta/tuning_cache.h"
#include "drivers/evta/cycles/profile.h"

namespace nestrt::compiler::evta {

class ScheduleBook {
 public:
  // `profile`: whose times count. `cache` is shared with others, not null.
  ScheduleBook(const isa::Configuration& configuration, const isa::CycleProfile& profile,
               std::shared_ptr<TuningCache> cache);

  // The layer's program under the best of the schedules; `programs` says how many are measured. It has passed the
  // program checker. Errors: kUnsupported where none is legal.
  Result<GeneratedProgram> program(const LayerGenerator& generator, size_t programs);

 private:
  Result<GeneratedProgram> checked_program(const LayerGenerator& generator, const Schedule& schedule) const;
  Result<Schedule> search(const LayerGenerator& generator, size_t programs) const;

  const isa::CycleProfile& profile_;
  std::shared_ptr<TuningCache> cache_;
  std::string key_;  // what all searches depend on
};

}  // namespace nestrt::compiler::evta
