#include "compiler-lite/codegen/evta/pieces.h"

namespace nestrt::compiler::evta {

std::vector<int64_t> piece_channels(int64_t channels, int64_t block, int count) {
  std::vector<int64_t> result;
  for (int64_t share = 1; share <= count; ++share) {
    // channels * share / (count + 1), in blocks; half a block rounds up.
    const int64_t shares = count + 1;
    const int64_t nearest = (2 * channels * share + block * shares) / (2 * block * shares) * block;
    if (nearest > 0 && nearest < channels && (result.empty() || nearest != result.back())) result.push_back(nearest);
  }
  return result;
}

}  // namespace nestrt::compiler::evta
