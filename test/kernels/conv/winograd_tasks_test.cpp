// What Winograd's convolutions know of their tiles.
#include "kernels/conv/winograd_tasks.h"

#include <catch2/catch.hpp>

namespace nestrt::test {
namespace {

using kernels::WinogradAxes;
using kernels::WinogradShape;

constexpr WinogradShape kShapes[] = {kernels::kWinogradFour, kernels::kWinogradTwo, kernels::kWinogradStrided};
constexpr int64_t kImages = 2;

kernels::ConvGeometry maps(int64_t height, int64_t width) {
  kernels::ConvGeometry geometry;
  geometry.batch = kImages;
  geometry.in_channels = geometry.out_channels = 16;
  geometry.axes[1].output = height;
  geometry.axes[2].output = width;
  return geometry;
}

// Calls action(shape, tasks, height, width) for maps of up to 9 x 9 pixels.
template <typename Action>
void for_each_map(Action action) {
  constexpr int64_t kMost = 9;
  for (const WinogradShape& shape : kShapes)
    for (int64_t height = 1; height <= kMost; ++height)
      for (int64_t width = 1; width <= kMost; ++width)
        action(shape, kernels::WinogradTasks(maps(height, width), 6, sizeof(float), shape), height, width);
}

int64_t tiles_of(const WinogradShape& shape, int64_t height, int64_t width) {
  return kImages * kernels::ceil_div(height, shape.tile) * kernels::ceil_div(width, shape.tile);
}

}  // namespace

TEST_CASE("Tiles are short where so few outputs are left") {
  for_each_map([](const WinogradShape& shape, const kernels::WinogradTasks& tasks, int64_t height, int64_t width) {
    for (int64_t tile = 0; tile < tiles_of(shape, height, width); ++tile) {
      const kernels::WinogradPlace place = tasks.place_of(tile);
      const WinogradAxes is_short = tasks.is_short(tile);
      CHECK(is_short.rows == (height - place.y <= shape.short_tile));
      CHECK(is_short.columns == (width - place.x <= shape.short_tile));
    }
  });
}

TEST_CASE("Of each class of positions those tiles are counted that have them") {
  for_each_map([](const WinogradShape& shape, const kernels::WinogradTasks& tasks, int64_t height, int64_t width) {
    kernels::WinogradCounts counted{};
    for (int64_t tile = 0; tile <= tiles_of(shape, height, width); ++tile) {
      CHECK(tasks.counts_before(tile) == counted);
      const WinogradAxes is_short = tasks.is_short(tile);
      for (const bool rows : {false, true})
        for (const bool columns : {false, true})
          counted[WinogradAxes{rows, columns}.index()] += !(rows && is_short.rows) && !(columns && is_short.columns);
    }
  });
}

}  // namespace nestrt::test
