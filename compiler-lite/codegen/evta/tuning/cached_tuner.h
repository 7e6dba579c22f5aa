// SPDX-License-Identifier: Apache-2.0
// CachedTuner: the tuner (tuner.h) with the cycle model as its cost function and a cache, so that identical layers are
// tuned only once.
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
  // `profile`: determines the cycles. `cache`: shared, not null. `parallel`: generates programs and counts their
  // cycles; must outlive the tuner.
  CachedTuner(const isa::Configuration& configuration, const isa::CycleProfile& profile,
              std::shared_ptr<TuningCache> cache, ParallelRunner& parallel);

  // Returns the layer's program with the best tiling after measuring at most `programs` programs. The result has passed
  // the program checker. Errors: kUnsupported if no tiling is legal or passes the checker.
  Result<EncodedProgram> program(const LayerGenerator& generator, size_t programs);

 private:
  Result<EncodedProgram> checked_program(const LayerGenerator& generator, const Tiling& tiling) const;
  Result<Tiling> search(const LayerGenerator& generator, size_t programs, bool checks) const;

  const isa::CycleProfile& profile_;
  std::shared_ptr<TuningCache> cache_;
  ParallelRunner& parallel_;
  std::string key_;  // parameters that all searches share
};

}  // namespace nestrt::compiler::evta
