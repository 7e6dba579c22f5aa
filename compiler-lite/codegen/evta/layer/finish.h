// SPDX-License-Identifier: Apache-2.0
// Finish: the operations on an accumulator before and after a layer's products are added: bias, rounding, shift, limits
// and residual. They are the same for every tile and do not depend on the tiling.
// Two techniques keep it short. First, biases contain all rounding terms. Second, accumulators that contain results of
// the same layer need no clearing: a minimum with a number below all results sets them. That number is the bias minus
// 256 * k * 2^shift. After the shift, the offset is a multiple of 256, which the truncation to 8 bits drops.
//
// Rounding half to even takes a copy of the tile. Let u be an accumulator with its rounding term and s the shift. Bit s
// of u is 1 if u >> s is odd. The copy c = max(min(u << (31 - s), 0), -1) is -1 in that case and 0 if the bit is 0, for
// every u. The result is (u + c) >> s: -1 only changes ties, because no other u is a multiple of 2^s.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler-lite/codegen/evta/layer/layer.h"
#include "drivers/evta/isa/instruction.h"

namespace nestrt::compiler::evta {

// Selects the accumulators that a step reads and changes.
enum class StepForm : uint8_t {
  kTile,     // changes the tile; reads an immediate, or a vector with one element per output channel
  kCopy,     // changes the copy of the tile; reads an immediate or a vector
  kMake,     // makes the copy: clears it, then adds the tile
  kAddCopy,  // adds the copy to the tile
};

// One ALU instruction over a tile or its copy.
struct FinishStep {
  nestrt::evta::AluOpcode opcode = nestrt::evta::AluOpcode::kAdd;
  std::optional<int16_t> immediate;
  int vector = -1;  // index in Finish::vectors if the step reads a vector
  StepForm form = StepForm::kTile;
};

struct Finish {
  std::vector<std::vector<int32_t>> vectors;  // out_channels elements each
  // Whether accumulators that contain results of this layer are cleared before `preload`. Other accumulators are always
  // cleared.
  bool clears_results = true;
  std::optional<FinishStep> preload;
  std::vector<FinishStep> steps;                 // after the products, before the residual
  std::vector<FinishStep> steps_after_residual;  // after the residual, times 2^left_b, is added
  // Set if the results are the accumulators themselves. After the store of each byte except the last, this step shifts
  // the next byte into the lowest position.
  std::optional<FinishStep> next_byte;

  int64_t stores() const { return next_byte ? 4 : 1; }  // per element
  bool copies_tile() const;
};

// Returns the instructions as text. Omits operand values, which do not affect the cost.
std::string outline(const Finish& finish);

// Requires check(layer).
Finish make_finish(const ConvLayer& layer);

}  // namespace nestrt::compiler::evta
