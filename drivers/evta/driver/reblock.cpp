#include "drivers/evta/driver/reblock.h"

#include <cstring>

namespace nestrt::evta {
namespace {

constexpr int64_t kNarrow = 16;
constexpr int64_t kWide = 32;

// copy(offset in blocks of 16, offset in blocks of 32) for each 16 channels of a pixel.
template <typename Copy>
void for_each_vector(const Reblocking& shape, Copy copy) {
  const int64_t wide_blocks = (shape.blocks16 + 1) / 2;
  for (int64_t image = 0; image < shape.images; ++image)
    for (int64_t block = 0; block < shape.blocks16; ++block) {
      const int64_t narrow = (image * shape.blocks16 + block) * shape.pixels * kNarrow;
      const int64_t wide = (image * wide_blocks + block / 2) * shape.pixels * kWide + block % 2 * kNarrow;
      for (int64_t pixel = 0; pixel < shape.pixels; ++pixel) copy(narrow + pixel * kNarrow, wide + pixel * kWide);
    }
}

}  // namespace

void to_blocks_of_32(const Reblocking& shape, const std::byte* from, std::byte* to) {
  for_each_vector(shape, [&](int64_t narrow, int64_t wide) { std::memcpy(to + wide, from + narrow, kNarrow); });
}

void from_blocks_of_32(const Reblocking& shape, const std::byte* from, std::byte* to) {
  for_each_vector(shape, [&](int64_t narrow, int64_t wide) { std::memcpy(to + narrow, from + wide, kNarrow); });
}

}  // namespace nestrt::evta
