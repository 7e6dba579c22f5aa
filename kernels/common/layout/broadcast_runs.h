// SPDX-License-Identifier: Apache-2.0
// Runs of elements for operators on broadcast operands. If the innermost loop is short, operands are copied into
// buffers, so that runs are long enough for vector code.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/common/layout/broadcast.h"

namespace nestrt::kernels {

// A run of output elements. For each operand: the address of its first element, and its step of 0 or 1.
template <size_t N>
struct BroadcastRun {
  int64_t out = 0, length = 0;
  std::array<const std::byte*, N> from{};
  std::array<int64_t, N> steps{};
};

// An operand of a run, in chunks of at most kChunk elements. A single element is repeated in a buffer, so that loops
// need no step.
template <typename T, int64_t kChunk = 256>
class ChunkedOperand {
 public:
  ChunkedOperand(const std::byte* from, int64_t step, int64_t length)
      : from_(reinterpret_cast<const T*>(from)), step_(step) {
    if (step == 0) std::fill_n(repeated_, std::min(length, kChunk), *from_);
  }
  // Returns the elements starting at `i`, a multiple of kChunk.
  const T* at(int64_t i) const { return step_ == 0 ? repeated_ : from_ + i; }

 private:
  const T* from_;
  int64_t step_;
  alignas(64) T repeated_[kChunk];
};

// Iterates over the rows of the inner loop and provides the offset of an operand for each.
template <size_t N>
class BroadcastRows {
 public:
  BroadcastRows(const BroadcastLoop<N>& loop, size_t operand, int64_t row)
      : loop_(loop), strides_(loop.strides[operand]) {
    for (auto at = static_cast<size_t>(loop.rank - 1); at-- > 0; row /= loop.dims[at]) {
      index_[at] = row % loop.dims[at];
      offset_ += index_[at] * strides_[at];
    }
  }
  int64_t offset() const { return offset_; }
  void advance() {
    for (auto at = static_cast<size_t>(loop_.rank - 1); at-- > 0;) {
      offset_ += strides_[at];
      if (++index_[at] < loop_.dims[at]) return;
      offset_ -= strides_[at] * loop_.dims[at];
      index_[at] = 0;
    }
  }

 private:
  const BroadcastLoop<N>& loop_;
  const std::array<int64_t, Shape::kMaxRank>& strides_;
  std::array<int64_t, Shape::kMaxRank> index_{};
  int64_t offset_ = 0;
};

// Copies the elements of operand `n` for the output elements [first, first + count).
template <typename T, size_t N>
void copy_broadcast(const BroadcastLoop<N>& loop, size_t n, const std::byte* from, int64_t first, int64_t count,
                    void* buffer) {
  const int64_t inner = loop.inner_length(), step = loop.inner_stride(n);
  BroadcastRows<N> rows(loop, n, first / inner);
  T* to = static_cast<T*>(buffer);
  for (int64_t column = first % inner; count > 0; column = 0, rows.advance()) {
    const int64_t length = std::min(inner - column, count);
    const T* const run = reinterpret_cast<const T*>(from) + rows.offset() + column * step;
    for (int64_t i = 0; i < length; ++i) to[i] = run[i * step];
    to += length;
    count -= length;
  }
}

// Returns whether the operand is read in output order, without broadcasting.
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

// Calls body(run) for chunks of output elements. Broadcast operands are copied into buffers.
template <size_t N, typename Body>
void for_each_copied_run(const BroadcastLoop<N>& loop, const std::array<const std::byte*, N>& operands,
                         const std::array<int64_t, N>& widths, int64_t first, int64_t last, const Body& body) {
  constexpr int64_t kChunk = 512;
  alignas(64) std::array<std::array<uint64_t, kChunk>, N> buffers;
  BroadcastRun<N> run;
  run.steps.fill(1);
  for (; first < last; first += run.length) {
    run.out = first;
    run.length = std::min(kChunk, last - first);
    for (size_t n = 0; n < N; ++n) {
      run.from[n] = operands[n] + first * widths[n];
      if (is_whole(loop, n)) continue;
      run.from[n] = reinterpret_cast<const std::byte*>(buffers[n].data());
      const auto copy = widths[n] == 1   ? copy_broadcast<uint8_t, N>
                        : widths[n] == 4 ? copy_broadcast<uint32_t, N>
                                         : copy_broadcast<uint64_t, N>;
      copy(loop, n, operands[n], first, run.length, buffers[n].data());
    }
    body(static_cast<const BroadcastRun<N>&>(run));
  }
}

// Calls body(const BroadcastRun<N>&) for runs that together cover the output elements [first, last). `widths`: the
// element size of each operand in bytes: 1, 4 or 8.
template <size_t N, typename Body>
void for_each_long_run(const BroadcastLoop<N>& loop, const std::array<const std::byte*, N>& operands,
                       const std::array<int64_t, N>& widths, int64_t first, int64_t last, const Body& body) {
  constexpr int64_t kShortRun = 48;
  if (loop.inner_length() < kShortRun && loop.rank > 1)
    return for_each_copied_run(loop, operands, widths, first, last, body);
  BroadcastRun<N> run;
  for (size_t n = 0; n < N; ++n) run.steps[n] = loop.inner_stride(n);
  for_each_run(loop, first, last, [&](int64_t out, const auto& offsets, int64_t length) {
    run.out = out;
    run.length = length;
    for (size_t n = 0; n < N; ++n) run.from[n] = operands[n] + offsets[n] * widths[n];
    body(static_cast<const BroadcastRun<N>&>(run));
  });
}

}  // namespace nestrt::kernels
