// Programs for layers that are sums over windows; see layer.h.
#pragma once

#include <memory>

#include "compiler-lite/codegen/evta/conv_memory.h"
#include "compiler-lite/codegen/evta/layer_generator.h"

namespace nestrt::compiler::evta {

class ConvGenerator : public LayerGenerator {
 public:
  // `configuration` must outlive the generator and its programs. Errors: those of conv_shape().
  static Result<ConvGenerator> create(const isa::Configuration& configuration, ConvLayer layer);

  const std::string& name() const override { return layer_.name; }
  const isa::Configuration& configuration() const override { return *configuration_; }
  const ConvShape& shape() const override { return shape_; }
  std::string cost_key() const override;
  Result<uint64_t> estimate_cycles(const Schedule& schedule, int bus_bytes) const override;
  Result<GeneratedProgram> generate(const Schedule& schedule) const override;

 private:
  ConvGenerator() = default;
  Result<ConvMemory> memory_of(const Schedule& schedule) const;

  const isa::Configuration* configuration_ = nullptr;
  ConvLayer layer_;
  ConvShape shape_;
  Finish finish_;
  std::shared_ptr<const PackedWeights> weights_;  // the identity weights first
};

// Both at once.
Result<GeneratedProgram> generate(const isa::Configuration& configuration, const ConvLayer& layer,
                                  const Schedule& schedule);

}  // namespace nestrt::compiler::evta
