// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/tuning/score.h"

namespace nestrt::compiler {

double Score::agreement() const { return rows == 0 ? 0 : static_cast<double>(agreeing) / static_cast<double>(rows); }

double Score::loss() const {
  if (!right || !right_in_f32 || samples == 0) return 100 * (1 - agreement());
  return 100 * (static_cast<double>(*right_in_f32) - static_cast<double>(*right)) / static_cast<double>(samples);
}

bool Score::better_than(const Score& other) const {
  return loss() != other.loss() ? loss() < other.loss() : decibel > other.decibel;
}

}  // namespace nestrt::compiler
