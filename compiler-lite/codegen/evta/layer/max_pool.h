// SPDX-License-Identifier: Apache-2.0
// MaxPoolGenerator: generates programs for max-pools. A product with an identity weight copies the input to ACC. Each
// tap of the window is then one maximum over all outputs for which the tap is inside the image, so padding never
// counts.
#pragma once

#include <memory>
#include <string>

#include "compiler-lite/codegen/evta/layer/layer_generator.h"

namespace nestrt::compiler::evta {

class MaxPoolGenerator : public LayerGenerator {
 public:
  // `configuration` must outlive the generator and its programs. Errors: same as ConvGenerator.
  static Result<MaxPoolGenerator> create(const isa::Configuration& configuration, const MaxPoolLayer& layer);

  std::string cost_key() const override;
  Result<uint64_t> estimate_cycles(const Tiling& tiling, const isa::CycleProfile& profile) const override;
  Result<EncodedProgram> generate(const Tiling& tiling) const override;

 private:
  MaxPoolGenerator(std::string name, const isa::Configuration& configuration, const LayerShape& shape);

  std::shared_ptr<const PackedWeights> weights_;
};

}  // namespace nestrt::compiler::evta
