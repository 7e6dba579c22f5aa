// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/evta/layer/max_pool.h"

#include <fmt/core.h>

#include <algorithm>

#include "compiler-lite/codegen/evta/layer/conv_memory.h"
#include "compiler-lite/codegen/evta/layer/tiles.h"

namespace nestrt::compiler::evta {
namespace {

using isa::AluOpcode;
using isa::Memory;

// The division of the on-chip memories. A slot of ACC contains the input of a tile, followed by its maxima.
struct PoolMemory {
  Slots inp, acc;
  int64_t input = 0;  // elements of the largest tile's input
};

Result<PoolMemory> divide(const isa::Configuration& configuration, const LayerShape& shape, const Tiling& tiling) {
  PoolMemory memory;
  memory.input = tiling.out_blocks * std::min(shape.y.input, input_size(shape.y, tiling.rows, false)) *
                 std::min(shape.x.input, input_size(shape.x, tiling.columns, false));
  const int64_t tile = tiling.out_blocks * tiling.rows * tiling.columns;
  memory.inp = {0, memory.input, tiling.threads};
  memory.acc = {0, memory.input + tile, tiling.threads};
  if (memory.inp.at(tiling.threads) > configuration.inp_depth() ||
      memory.acc.at(tiling.threads) > configuration.acc_depth()) {
    return Status(Code::kUnsupported,
                  fmt::format("a tile of the pool does not fit INP and ACC: {}", to_string(tiling)));
  }
  return memory;
}

// The outputs of a span for which the tap is inside the image, and the position of the first such tap in the tile's
// input.
struct Taps {
  Span outputs;  // within the tile
  int64_t input = 0;
};

Taps taps_within(const LayerAxis& axis, const Span& outputs, const Extent& input, int64_t tap) {
  const int64_t first =
      outputs.first * axis.stride - axis.pad_begin + tap - input.first;  // position that output 0 reads in the input
  const int64_t skipped = first >= 0 ? 0 : ceil_div(-first, axis.stride);
  const int64_t begin = first + skipped * axis.stride;
  const int64_t count = begin >= input.count ? 0 : ceil_div(input.count - begin, axis.stride);
  return {{skipped, std::max<int64_t>(0, std::min(count, outputs.count - skipped))}, begin};
}

class PoolEmitter {
 public:
  PoolEmitter(const isa::Configuration& configuration, const LayerShape& shape, const Tiling& tiling,
              const PoolMemory& memory, const AddressMap& addresses)
      : shape_(shape),
        tiling_(tiling),
        memory_(memory),
        input_(address(configuration, addresses, Buffer::kInput)),
        output_(address(configuration, addresses, Buffer::kOutput)),
        weights_(static_cast<int64_t>(addresses.address(Buffer::kWeights)) / configuration.wgt_bytes()),
        builder_(configuration),
        slots_(static_cast<size_t>(tiling.threads)) {}

  Result<UnencodedProgram> emit() {
    append_transfer(builder_, {.memory = Memory::kWgt, .dram = weights_});
    const std::vector<Tile> tiles = tiles_of(shape_, tiling_);
    for (size_t i = 0; i < tiles.size(); ++i) {
      NESTRT_RETURN_IF_ERROR(emit_tile(static_cast<int64_t>(i % slots_.size()), tiles[i]));
    }
    return builder_.finish(last_store_);
  }

 private:
  struct Slot {
    std::optional<InstructionId> last_reader;  // reads the slot of INP
    std::optional<InstructionId> last_store;
    int64_t results = 0;  // accumulators with maxima of an earlier tile
  };

  static int64_t address(const isa::Configuration& configuration, const AddressMap& addresses, Buffer buffer) {
    return static_cast<int64_t>(addresses.address(buffer)) / configuration.inp_bytes();
  }

  Status emit_tile(int64_t index, const Tile& tile) {
    Slot& slot = slots_[static_cast<size_t>(index)];
    const Extent y = input_extent(shape_.y, tile.rows, false), x = input_extent(shape_.x, tile.columns, false);
    const Extent rows = {.first = y.first, .count = y.count}, columns = {.first = x.first, .count = x.count};
    const TransferIds loads = move_planes(builder_, Memory::kInp, memory_.inp.at(index),
                                          planes(tile, input_, shape_.y.input, shape_.x.input, rows, columns));
    if (slot.last_reader) builder_.order(*slot.last_reader, loads.first);
    const InstructionId begin = builder_.size();
    NESTRT_RETURN_IF_ERROR(start_maxima(index, tile));
    if (slot.last_store) builder_.order(*slot.last_store, begin);
    const int64_t elements = tile.blocks.count * rows.count * columns.count;
    NESTRT_RETURN_IF_ERROR(bring_input(index, elements, loads.last));
    NESTRT_RETURN_IF_ERROR(take_maxima(index, tile, rows, columns));
    const TransferIds stores = move_planes(builder_, Memory::kOut, maxima(index),
                                           planes(tile, output_, shape_.y.output(), shape_.x.output(),
                                                  whole_extent(tile.rows), whole_extent(tile.columns)));
    builder_.order(last_compute_, stores.first);
    slot.last_store = last_store_ = stores.last;
    return ok_status();
  }

  Planes planes(const Tile& tile, int64_t base, int64_t height, int64_t width, const Extent& y, const Extent& x) const {
    const int64_t plane = tile.image * shape_.out_blocks() + tile.blocks.first;
    return {base + plane * height * width, tile.blocks.count, height, width, y, x};
  }

  int64_t maxima(int64_t slot) const { return memory_.acc.at(slot) + memory_.input; }

  static LoopNest each(int64_t count, int64_t dst, int64_t src) {
    return {{static_cast<uint32_t>(dst), static_cast<uint32_t>(src), 0}, {{static_cast<uint32_t>(count), {1, 1, 0}}}};
  }

  // A single minimum instruction sets the accumulators to the smallest s8, whether they hold zeros or earlier maxima.
  Status start_maxima(int64_t index, const Tile& tile) {
    Slot& slot = slots_[static_cast<size_t>(index)];
    const LoopNest all = each(tile.elements(), maxima(index), maxima(index));
    if (slot.results < tile.elements()) {
      const LoopNest clear = {{all.base.dst, 0, 0}, {{static_cast<uint32_t>(tile.elements()), {1, 0, 0}}}};
      NESTRT_ASSIGN_OR_RETURN(last_compute_, builder_.gemm(clear, true));
      slot.results = tile.elements();
    }
    NESTRT_ASSIGN_OR_RETURN(last_compute_, builder_.alu(all, AluOpcode::kMin, static_cast<int16_t>(s8::kLow)));
    return ok_status();
  }

  Status bring_input(int64_t index, int64_t elements, InstructionId loaded) {
    const LoopNest clear = {{static_cast<uint32_t>(memory_.acc.at(index)), 0, 0},
                            {{static_cast<uint32_t>(elements), {1, 0, 0}}}};
    NESTRT_ASSIGN_OR_RETURN(last_compute_, builder_.gemm(clear, true));
    NESTRT_ASSIGN_OR_RETURN(last_compute_, builder_.gemm(each(elements, memory_.acc.at(index), memory_.inp.at(index))));
    builder_.order(loaded, last_compute_);
    slots_[static_cast<size_t>(index)].last_reader = last_compute_;
    return ok_status();
  }

  Status take_maxima(int64_t index, const Tile& tile, const Extent& y, const Extent& x) {
    for (int64_t tap = 0; tap < shape_.taps(); ++tap) {
      const Taps rows = taps_within(shape_.y, tile.rows, y, tap / shape_.x.kernel);
      const Taps columns = taps_within(shape_.x, tile.columns, x, tap % shape_.x.kernel);
      if (rows.outputs.count == 0 || columns.outputs.count == 0) continue;
      const auto number = [](int64_t value) { return static_cast<uint32_t>(value); };
      const int64_t dst = maxima(index) + rows.outputs.first * tile.columns.count + columns.outputs.first;
      const int64_t src = memory_.acc.at(index) + rows.input * x.count + columns.input;
      const LoopNest nest = {
          {number(dst), number(src), 0},
          {{number(tile.blocks.count), {number(tile.pixels()), number(y.count * x.count), 0}},
           {number(rows.outputs.count), {number(tile.columns.count), number(shape_.y.stride * x.count), 0}},
           {number(columns.outputs.count), {1, number(shape_.x.stride), 0}}}};
      NESTRT_ASSIGN_OR_RETURN(last_compute_, builder_.alu(nest, AluOpcode::kMax, std::nullopt));
    }
    return ok_status();
  }

  const LayerShape& shape_;
  const Tiling& tiling_;
  const PoolMemory& memory_;
  int64_t input_, output_, weights_;  // addresses in elements
  ProgramBuilder builder_;
  std::vector<Slot> slots_;
  InstructionId last_compute_ = 0;
  InstructionId last_store_ = 0;
};

}  // namespace

MaxPoolGenerator::MaxPoolGenerator(std::string name, const isa::Configuration& configuration, const LayerShape& shape)
    : LayerGenerator(std::move(name), configuration, shape) {
  auto weights = std::make_shared<PackedWeights>();
  append_identity(*weights, shape.block, 1);
  weights_ = std::move(weights);
}

Result<MaxPoolGenerator> MaxPoolGenerator::create(const isa::Configuration& configuration, const MaxPoolLayer& layer) {
  ConvLayer windows;  // a sum over the same windows has the same shape
  windows.name = layer.name;
  windows.images = layer.images;
  windows.in_channels = windows.out_channels = windows.groups = layer.channels;
  windows.y = layer.y;
  windows.x = layer.x;
  windows.shifts = {0};
  NESTRT_ASSIGN_OR_RETURN(const LayerShape shape, layer_shape(configuration, windows));
  return MaxPoolGenerator(layer.name, configuration, shape);
}

std::string MaxPoolGenerator::cost_key() const { return fmt::format("max-pool {}", to_string(shape())); }

Result<uint64_t> MaxPoolGenerator::estimate_cycles(const Tiling& wanted, const isa::CycleProfile& profile) const {
  NESTRT_ASSIGN_OR_RETURN(const Tiling tiling, limited(shape(), wanted));
  NESTRT_ASSIGN_OR_RETURN(const PoolMemory memory, divide(configuration(), shape(), tiling));
  const int64_t tiles = shape().output_elements() / (tiling.out_blocks * tiling.rows * tiling.columns) + 1;
  CycleEstimate estimate;
  const auto cycles = [&](isa::Memory of, int64_t rows, int64_t elements) {
    return cycles_of(profile, configuration(), of,
                     {tiles * tiling.out_blocks, tiles * tiling.out_blocks * rows, elements});
  };
  estimate.computing =
      cycles_of(profile, profile.gemm, tiles, tiles * memory.input) +
      cycles_of(profile, profile.gemm_reset, tiles, tiles * memory.input) +
      cycles_of(profile, profile.alu_tensor, tiles * (2 + shape().taps()), shape().output_elements() * shape().taps());
  estimate.loading = cycles(isa::Memory::kInp, input_size(shape().y, tiling.rows, false), tiles * memory.input);
  estimate.first_load = estimate.loading / tiles;
  estimate.storing = cycles(isa::Memory::kOut, tiling.rows, shape().output_elements());
  estimate.last_store = estimate.storing / tiles;
  return estimate.total(tiling.threads);
}

Result<EncodedProgram> MaxPoolGenerator::generate(const Tiling& wanted) const {
  NESTRT_ASSIGN_OR_RETURN(const Tiling tiling, limited(shape(), wanted));
  NESTRT_ASSIGN_OR_RETURN(const PoolMemory memory, divide(configuration(), shape(), tiling));
  const AddressMap addresses = layer_addresses(shape(), {.weight_bytes = weights_->size()});
  PoolEmitter emitter(configuration(), shape(), tiling, memory, addresses);
  NESTRT_ASSIGN_OR_RETURN(const UnencodedProgram built, emitter.emit());
  return assemble(configuration(), built, {}, addresses, weights_);
}

}  // namespace nestrt::compiler::evta
