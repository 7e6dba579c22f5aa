// SPDX-License-Identifier: Apache-2.0
// ConvEmitter: emits the instructions of one layer under one tiling.
#pragma once

#include <vector>

#include "compiler-lite/codegen/evta/layer/conv_memory.h"
#include "compiler-lite/codegen/evta/layer/finish.h"
#include "compiler-lite/codegen/evta/layer/tiles.h"
#include "compiler-lite/codegen/evta/program/encoded_program.h"
#include "compiler-lite/codegen/evta/program/transfers.h"

namespace nestrt::compiler::evta {

class ConvEmitter {
 public:
  // All arguments must outlive the emitter. `memory` belongs to `tiling`, which limited() must have returned. In DRAM,
  // identity weights precede all other weights, and the vectors are at the start of the constants as [vector][output
  // block].
  ConvEmitter(const isa::Configuration& configuration, const ConvLayer& layer, const LayerShape& shape,
              const Finish& finish, const Tiling& tiling, const ConvMemory& memory, const AddressMap& addresses);

  // Errors: those of ProgramBuilder.
  Result<UnencodedProgram> emit();

 private:
  // Maps outputs of a tile to elements of ACC.
  struct Place {
    int64_t slot = 0;
    int64_t base = 0;
  };

  // Returns a buffer's address, counted in elements of its memory.
  int64_t element_address(Buffer buffer, isa::Memory memory) const;

  void load_vectors(const Span& blocks);
  void load_identities();
  Status emit_tile(size_t index, const Tile& tile);
  Status start_tile(const Tile& tile, const Place& place);
  Status emit_products(const Tile& tile, const Place& place);
  Status emit_chunk(const Tile& tile, const Place& place, const Span& chunk);
  Status emit_residual(const Tile& tile, const Place& place);
  Status emit_residual_part(const Tile& tile, const Place& place, const Span& part);
  Status emit_steps(const std::vector<FinishStep>& steps, const Tile& tile, const Place& place);
  Result<InstructionId> emit_step(const FinishStep& step, const Tile& tile, const Place& place);
  Status store_tile(const Tile& tile, const Place& place);

  SlotRing::Use input_chunk(const Tile& tile, const Span& chunk, std::optional<InstructionId>& loaded);
  SlotRing::Use weight_chunk(const Tile& tile, const Span& chunk, std::optional<InstructionId>& loaded);
  TransferIds load_input(const Tile& tile, const Span& chunk, int64_t sram);
  // Moves data between INP or OUT and a tensor of the output's shape. For accumulator bytes, `tensor` selects one of
  // the four.
  TransferIds move_outputs(isa::Memory memory, Buffer buffer, const Tile& tile, const Span& blocks, int64_t sram,
                           int64_t tensor = 0);
  // Orders loads after the last reader of their slot and records the last load.
  void order_load(const SlotRing::Use& use, const TransferIds& ids, std::optional<InstructionId>& loaded);
  LoopNest products(const Tile& tile, const Place& place, const Span& chunk, int64_t inp, int64_t wgt) const;

  const isa::Configuration& configuration_;
  const ConvLayer& layer_;
  const LayerShape& shape_;
  const Finish& finish_;
  const Tiling& tiling_;
  const ConvMemory& memory_;
  const AddressMap& addresses_;
  ProgramBuilder builder_;
  SlotRing inputs_, weights_;
  Span vectors_;                                      // blocks whose vectors are on chip
  std::vector<std::optional<InstructionId>> stores_;  // the latest store from each slot of ACC
  std::vector<int64_t> results_;                      // number of elements of each slot of ACC that contain results
  InstructionId last_compute_ = 0;
  InstructionId last_store_ = 0;
};

}  // namespace nestrt::compiler::evta
