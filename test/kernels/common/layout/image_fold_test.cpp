// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/layout/image_fold.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "kernels/common/simd/simd.h"
#include "runtime/core/channel_blocks.h"

namespace nestrt::test {
namespace {

using kernels::ImageFold;

TensorSpec image(const Shape& shape, Layout layout) {
  TensorSpec spec;
  spec.type = DataType::kS8;
  spec.shape = shape;
  spec.layout = layout;
  return spec;
}

// Folds an image whose element i is i % 127 + 1, and therefore never zero.
std::vector<int8_t> fold(const Shape& shape, Layout layout) {
  const ImageFold fold(image(shape, layout));
  std::vector<std::byte> scratch(fold.scratch().per_thread, std::byte{0x55});
  std::vector<int8_t> stored(static_cast<size_t>(storage_bytes(DataType::kS8, shape, layout)), 0x55);
  std::byte* const output = reinterpret_cast<std::byte*>(stored.data());
  InlineRunner runner;
  fold.run({.inputs = {}, .outputs = {&output, 1}, .thread_scratch = scratch.data(), .parallel = &runner},
           [&](int64_t row, int8_t* to) {
             for (int64_t x = 0; x < shape[3]; ++x) to[x] = static_cast<int8_t>((row * shape[3] + x) % 127 + 1);
           });
  return stored;
}

std::vector<int8_t> expected(const Shape& shape, Layout layout) {
  std::vector<int8_t> stored(static_cast<size_t>(storage_bytes(DataType::kS8, shape, layout)));
  const StoredOrder order(shape, layout);
  const int64_t pixels = shape[2] * shape[3];
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    const int64_t plane = i / pixels, at = order.index(plane / shape[1], plane % shape[1], i % pixels);
    stored[static_cast<size_t>(at)] = static_cast<int8_t>(i % 127 + 1);
  }
  return stored;
}

TEST_CASE("Images are folded and padded with zeros on every instruction set") {
  const InstructionSet best = kernels::current_instruction_set();
  for (const InstructionSet set : kernels::supported_instruction_sets()) {
    REQUIRE(kernels::force_instruction_set(set));
    for (const Layout layout : {Layout::kBlocked16, Layout::kFolded2, Layout::kFolded4, Layout::kFolded8})
      for (const Shape& shape : {Shape{2, 3, 7, 9}, Shape{1, 1, 1, 1}, Shape{1, 8, 5, 33}, Shape{3, 4, 16, 16}}) {
        INFO(name(set) << " " << name(layout) << " " << shape.to_string());
        CHECK(fold(shape, layout) == expected(shape, layout));
      }
  }
  REQUIRE(kernels::force_instruction_set(best));
}

TEST_CASE("An element of a folded image is a channel of a folded pixel") {
  const StoredOrder order({1, 3, 5, 6}, Layout::kFolded2);
  CHECK(order.index(0, 0, 0) == 0);
  CHECK(order.index(0, 2, 0) == 2);
  CHECK(order.index(0, 1, 1) == 4);               // x = 1
  CHECK(order.index(0, 1, 6) == 7);               // y = 1
  CHECK(order.index(0, 1, 2 * 6 + 3) == 64 + 4);  // the second of the second row of three
  CHECK(storage_bytes(DataType::kS8, {1, 3, 5, 6}, Layout::kFolded2) == 3 * 3 * 16);
  CHECK(storage_bytes(DataType::kS8, {2, 5, 5, 6}, Layout::kFolded2) == 2 * 2 * 3 * 3 * 16);
}

TEST_CASE("Only s8 images with few channels and at least one pixel are folded") {
  CHECK(ImageFold::accepts(image({1, 8, 4, 4}, Layout::kFolded2)));
  CHECK_FALSE(ImageFold::accepts(image({1, 9, 4, 4}, Layout::kFolded2)));
  CHECK_FALSE(ImageFold::accepts(image({1, 0, 4, 4}, Layout::kFolded2)));
  CHECK_FALSE(ImageFold::accepts(image({1, 3, 4}, Layout::kBlocked16)));
  CHECK_FALSE(ImageFold::accepts(image({1, 3, 4, 4}, Layout::kPlain)));
  CHECK_FALSE(ImageFold::accepts(image({1, 3, 4, 4}, Layout::kBlocked32)));
}

TEST_CASE("Scratch of an impossibly large image saturates instead of wrapping around") {
  const ImageFold fold(image({1, 8, 1, int64_t{1} << 40}, Layout::kFolded8));
  CHECK(fold.scratch().per_thread >= size_t{1} << 46);
}

}  // namespace
}  // namespace nestrt::test
