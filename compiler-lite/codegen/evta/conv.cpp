#include "compiler-lite/codegen/evta/conv.h"

#include "compiler-lite/codegen/evta/conv_emitter.h"
#include "compiler-lite/codegen/evta/conv_estimate.h"

namespace nestrt::compiler::evta {
namespace {

// [vector][output block][channel], channels that do not exist zero.
std::vector<int32_t> packed_vectors(const Finish& finish, const ConvShape& shape) {
  const int64_t lanes = shape.out_blocks() * shape.block;
  std::vector<int32_t> packed;
  for (const std::vector<int32_t>& vector : finish.vectors) {
    packed.insert(packed.end(), vector.begin(), vector.end());
    packed.resize(packed.size() + static_cast<size_t>(lanes) - vector.size());
  }
  return packed;
}

}  // namespace

Result<ConvGenerator> ConvGenerator::create(const isa::Configuration& configuration, ConvLayer layer) {
  NESTRT_ASSIGN_OR_RETURN(const ConvShape shape, conv_shape(configuration, layer));
  ConvGenerator generator;
  generator.configuration_ = &configuration;
  generator.shape_ = shape;
  generator.finish_ = make_finish(layer);
  // The others last: those of a layer's first channels are the first bytes of its own.
  auto weights = std::make_shared<PackedWeights>();
  if (layer.residual) append_identity(*weights, shape.block, static_cast<int8_t>(1 << layer.residual->left_b));
  if (shape.identity) append_identity(*weights, shape.block, 1);
  const PackedWeights packed = packed_weights(layer, shape);
  weights->insert(weights->end(), packed.begin(), packed.end());
  generator.weights_ = std::move(weights);
  generator.layer_ = std::move(layer);
  return generator;
}

std::string ConvGenerator::cost_key() const {
  return "conv " + to_string(shape_) + (layer_.residual ? "residual " : "") + outline(finish_);
}

Result<ConvMemory> ConvGenerator::memory_of(const Schedule& schedule) const {
  return divide_memory(*configuration_, shape_, schedule, static_cast<int>(finish_.vectors.size()),
                       layer_.residual.has_value());
}

Result<uint64_t> ConvGenerator::estimate_cycles(const Schedule& wanted, int bus_bytes) const {
  NESTRT_ASSIGN_OR_RETURN(const Schedule schedule, limited(shape_, wanted));
  NESTRT_ASSIGN_OR_RETURN(const ConvMemory memory, memory_of(schedule));
  const ConvCosts costs = {finish_cost(finish_, layer_.residual.has_value()),
                           static_cast<int64_t>(finish_.steps.size() + finish_.steps_after_residual.size()),
                           layer_.residual.has_value()};
  return estimate_conv(*configuration_, shape_, costs, schedule, memory, bus_bytes).total(schedule.threads);
}

Result<GeneratedProgram> ConvGenerator::generate(const Schedule& wanted) const {
  NESTRT_ASSIGN_OR_RETURN(const Schedule schedule, limited(shape_, wanted));
  NESTRT_ASSIGN_OR_RETURN(const ConvMemory memory, memory_of(schedule));
  const AddressMap addresses = layer_addresses(shape_, layer_.residual.has_value(), weights_->size());
  // The constants come last: their address is known, their size, which depends on the micro-ops, is not.
  AddressMap with_constants = addresses;
  with_constants.add(Buffer::kConstants, 0);
  ConvEmitter emitter(*configuration_, layer_, shape_, finish_, schedule, memory, with_constants);
  NESTRT_ASSIGN_OR_RETURN(const BuiltProgram built, emitter.emit());
  return assemble(*configuration_, built, packed_vectors(finish_, shape_), addresses, weights_);
}

Result<GeneratedProgram> generate(const isa::Configuration& configuration, const ConvLayer& layer,
                                  const Schedule& schedule) {
  NESTRT_ASSIGN_OR_RETURN(const ConvGenerator generator, ConvGenerator::create(configuration, layer));
  return generator.generate(schedule);
}

}  // namespace nestrt::compiler::evta
