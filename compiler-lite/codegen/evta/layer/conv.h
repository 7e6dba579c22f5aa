// SPDX-License-Identifier: Apache-2.0
// ConvGenerator: generates programs for layers that sum over windows; see layer.h.
#pragma once

#include <memory>

#include "compiler-lite/codegen/evta/layer/conv_memory.h"
#include "compiler-lite/codegen/evta/layer/finish.h"
#include "compiler-lite/codegen/evta/layer/layer_generator.h"

namespace nestrt::compiler::evta {

class ConvGenerator : public LayerGenerator {
 public:
  // `configuration` must outlive the generator and its programs. Errors: those of layer_shape().
  static Result<ConvGenerator> create(const isa::Configuration& configuration, ConvLayer layer);

  std::string cost_key() const override;
  Result<uint64_t> estimate_cycles(const Tiling& tiling, const isa::CycleProfile& profile) const override;
  Result<EncodedProgram> generate(const Tiling& tiling) const override;

 private:
  ConvGenerator(const isa::Configuration& configuration, const LayerShape& shape, ConvLayer layer);
  Result<ConvMemory> memory_of(const Tiling& tiling) const;

  ConvLayer layer_;
  Finish finish_;
  std::shared_ptr<const PackedWeights> weights_;  // starts with the identity weights
};

// Creates a ConvGenerator and generates one program.
Result<EncodedProgram> generate(const isa::Configuration& configuration, const ConvLayer& layer, const Tiling& tiling);

}  // namespace nestrt::compiler::evta
