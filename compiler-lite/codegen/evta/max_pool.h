// Programs for max-pools. Elements of the input are multiplied by an identity weight to get into ACC; there, each tap
// of the window is one maximum over all outputs that it lies within the picture for, so that padding never counts.
#pragma once

#include <memory>
#include <string>

#include "compiler-lite/codegen/evta/layer_generator.h"

namespace nestrt::compiler::evta {

struct MaxPoolLayer {
  std::string name;
  int64_t images = 1;
  int64_t channels = 0;
  LayerAxis y, x;
};

class MaxPoolGenerator : public LayerGenerator {
 public:
  // `configuration` must outlive the generator and its programs. Errors: as ConvGenerator.
  static Result<MaxPoolGenerator> create(const isa::Configuration& configuration, const MaxPoolLayer& layer);

  const std::string& name() const override { return name_; }
  const isa::Configuration& configuration() const override { return *configuration_; }
  const ConvShape& shape() const override { return shape_; }
  std::string cost_key() const override { return "max-pool " + to_string(shape_); }
  Result<uint64_t> estimate_cycles(const Schedule& schedule, int bus_bytes) const override;
  Result<GeneratedProgram> generate(const Schedule& schedule) const override;

 private:
  MaxPoolGenerator() = default;

  const isa::Configuration* configuration_ = nullptr;
  std::string name_;
  ConvShape shape_;
  std::shared_ptr<const PackedWeights> weights_;
};

}  // namespace nestrt::compiler::evta
