// SPDX-License-Identifier: Apache-2.0
// Runs of elements for operators on broadcast operands. If the innermost loop is short, operands are copied into
// buffers, so that runs are long enough for vectors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/common/layout/broadcast.h"

namespace nestrt::kernels {

// A run of the output and, for each operand, its first element and its step of 0 or 1.
template <size_t N>
struct BroadcastRun {
  int64_t out = 0, length = 0;
  std::array<const std::byte*, N> from{};
  std::array<int64_t, N> steps{};
};

// The elements of an operand of a run, in chunks of at most kChunk. A single element is repeated in a buffer, so that
// loops need no step.
template <typename T, int64_t kChunk = 256>
class ChunkedOperand {
 public:
  ChunkedOperand(const std::byte* from, int64_t step, int64_t length)
      : from_(reinterpret_cast<const T*>(from)), step_(step) {
    if (step == 0) std::fill_n(repeated_, std::min(length, kChunk), *from_);
  }
  // Returns the elements from `i`, a multiple of kChunk, on.
  const T* at(int64_t i) const { return step_ == 0 ? repeated_ : from_ + i; }

 private:
  const T* from_;
  int64_t step_;
  alignas(64) T repeated_[kChunk];
};

// Copies the elements of operand `n` for the output elements [first, first + count).
template <typename T, size_t N>
void copy_broadcast(const BroadcastLoop<N>& loop, size_t n, const T* from, int64_t first, int64_t count, T* to) {
  const int64_t inner = loop.inner_length(), step = loop.inner_stride(n);
  const auto& strides = loop.strides[n];
  std::array<int64_t, Shape::kMaxRank> index{};
  int64_t column = first % inner, row = first / inner, offset = 0;
  for (int axis = loop.rank - 2; axis >= 0; --axis) {
    const auto at = static_cast<size_t>(axis);
    index[at] = row % loop.dims[at];
    row /= loop.dims[at];
    offset += index[at] * strides[at];
  }
  for (int64_t done = 0; done < count; column = 0) {
    const int64_t length = std::min(inner - column, count - done);
    const T* const run = from + offset + column * step;
    for (int64_t i = 0; i < length; ++i) to[done + i] = run[i * step];
    done += length;
    for (int axis = loop.rank - 2; axis >= 0; --axis) {
      const auto at = static_cast<size_t>(axis);
      offset += strides[at];
      if (++index[at] < loop.dims[at]) break;
      offset -= strides[at] * loop.dims[at];
      index[at] = 0;
    }
  }
}

// Returns whether the operand is not broadcast.
template <size_t N>
bool is_whole(const BroadcastLoop<N>& loop, size_t n) {
  int64_t stride = 1;
  for (int axis = loop.rank - 1; axis >= 0; --axis) {
    const auto at = static_cast<size_t>(axis);
    if (loop.strides[n][at] != stride) return false;
    stride *= loop.dims[at];
  }
  return true;
}

// Calls body(const BroadcastRun<N>&) for runs that together cover the output elements [first, last). `widths`: the
// bytes of an element of each operand, 1, 4 or 8.
template <size_t N, typename Body>
void for_each_long_run(const BroadcastLoop<N>& loop, const std::array<const std::byte*, N>& operands,
                       const std::array<int64_t, N>& widths, int64_t first, int64_t last, Body body) {
  constexpr int64_t kShortRun = 48, kChunk = 512;
  BroadcastRun<N> run;
  if (loop.inner_length() >= kShortRun || loop.rank == 1) {
    for (size_t n = 0; n < N; ++n) run.steps[n] = loop.inner_stride(n);
    for_each_run(loop, first, last, [&](int64_t out, const auto& offsets, int64_t length) {
      run.out = out;
      run.length = length;
      for (size_t n = 0; n < N; ++n) run.from[n] = operands[n] + offsets[n] * widths[n];
      body(static_cast<const BroadcastRun<N>&>(run));
    });
    return;
  }
  alignas(64) std::array<std::array<uint64_t, kChunk>, N> buffers;
  run.steps.fill(1);
  for (; first < last; first += run.length) {
    run.out = first;
    run.length = std::min(kChunk, last - first);
    for (size_t n = 0; n < N; ++n) {
      auto* const buffer = buffers[n].data();
      run.from[n] = is_whole(loop, n) ? operands[n] + first * widths[n] : reinterpret_cast<const std::byte*>(buffer);
      if (is_whole(loop, n)) continue;
      const auto copy = [&]<typename T>(T*) {
        copy_broadcast(loop, n, reinterpret_cast<const T*>(operands[n]), first, run.length,
                       reinterpret_cast<T*>(buffer));
      };
      if (widths[n] == 1)
        copy(static_cast<uint8_t*>(nullptr));
      else if (widths[n] == 4)
        copy(static_cast<uint32_t*>(nullptr));
      else
        copy(static_cast<uint64_t*>(nullptr));
    }
    body(static_cast<const BroadcastRun<N>&>(run));
  }
}

}  // namespace nestrt::kernels
