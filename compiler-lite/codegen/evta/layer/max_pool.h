// Programs for max-pools. Elements of the input are multiplied by an identity weight to get into ACC; there, each tap
// of the window is one maximum over all outputs that it lies within the image for, so that padding never counts.
#pragma once

#include <memory>
#include <string>

#include "compiler-lite/codegen/evta/layer/layer_generator.h"

namespace nestrt::compiler::evta {

class MaxPoolGenerator : public LayerGenerator {
 public:
  // `configuration` must outlive the generator and its programs. Errors: as ConvGenerator.
  static Result<MaxPoolGenerator> create(const isa::Configuration& configuration, const MaxPoolLayer& layer);

  std::string cost_key() const override;
  Result<uint64_t> estimate_cycles(const Tiling& tiling, const isa::CycleProfile& profile) const override;
  Result<EncodedProgram> generate(const Tiling& tiling) const override;

 private:
  MaxPoolGenerator(std::string name, const isa::Configuration& configuration, const LayerShape& shape);

  std::shared_ptr<const PackedWeights> weights_;
};

}  // namespace nestrt::compiler::evta
