// SPDX-License-Identifier: Apache-2.0
#include "drivers/vendor/reordered_port.h"

#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

#include "runtime/core/channel_blocks.h"

namespace nestrt::vendor {
namespace {

template <typename T>
void check_there_and_back(DataType type, const Shape& shape) {
  const ReorderedPort port(type, shape, Layout::kBlocked16);
  std::vector<T> plain(static_cast<size_t>(shape.num_elements()));
  std::iota(plain.begin(), plain.end(), T{1});
  const auto bytes = static_cast<size_t>(storage_bytes(type, shape, Layout::kBlocked16));
  std::vector<T> stored(bytes / sizeof(T), T{99}), back(plain.size());
  port.from_plugin(reinterpret_cast<const std::byte*>(plain.data()), reinterpret_cast<std::byte*>(stored.data()));
  port.to_plugin(reinterpret_cast<const std::byte*>(stored.data()), reinterpret_cast<std::byte*>(back.data()));
  CHECK(back == plain);
  const StoredOrder order(shape, Layout::kBlocked16);
  const int64_t channel = shape[1] - 1, pixels = shape.product(2, shape.rank());
  const auto last = static_cast<size_t>(order.index(0, channel, 0));
  CHECK(stored[last] == plain[static_cast<size_t>(channel * pixels)]);
  if (shape[1] % 16 != 0) CHECK(stored[last + 1] == T{0});
}

}  // namespace

TEST_CASE(
    "Tensors in blocks of channels are converted to row-major order for a plug-in and back, with zeros in the "
    "padding") {
  check_there_and_back<float>(DataType::kF32, {1, 16, 3, 2});
  check_there_and_back<float>(DataType::kF32, {2, 19, 3, 2});
  check_there_and_back<int8_t>(DataType::kS8, {1, 5, 2, 2});
  check_there_and_back<int64_t>(DataType::kS64, {1, 3, 2});
}

}  // namespace nestrt::vendor
