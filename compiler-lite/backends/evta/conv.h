// Programs for layers that are sums over windows; see layer.h.
#pragma once

#include <memory>

#include "compiler-lite/backends/evta/conv_memory.h"
#include "compiler-lite/backends/evta/generated_program.h"

namespace nestrt::compiler::evta {

// A layer on a configuration, with what does not depend on the schedule.
class ConvGenerator {
 public:
  // `configuration` must outlive the generator and its programs. Errors: those of conv_shape().
  static Result<ConvGenerator> create(const isa::Configuration& configuration, ConvLayer layer);

  const isa::Configuration& configuration() const { return *configuration_; }
  const ConvLayer& layer() const { return layer_; }
  const ConvShape& shape() const { return shape_; }
  const Finish& finish() const { return finish_; }

  // Errors: kUnsupported where the schedule does not fit the configuration.
  Result<GeneratedProgram> generate(const Schedule& schedule) const;

 private:
  ConvGenerator() = default;

  const isa::Configuration* configuration_ = nullptr;
  ConvLayer layer_;
  ConvShape shape_;
  Finish finish_;
  std::shared_ptr<const PackedWeights> weights_;  // then the identity weights
};

// Both at once.
Result<GeneratedProgram> generate(const isa::Configuration& configuration, const ConvLayer& layer,
                                  const Schedule& schedule);

}  // namespace nestrt::compiler::evta
