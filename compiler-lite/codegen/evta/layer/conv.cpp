// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/evta/layer/conv.h"

#include <fmt/core.h>

#include "compiler-lite/codegen/evta/layer/conv_emitter.h"
#include "compiler-lite/codegen/evta/layer/conv_estimate.h"

namespace nestrt::compiler::evta {
namespace {

// [vector][output block][channel]; missing channels are zero.
std::vector<int32_t> packed_vectors(const Finish& finish, const LayerShape& shape) {
  const int64_t lanes = shape.out_blocks() * shape.block;
  std::vector<int32_t> packed;
  for (const std::vector<int32_t>& vector : finish.vectors) {
    packed.insert(packed.end(), vector.begin(), vector.end());
    packed.resize(packed.size() + static_cast<size_t>(lanes) - vector.size());
  }
  return packed;
}

}  // namespace

ConvGenerator::ConvGenerator(const isa::Configuration& configuration, const LayerShape& shape, ConvLayer layer)
    : LayerGenerator(layer.name, configuration, shape), layer_(std::move(layer)), finish_(make_finish(layer_)) {
  // Regular weights follow the identity weights, so the weights of a layer's first channels are a prefix of all its
  // weights.
  auto weights = std::make_shared<PackedWeights>();
  if (layer_.residual) append_identity(*weights, shape.block, static_cast<int8_t>(1 << layer_.residual->left_b));
  if (shape.identity) append_identity(*weights, shape.block, 1);
  const PackedWeights packed = packed_weights(layer_, shape);
  weights->insert(weights->end(), packed.begin(), packed.end());
  weights_ = std::move(weights);
}

Result<ConvGenerator> ConvGenerator::create(const isa::Configuration& configuration, ConvLayer layer) {
  NESTRT_ASSIGN_OR_RETURN(const LayerShape shape, layer_shape(configuration, layer));
  return ConvGenerator(configuration, shape, std::move(layer));
}

std::string ConvGenerator::cost_key() const {
  return fmt::format("conv {}{}{}", to_string(shape()), layer_.residual ? "residual " : "", outline(finish_));
}

Result<ConvMemory> ConvGenerator::memory_of(const Tiling& tiling) const {
  return divide_memory(configuration(), shape(), tiling,
                       {static_cast<int>(finish_.vectors.size()), layer_.residual.has_value(), finish_.copies_tile()});
}

Result<uint64_t> ConvGenerator::estimate_cycles(const Tiling& wanted, const isa::CycleProfile& profile) const {
  NESTRT_ASSIGN_OR_RETURN(const Tiling tiling, limited(shape(), wanted));
  NESTRT_ASSIGN_OR_RETURN(const ConvMemory memory, memory_of(tiling));
  return estimate_conv({configuration(), profile, shape(), finish_, layer_.residual.has_value()}, tiling, memory)
      .total(tiling.threads);
}

Result<EncodedProgram> ConvGenerator::generate(const Tiling& wanted) const {
  NESTRT_ASSIGN_OR_RETURN(const Tiling tiling, limited(shape(), wanted));
  NESTRT_ASSIGN_OR_RETURN(const ConvMemory memory, memory_of(tiling));
  const AddressMap addresses =
      layer_addresses(shape(), {weights_->size(), layer_.residual.has_value(), layer_.result_bytes()});
  // The constants come last because their size, which depends on the micro-ops, is not known yet.
  AddressMap with_constants = addresses;
  with_constants.add(Buffer::kConstants, 0);
  ConvEmitter emitter(configuration(), layer_, shape(), finish_, tiling, memory, with_constants);
  NESTRT_ASSIGN_OR_RETURN(const UnencodedProgram built, emitter.emit());
  return assemble(configuration(), built, packed_vectors(finish_, shape()), addresses, weights_);
}

Result<EncodedProgram> generate(const isa::Configuration& configuration, const ConvLayer& layer, const Tiling& tiling) {
  NESTRT_ASSIGN_OR_RETURN(const ConvGenerator generator, ConvGenerator::create(configuration, layer));
  return generator.generate(tiling);
}

}  // namespace nestrt::compiler::evta
