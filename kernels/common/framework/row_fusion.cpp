// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/framework/row_fusion.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <limits>

#include "kernels/common/framework/split.h"
#include "kernels/common/math/integers.h"
#include "kernels/common/math/saturate.h"

namespace nestrt::kernels {
namespace {

constexpr size_t kAlignment = 64;
constexpr int64_t kMaxStepRows = 64;
constexpr size_t kOverflow = std::numeric_limits<size_t>::max();

// Smaller intermediate tensors stay in the second-level cache without fusion.
constexpr size_t kMinIntermediateBytes = 768 * 1024;

// Returns the maximum number of bytes of cached rows per thread.
size_t max_window_bytes(int threads) {
#if defined(__aarch64__)
  return size_t{768 * 1024} / static_cast<size_t>(threads);  // the cores share one L2 of 1 MB
#else
  (void)threads;
  return size_t{384 * 1024};
#endif
}

size_t saturated_sum(size_t a, size_t b) { return a > kOverflow - b ? kOverflow : a + b; }
size_t aligned(size_t bytes) { return saturated_sum(bytes, kAlignment - 1) / kAlignment * kAlignment; }

size_t bytes_of(const RowImages& images) {
  return saturated_bytes(images.images, images.blocks, saturated_bytes(images.rows, images.row_bytes, 1));
}

size_t window_bytes(const RowImages& images, int64_t rows) {
  return aligned(saturated_bytes(images.blocks, images.row_bytes, static_cast<size_t>(rows)));
}

bool overlap(const std::byte* a, size_t a_bytes, const std::byte* b, size_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

bool is_fusible(const RowKernel& first, const RowKernel& second) {
  const RowImages between = first.row_output();
  const size_t bytes = bytes_of(between);
  return between == second.row_input() && bytes >= kMinIntermediateBytes && bytes != kOverflow &&
         bytes_of(first.row_input()) != kOverflow && bytes_of(second.row_output()) != kOverflow;
}

// Returns the size in bytes of the intermediate rows needed to compute `rows` rows of the last kernel.
size_t window_bytes_for(std::span<const RowKernel* const> kernels, int64_t rows) {
  size_t bytes = 0;
  for (size_t i = kernels.size() - 1; i-- > 0;) {
    rows = kernels[i + 1]->max_input_rows(rows);
    bytes = saturated_sum(bytes, window_bytes(kernels[i]->row_output(), rows));
  }
  return bytes;
}

}  // namespace

// Computes consecutive rows of one image on one thread.
class RowFusion::Part {
 public:
  Part(const RowFusion& fusion, const Call& call, std::byte* output, int64_t image, std::byte* scratch)
      : fusion_(fusion), call_(call), output_(output), image_(image), scratch_(scratch) {}

  void run(Range rows) {
    for (int64_t first = rows.first; first < rows.last; first += fusion_.step_rows_)
      run_last({first, std::min(fusion_.step_rows_, rows.last - first)});
  }

 private:
  void run_last(RowWindow rows);
  void run_kernel(size_t index, RowCall& call);
  void ensure_rows(size_t index, RowWindow rows);
  std::byte* window(size_t index) const { return scratch_ + fusion_.windows_[index].offset; }

  const RowFusion& fusion_;
  const Call& call_;
  std::byte* output_;
  int64_t image_;
  std::byte* scratch_;
  std::array<Kept, kMaxKernels> kept_{};
};

void RowFusion::Part::run_last(RowWindow rows) {
  const RowImages images = fusion_.kernels_.back()->row_output();
  const int64_t at = image_ * images.image_bytes() + rows.first * images.row_bytes;
  RowCall call;
  call.rows = rows;
  call.output = output_ + at;
  call.residual = call_.residual == nullptr ? nullptr : call_.residual + at;
  call.output_block_bytes = images.block_bytes();
  run_kernel(fusion_.kernels_.size() - 1, call);
}

// Runs kernel `index`. The caller sets the rows and the output of `call`.
void RowFusion::Part::run_kernel(size_t index, RowCall& call) {
  const RowKernel& kernel = *fusion_.kernels_[index];
  const RowImages images = kernel.row_input();
  call.input_rows = kernel.input_rows(call.rows);
  if (index == 0) {
    call.input = call_.input + image_ * images.image_bytes() + call.input_rows.first * images.row_bytes;
    call.input_block_bytes = images.block_bytes();
  } else {
    ensure_rows(index - 1, call.input_rows);
    call.input = window(index - 1) + (call.input_rows.first - kept_[index - 1].first) * images.row_bytes;
    call.input_block_bytes = fusion_.windows_[index - 1].capacity * images.row_bytes;
  }
  call.scratch = scratch_ + fusion_.kernel_scratch_;
  kernel.run_rows(call);
}

// Ensures that `rows` of the output of kernel `index` are in its window. Evicts older rows if space is needed, and
// computes missing rows.
void RowFusion::Part::ensure_rows(size_t index, RowWindow rows) {
  const RowImages images = fusion_.kernels_[index]->row_output();
  const int64_t capacity = fusion_.windows_[index].capacity, end = rows.first + rows.count;
  Kept& kept = kept_[index];
  if (kept.last <= rows.first) kept = {rows.first, rows.first};
  if (end > kept.first + capacity) {
    const int64_t block_bytes = capacity * images.row_bytes;
    for (int64_t block = 0; block < images.blocks; ++block) {
      std::byte* const to = window(index) + block * block_bytes;
      std::memmove(to, to + (rows.first - kept.first) * images.row_bytes,
                   static_cast<size_t>((kept.last - rows.first) * images.row_bytes));
    }
    kept.first = rows.first;
  }
  if (end <= kept.last) return;
  RowCall call;
  call.rows = {kept.last, end - kept.last};
  call.output = window(index) + (kept.last - kept.first) * images.row_bytes;
  call.output_block_bytes = capacity * images.row_bytes;
  run_kernel(index, call);
  kept.last = end;
}

size_t RowFusion::count_fusible(std::span<const RowKernel* const> kernels, int threads) {
  size_t count = 1;
  while (count < std::min(kernels.size(), kMaxKernels) && is_fusible(*kernels[count - 1], *kernels[count]) &&
         window_bytes_for(kernels.first(count + 1), 1) <= max_window_bytes(threads))
    ++count;
  return count > 1 ? count : 0;
}

RowFusion::RowFusion(std::vector<const RowKernel*> kernels, int threads) : kernels_(std::move(kernels)) {
  assert(kernels_.size() >= 2 && kernels_.size() <= kMaxKernels);
  const int64_t most = std::min(kMaxStepRows, kernels_.back()->row_output().rows);
  while (step_rows_ < most && window_bytes_for(kernels_, step_rows_ + 1) <= max_window_bytes(threads)) ++step_rows_;
  windows_.resize(kernels_.size() - 1);
  int64_t rows = step_rows_;
  scratch_ = kernels_.back()->row_scratch(rows);
  for (size_t i = windows_.size(); i-- > 0;) {
    rows = kernels_[i + 1]->max_input_rows(rows);
    windows_[i] = {rows, kernel_scratch_};
    kernel_scratch_ = saturated_sum(kernel_scratch_, window_bytes(kernels_[i]->row_output(), rows));
    scratch_ = std::max(scratch_, kernels_[i]->row_scratch(rows));
  }
  scratch_ = saturated_sum(kernel_scratch_, scratch_);
}

int64_t RowFusion::intermediate_bytes() const {
  int64_t bytes = 0;
  for (size_t i = 0; i + 1 < kernels_.size(); ++i) bytes += static_cast<int64_t>(bytes_of(kernels_[i]->row_output()));
  return bytes;
}

// Returns whether writing output rows would overwrite bytes of the input or residual that are still to be read.
bool RowFusion::overwrites_inputs(const Call& call) const {
  const size_t bytes = bytes_of(kernels_.back()->row_output());
  if (overlap(call.output, bytes, call.input, bytes_of(kernels_.front()->row_input()))) return true;
  return call.residual != nullptr && call.residual != call.output && overlap(call.output, bytes, call.residual, bytes);
}

bool RowFusion::supports(const Call& call) const {
  if (!overwrites_inputs(call)) return true;
  const size_t room = bytes_of(kernels_.front()->row_output()), bytes = bytes_of(kernels_.back()->row_output());
  return bytes <= room && !overlap(call.between, bytes, call.input, bytes_of(kernels_.front()->row_input())) &&
         (call.residual == nullptr || !overlap(call.between, bytes, call.residual, bytes));
}

// Runs at most one part per thread, because neighbouring parts recompute the rows at their boundary.
void RowFusion::run(const Call& call) const {
  const RowImages images = kernels_.back()->row_output();
  const bool is_staged = overwrites_inputs(call);
  std::byte* const output = is_staged ? call.between : call.output;
  const int threads = call.parallel->num_threads();
  const int64_t parts = std::min(ceil_div(threads, images.images), ceil_div(images.rows, step_rows_));
  call.parallel->parallel_for(images.images * parts, [&](int64_t index, int slot) {
    std::byte* const scratch = call.thread_scratch + static_cast<size_t>(slot) * aligned(scratch_);
    Part(*this, call, output, index / parts, scratch).run(part_of(images.rows, index % parts, parts));
  });
  if (is_staged) std::memmove(call.output, call.between, bytes_of(images));
}

}  // namespace nestrt::kernels
