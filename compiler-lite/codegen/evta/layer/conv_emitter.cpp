// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/evta/layer/conv_emitter.h"

#include <algorithm>

namespace nestrt::compiler::evta {
namespace {

using isa::Memory;
using isa::MicroOp;

MicroOp indices(int64_t dst, int64_t src, int64_t wgt) {
  return {static_cast<uint32_t>(dst), static_cast<uint32_t>(src), static_cast<uint32_t>(wgt)};
}

Dimension dimension(int64_t count, int64_t dst, int64_t src, int64_t wgt) {
  return {static_cast<uint32_t>(count), indices(dst, src, wgt)};
}

// Kind of an INP slot's contents; part of its ContentKey.
enum Content : int64_t { kImage, kResidualPart };

}  // namespace

ConvEmitter::ConvEmitter(const isa::Configuration& configuration, const ConvLayer& layer, const LayerShape& shape,
                         const Finish& finish, const Tiling& tiling, const ConvMemory& memory,
                         const AddressMap& addresses)
    : configuration_(configuration),
      layer_(layer),
      shape_(shape),
      finish_(finish),
      tiling_(tiling),
      memory_(memory),
      addresses_(addresses),
      builder_(configuration),
      inputs_(memory.inp.count),
      weights_(memory.wgt.count),
      stores_(static_cast<size_t>(memory.acc.count)),
      results_(static_cast<size_t>(memory.acc.count)) {}

int64_t ConvEmitter::element_address(Buffer buffer, Memory memory) const {
  return static_cast<int64_t>(addresses_.address(buffer)) / configuration_.element_bytes(memory);
}

Result<UnencodedProgram> ConvEmitter::emit() {
  if (memory_.identities > 0) load_identities();
  if (memory_.vectors_stay) load_vectors({0, shape_.out_blocks()});
  const std::vector<Tile> tiles = tiles_of(shape_, tiling_);
  for (size_t i = 0; i < tiles.size(); ++i) NESTRT_RETURN_IF_ERROR(emit_tile(i, tiles[i]));
  return builder_.finish(last_store_);
}

// Loads the identity weights before any input, so that every product already waits for them.
void ConvEmitter::load_identities() {
  const int64_t dram = element_address(Buffer::kWeights, Memory::kWgt);
  append_transfer(builder_, {.memory = Memory::kWgt, .dram = dram, .row_size = memory_.identities});
}

void ConvEmitter::load_vectors(const Span& blocks) {
  if (finish_.vectors.empty() || vectors_ == blocks) return;
  append_transfer(builder_, {.memory = Memory::kAcc,
                             .dram = element_address(Buffer::kConstants, Memory::kAcc) + blocks.first,
                             .rows = static_cast<int64_t>(finish_.vectors.size()),
                             .row_size = blocks.count,
                             .stride = shape_.out_blocks()});
  vectors_ = blocks;
}

Status ConvEmitter::emit_tile(size_t index, const Tile& tile) {
  const int64_t slot = static_cast<int64_t>(index) % memory_.acc.count;
  const Place place = {slot, memory_.acc.at(slot)};
  if (!memory_.vectors_stay) load_vectors(tile.blocks);
  NESTRT_RETURN_IF_ERROR(start_tile(tile, place));
  NESTRT_RETURN_IF_ERROR(emit_products(tile, place));
  NESTRT_RETURN_IF_ERROR(emit_steps(finish_.steps, tile, place));
  if (layer_.residual) {
    NESTRT_RETURN_IF_ERROR(emit_residual(tile, place));
    NESTRT_RETURN_IF_ERROR(emit_steps(finish_.steps_after_residual, tile, place));
  }
  return store_tile(tile, place);
}

// Initialises the accumulators with zeros or biases.
Status ConvEmitter::start_tile(const Tile& tile, const Place& place) {
  const InstructionId begin = builder_.size();
  const int64_t copies = copies_of(tile.elements());
  int64_t& results = results_[static_cast<size_t>(place.slot)];
  if (finish_.clears_results || copies > 1 || results < tile.elements()) {
    const LoopNest all = {indices(place.base, 0, 0), {dimension(tile.elements() * copies, 1, 0, 0)}};
    NESTRT_ASSIGN_OR_RETURN(last_compute_, builder_.gemm(all, true));
  }
  results = copies > 1 ? tile.elements() : std::max(results, tile.elements());  // copies are not results
  if (finish_.preload) {
    NESTRT_ASSIGN_OR_RETURN(last_compute_, emit_step(*finish_.preload, tile, place));
  }
  if (const auto& store = stores_[static_cast<size_t>(place.slot)]) builder_.order(*store, begin);
  return ok_status();
}

Status ConvEmitter::emit_products(const Tile& tile, const Place& place) {
  if (shape_.identity) return emit_chunk(tile, place, tile.blocks);
  for (const Span& chunk : cut(shape_.group_in_blocks, tiling_.in_blocks)) {
    const Span blocks = {tile.group * shape_.group_in_blocks + chunk.first, chunk.count};
    NESTRT_RETURN_IF_ERROR(emit_chunk(tile, place, blocks));
  }
  return ok_status();
}

Status ConvEmitter::emit_chunk(const Tile& tile, const Place& place, const Span& chunk) {
  std::optional<InstructionId> loaded;
  const SlotRing::Use input = input_chunk(tile, chunk, loaded);
  SlotRing::Use weights;
  if (!shape_.identity) weights = weight_chunk(tile, chunk, loaded);
  const LoopNest nest = products(tile, place, chunk, memory_.inp.at(input.slot),
                                 shape_.identity ? memory_.identities - 1 : memory_.wgt.at(weights.slot));
  NESTRT_ASSIGN_OR_RETURN(last_compute_, builder_.gemm(nest));
  if (loaded) builder_.order(*loaded, last_compute_);
  inputs_.read_by(input.slot, last_compute_);
  if (!shape_.identity) weights_.read_by(weights.slot, last_compute_);
  return ok_status();
}

LoopNest ConvEmitter::products(const Tile& tile, const Place& place, const Span& chunk, int64_t inp,
                               int64_t wgt) const {
  const Extent rows = input_extent(shape_.y, tile.rows, true);
  const int64_t width = input_extent(shape_.x, tile.columns, false).padded(), plane = rows.padded() * width;
  const int64_t row_stride = rows.step == 1 ? shape_.y.stride : 1;
  const int64_t taps = shape_.taps(), weight = shape_.identity ? 0 : 1;
  const int64_t in_blocks = shape_.identity ? 1 : chunk.count;
  return {
      indices(place.base, inp, wgt),
      {dimension(copies_of(tile.elements()), tile.elements(), 0, 0),
       dimension(tile.blocks.count, tile.pixels(), shape_.identity ? plane : 0, weight * in_blocks * taps),
       dimension(in_blocks, 0, plane, taps), dimension(shape_.y.kernel, 0, width, weight * shape_.x.kernel),
       dimension(shape_.x.kernel, 0, 1, weight), dimension(tile.rows.count, tile.columns.count, row_stride * width, 0),
       dimension(tile.columns.count, 1, shape_.x.stride, 0)}};
}

SlotRing::Use ConvEmitter::input_chunk(const Tile& tile, const Span& chunk, std::optional<InstructionId>& loaded) {
  const SlotRing::Use use = inputs_.acquire({kImage, tile.image, chunk.first, chunk.count, tile.rows.first,
                                             tile.rows.count, tile.columns.first, tile.columns.count});
  if (use.must_load) order_load(use, load_input(tile, chunk, memory_.inp.at(use.slot)), loaded);
  return use;
}

SlotRing::Use ConvEmitter::weight_chunk(const Tile& tile, const Span& chunk, std::optional<InstructionId>& loaded) {
  const SlotRing::Use use = weights_.acquire({tile.blocks.first, tile.blocks.count, chunk.first, chunk.count});
  if (!use.must_load) return use;
  const int64_t taps = shape_.taps(), row = shape_.group_in_blocks * taps;
  const int64_t first = chunk.first - tile.group * shape_.group_in_blocks;
  const int64_t dram = element_address(Buffer::kWeights, Memory::kWgt) + memory_.identities;
  const TransferIds ids = append_transfer(builder_, {.memory = Memory::kWgt,
                                                     .sram = memory_.wgt.at(use.slot),
                                                     .dram = dram + tile.blocks.first * row + first * taps,
                                                     .rows = tile.blocks.count,
                                                     .row_size = chunk.count * taps,
                                                     .stride = row});
  order_load(use, ids, loaded);
  return use;
}

void ConvEmitter::order_load(const SlotRing::Use& use, const TransferIds& ids, std::optional<InstructionId>& loaded) {
  if (use.last_reader) builder_.order(*use.last_reader, ids.first);
  loaded = ids.last;
}

TransferIds ConvEmitter::load_input(const Tile& tile, const Span& chunk, int64_t sram) {
  const int64_t plane = tile.image * shape_.in_blocks() + chunk.first;
  const int64_t dram = element_address(Buffer::kInput, Memory::kInp) + plane * shape_.y.input * shape_.x.input;
  return move_planes(builder_, Memory::kInp, sram,
                     {dram, chunk.count, shape_.y.input, shape_.x.input, input_extent(shape_.y, tile.rows, true),
                      input_extent(shape_.x, tile.columns, false)});
}

Status ConvEmitter::emit_residual(const Tile& tile, const Place& place) {
  for (const Span& part : cut(tile.blocks.count, memory_.inp.size / tile.pixels())) {
    NESTRT_RETURN_IF_ERROR(emit_residual_part(tile, place, part));
  }
  return ok_status();
}

// Adds the residual times 2^left_b as a product with the identity weight.
Status ConvEmitter::emit_residual_part(const Tile& tile, const Place& place, const Span& part) {
  const SlotRing::Use use = inputs_.acquire({kResidualPart, tile.image, tile.blocks.first + part.first, part.count,
                                             tile.rows.first, tile.rows.count, tile.columns.first, tile.columns.count});
  std::optional<InstructionId> loaded;
  const Span blocks = {tile.blocks.first + part.first, part.count};
  order_load(use, move_outputs(Memory::kInp, Buffer::kResidual, tile, blocks, memory_.inp.at(use.slot)), loaded);
  const LoopNest nest = {indices(place.base + part.first * tile.pixels(), memory_.inp.at(use.slot), 0),
                         {dimension(part.count * tile.pixels(), 1, 1, 0)}};
  NESTRT_ASSIGN_OR_RETURN(last_compute_, builder_.gemm(nest));
  builder_.order(*loaded, last_compute_);
  inputs_.read_by(use.slot, last_compute_);
  return ok_status();
}

TransferIds ConvEmitter::move_outputs(Memory memory, Buffer buffer, const Tile& tile, const Span& blocks, int64_t sram,
                                      int64_t tensor) {
  const int64_t height = shape_.y.output(), width = shape_.x.output();
  const int64_t plane = tile.image * shape_.out_blocks() + blocks.first;
  const int64_t first = tensor * shape_.output_elements() + plane * height * width - shape_.begin_row * width;
  return move_planes(builder_, memory, sram,
                     {element_address(buffer, memory) + first, blocks.count, height, width, whole_extent(tile.rows),
                      whole_extent(tile.columns)});
}

Status ConvEmitter::emit_steps(const std::vector<FinishStep>& steps, const Tile& tile, const Place& place) {
  for (const FinishStep& step : steps) {
    NESTRT_ASSIGN_OR_RETURN(last_compute_, emit_step(step, tile, place));
  }
  return ok_status();
}

Result<InstructionId> ConvEmitter::emit_step(const FinishStep& step, const Tile& tile, const Place& place) {
  const auto from = [&](int64_t dst, int64_t src) {
    return LoopNest{indices(dst, src, 0), {dimension(tile.elements(), 1, 1, 0)}};
  };
  if (step.form == StepForm::kMake) {
    const LoopNest all = {indices(memory_.copy, 0, 0), {dimension(tile.elements(), 1, 0, 0)}};
    NESTRT_RETURN_IF_ERROR(builder_.gemm(all, true).error());
    return builder_.alu(from(memory_.copy, place.base), step.opcode, std::nullopt);
  }
  if (step.form == StepForm::kAddCopy) return builder_.alu(from(place.base, memory_.copy), step.opcode, std::nullopt);
  const int64_t changed = step.form == StepForm::kCopy ? memory_.copy : place.base;
  if (step.immediate) return builder_.alu(from(changed, changed), step.opcode, step.immediate);
  const int64_t vector = step.vector * vectors_.count + tile.blocks.first - vectors_.first;
  return builder_.alu({indices(changed, vector, 0),
                       {dimension(tile.blocks.count, tile.pixels(), 1, 0), dimension(tile.pixels(), 1, 0, 0)}},
                      step.opcode, std::nullopt);
}

Status ConvEmitter::store_tile(const Tile& tile, const Place& place) {
  for (int64_t byte = 0; byte < finish_.stores(); ++byte) {
    if (byte > 0) {
      NESTRT_ASSIGN_OR_RETURN(last_compute_, emit_step(*finish_.next_byte, tile, place));
      builder_.order(last_store_, last_compute_);
    }
    const TransferIds ids = move_outputs(Memory::kOut, Buffer::kOutput, tile, tile.blocks, place.base, byte);
    builder_.order(last_compute_, ids.first);
    last_store_ = ids.last;
  }
  stores_[static_cast<size_t>(place.slot)] = last_store_;
  return ok_status();
}

}  // namespace nestrt::compiler::evta
