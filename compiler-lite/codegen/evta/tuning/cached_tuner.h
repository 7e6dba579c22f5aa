// CachedTuner: the tuner (tuner.h) with the cycle model for its cost function and with a memory: equal layers are tuned
// once.
#pragma once

#include <memory>
#include <string>

#include "compiler-lite/codegen/evta/layer/layer_generator.h"
#include "compiler-lite/codegen/evta/tuning/tuning_cache.h"
#include "drivers/evta/cycles/profile.h"
#include "runtime/kernel/parallel.h"

namespace nestrt::compiler::evta {

class CachedTuner {
 public:
  // `profile`: whose times count. `cache` is shared with others, not null. `parallel`: who makes programs and counts
  // their cycles; it outlives this.
  CachedTuner(const isa::Configuration& configuration, const isa::CycleProfile& profile,
              std::shared_ptr<TuningCache> cache, ParallelRunner& parallel);

  // The layer's program with the best of the tilings; `programs` says how many are measured. It has passed the
  // program checker. Errors: kUnsupported where none is legal, or passes.
  Result<EncodedProgram> program(const LayerGenerator& generator, size_t programs);

 private:
  Result<EncodedProgram> checked_program(const LayerGenerator& generator, const Tiling& tiling) const;
  Result<Tiling> search(const LayerGenerator& generator, size_t programs, bool checks) const;

  const isa::CycleProfile& profile_;
  std::shared_ptr<TuningCache> cache_;
  ParallelRunner& parallel_;
  std::string key_;  // what all searches depend on
};

}  // namespace nestrt::compiler::evta
