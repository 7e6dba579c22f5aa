// Finish: what happens to an accumulator before and after the products of a layer are added: bias, rounding, shift,
// limits, residual. The same for every tile, and independent of the tiling.
//
// Two things make it short. Biases contain all rounding terms. And where the previous contents of an accumulator are
// results of the same layer, they need not be cleared: a minimum with a number that is smaller than all results sets
// it. That number is the bias minus 256 * k * 2^shift; what remains of the offset after the shift is a multiple of 256,
// which the truncation to 8 bits drops.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler-lite/codegen/evta/layer/layer.h"
#include "drivers/evta/isa/instruction.h"

namespace nestrt::compiler::evta {

// One ALU instruction over a tile. The second operand is an immediate, or a vector with one element per output channel.
struct FinishStep {
  nestrt::evta::AluOpcode opcode = nestrt::evta::AluOpcode::kAdd;
  std::optional<int16_t> immediate;
  int vector = -1;  // index in Finish::vectors, where there is no immediate
};

struct Finish {
  std::vector<std::vector<int32_t>> vectors;  // each of out_channels elements
  // Accumulators are cleared before `preload`; those that hold results of this layer only where this says so.
  bool clears_results = true;
  std::optional<FinishStep> preload;
  std::vector<FinishStep> steps;                 // after the products, before the residual
  std::vector<FinishStep> steps_after_residual;  // after the residual, times 2^left_b, was added
  // Accumulators are results: after each of their bytes but the last is stored, the next becomes the lowest.
  std::optional<FinishStep> next_byte;

  int64_t stores() const { return next_byte ? 4 : 1; }  // of each element
};

// Its instructions as text, without the values of their operands, which cost nothing.
std::string outline(const Finish& finish);

// Requires check(layer).
Finish make_finish(const ConvLayer& layer);

}  // namespace nestrt::compiler::evta
