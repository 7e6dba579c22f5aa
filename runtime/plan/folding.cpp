#include "runtime/plan/folding.h"

namespace nestrt {
namespace {

// What the folded picture takes; empty where they do not fit 64 bits.
std::optional<uint64_t> bytes_of(const Folding& folding) {
  int64_t bytes = folding.block;
  for (const int64_t factor : {folding.picture[0], folding.blocks(), folding.rows(), folding.columns()})
    if (__builtin_mul_overflow(bytes, factor, &bytes)) return std::nullopt;
  return static_cast<uint64_t>(bytes);
}

}  // namespace

std::optional<Folding> find_folding(const Shape& picture, int64_t block, uint64_t bytes) {
  constexpr int64_t kMaxChannels = 1 << 20;
  if (picture.rank() != 4 || picture[1] > kMaxChannels) return std::nullopt;
  for (Folding folding{picture, 1, block}; folding.fold <= Folding::kMaxFold; ++folding.fold)
    if (bytes_of(folding) == bytes) return folding;
  return std::nullopt;
}

}  // namespace nestrt
