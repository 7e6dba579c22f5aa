#include "compiler-lite/backends/evta/pieces.h"

namespace nestrt::compiler::evta {

std::vector<int64_t> piece_channels(int64_t channels, int64_t block, int count) {
  std::vector<int64_t> result;
  for (int64_t step = 0; step < count; ++step) {
    // channels * (count + step) / (2 * count), in blocks; half a block rounds up.
    const int64_t nearest = (channels * (count + step) + block * count) / (2 * block * count) * block;
    if (nearest > 0 && nearest < channels && (result.empty() || nearest != result.back())) result.push_back(nearest);
  }
  return result;
}

}  // namespace nestrt::compiler::evta
