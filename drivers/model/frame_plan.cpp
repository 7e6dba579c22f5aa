// SPDX-License-Identifier: Apache-2.0
#include "drivers/model/frame_plan.h"

#include <algorithm>
#include <cstring>

namespace nestrt {
namespace {

using kernels::kPixelBytes, kernels::kRowSlack, kernels::kTapStep;

struct AxisSizes {
  int frame, resized, input;
  int position;  // of the resized frame in the input
};

enum class Method : uint8_t { kCopy, kResample, kInterpolate };

FrameAxis make_axis(const AxisSizes& sizes, Method method) {
  FrameAxis axis;
  axis.offset = std::max(sizes.position, 0);
  axis.count = std::min(sizes.position + sizes.resized, sizes.input) - axis.offset;
  const int first = axis.offset - sizes.position;
  if (method == Method::kCopy) {
    axis.source = first;
    axis.source_count = axis.count;
    return axis;
  }
  const ResamplingAxis part{sizes.frame, sizes.resized, first, axis.count};
  if (method == Method::kResample) axis.resampling = make_resampling(part);
  if (method == Method::kInterpolate) axis.interpolation = make_interpolation(part);
  std::vector<int32_t>& firsts = method == Method::kResample ? axis.resampling.firsts : axis.interpolation.firsts;
  const int taps = method == Method::kResample ? axis.resampling.taps : 2;
  axis.source = firsts.front();
  axis.source_count = std::min(firsts.back() + taps, sizes.frame) - axis.source;
  for (int32_t& position : firsts) position -= axis.source;
  return axis;
}

// Repeats each weight per byte of a pixel, and adds weights of 0 up to a multiple of kTapStep.
std::vector<int32_t> repeat_weights(const Resampling& resampling) {
  const auto taps = static_cast<size_t>(resampling.taps);
  std::vector<int32_t> result;
  for (size_t i = 0; i < resampling.firsts.size(); ++i) {
    for (size_t k = 0; k < taps; ++k) result.insert(result.end(), kPixelBytes, resampling.weights[i * taps + k]);
    result.insert(result.end(), kPixelBytes * (taps % kTapStep), 0);
  }
  return result;
}

std::vector<int16_t> repeat_weights(const Interpolation& interpolation) {
  std::vector<int16_t> result;
  for (const int16_t weight : interpolation.weights) result.insert(result.end(), kPixelBytes, weight);
  return result;
}

size_t row_bytes(int pixels) {
  return align_up(static_cast<uint64_t>(pixels * kPixelBytes + kRowSlack), AlignedMemory::kAlignment);
}

}  // namespace

Result<FramePlan> FramePlan::create(ImageSize frame, ImageSize input, const Preprocessing& preprocessing, int threads) {
  NESTRT_ASSIGN_OR_RETURN(const ImageFit fit, fit_image(frame, preprocessing, input));
  FramePlan plan;
  const AxisSizes columns{frame.width, fit.size.width, input.width, fit.left};
  const AxisSizes rows{frame.height, fit.size.height, input.height, fit.top};
  const bool keeps_width = frame.width == fit.size.width, keeps_height = frame.height == fit.size.height;
  const auto method = [&](bool keeps_side) {
    if (!preprocessing.antialias) return keeps_width && keeps_height ? Method::kCopy : Method::kInterpolate;
    return keeps_side ? Method::kCopy : Method::kResample;
  };
  plan.columns_ = make_axis(columns, method(keeps_width));
  plan.rows_ = make_axis(rows, method(keeps_height));
  plan.column_weights_ = repeat_weights(plan.columns_.resampling);
  plan.mix_weights_ = repeat_weights(plan.columns_.interpolation);
  NESTRT_RETURN_IF_ERROR(plan.allocate(input.width, preprocessing.pad, threads));
  return plan;
}

Status FramePlan::allocate(int input_width, uint8_t pad, int threads) {
  const auto taps = static_cast<size_t>(ring_rows());
  line_bytes_ = row_bytes(input_width);
  source_bytes_ = row_bytes(columns_.source_count);
  ring_row_bytes_ = row_bytes(columns_.count) * (interpolates() ? sizeof(int16_t) : 1);
  thread_bytes_ = source_bytes_ + line_bytes_ + taps * ring_row_bytes_ +
                  align_up(taps * sizeof(const uint8_t*), AlignedMemory::kAlignment);
  const size_t bytes = line_bytes_ + thread_bytes_ * static_cast<size_t>(threads);
  NESTRT_ASSIGN_OR_RETURN(memory_, AlignedMemory::allocate(bytes, "the memory for converting frames"));
  std::memset(memory_.data(), 0, bytes);
  std::memset(memory_.data(), pad, line_bytes_);
  for (int slot = 0; slot < threads; ++slot) std::memset(scratch(slot).line, pad, line_bytes_);
  return {};
}

FramePlan::Scratch FramePlan::scratch(int slot) const {
  std::byte* const source = memory_.data() + line_bytes_ + thread_bytes_ * static_cast<size_t>(slot);
  std::byte* const line = source + source_bytes_;
  std::byte* const ring = line + line_bytes_;
  std::byte* const taps = ring + static_cast<size_t>(ring_rows()) * ring_row_bytes_;
  return {reinterpret_cast<uint8_t*>(source), reinterpret_cast<uint8_t*>(line), reinterpret_cast<const uint8_t**>(taps),
          ring, ring_row_bytes_};
}

}  // namespace nestrt
