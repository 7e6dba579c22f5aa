// SPDX-License-Identifier: Apache-2.0
// Winograd convolution of an image by 7 x 7 kernels with stride 2. Two rows and two columns of pixels are folded into
// channels, c to 4 c. The kernel then becomes 4 x 4 with stride 1, with zeros for taps outside the original kernel. For
// 9 outputs, F(3 x 3, 4 x 4) needs 36 products of 4 c channels instead of 9 * 49 products of c channels: a third for
// three channels. Images are folded into scratch one by one, as blocked16.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "hwy/detect_targets.h"
#include "kernels/common/math/saturate.h"
#include "kernels/common/packing/packing.h"
#include "kernels/common/packing/winograd_weights.h"
#include "kernels/conv/blocked.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/winograd/conv_winograd16.h"

namespace nestrt::kernels {
namespace {

constexpr int64_t kFold = 2, kFoldTaps = 4;
constexpr int64_t kFoldPixels = kFold * kFold;
constexpr int64_t kMinChannels = 3, kMaxChannels = kTileBlock / kFoldPixels;
constexpr size_t kOperands = 4, kResidual = 3;  // input, weights, bias, residual
constexpr int64_t kMinOutputs = 12;             // along an axis: four tiles

// If the padding is odd, the first tap of an output is the second of two folded pixels.
int64_t first_tap(const ConvAxis& axis) { return axis.pad_begin & 1; }

bool folds(const ConvAxis& axis) {
  constexpr int64_t kMinKernel = 6;
  return axis.kernel >= kMinKernel && first_tap(axis) + axis.kernel <= kFold * kFoldTaps && axis.stride == kFold &&
         axis.dilation == 1 && axis.output >= kMinOutputs;
}

bool folds(const ConvGeometry& g) {
  const ConvAxis& depth = g.axes[0];
  return g.group == 1 && g.in_channels >= kMinChannels && g.in_channels <= kMaxChannels && depth.input == 1 &&
         depth.output == 1 && depth.kernel == 1 && folds(g.axes[1]) && folds(g.axes[2]);
}

#if HWY_ARCH_ARM_A64
ConvAxis folded(const ConvAxis& axis) {
  ConvAxis result = axis;
  result.input = ceil_div(axis.input, kFold);
  result.kernel = kFoldTaps;
  result.stride = 1;
  result.pad_begin = (axis.pad_begin + first_tap(axis)) / kFold;
  result.pad_end = result.output + kFoldTaps - 1 - result.input - result.pad_begin;
  return result;
}

// Returns the folded geometry of one image.
ConvGeometry folded(const ConvGeometry& geometry) {
  ConvGeometry result = geometry;
  result.batch = 1;
  result.in_channels *= kFoldPixels;
  for (const size_t axis : {1, 2}) result.axes[axis] = folded(geometry.axes[axis]);
  return result;
}

// Converts weights from stem16 to [o][channel, row and column of the fold][4][4].
Result<AlignedFloats> folded_weights(const PackedConstant& weights, const ConvGeometry& g, const Shape& shape) {
  AlignedFloats plain(shape.num_elements()),
      result(g.out_channels * g.in_channels * kFoldPixels * kFoldTaps * kFoldTaps);
  if (plain.data() == nullptr || result.data() == nullptr)
    return Status(Code::kOutOfMemory, "no memory for the folded weights of a convolution");
  unpack_weights(Packing::kStem16, shape, weights.data(), plain.data());
  const ConvAxis &h = g.axes[1], &w = g.axes[2];
  const float* from = plain.data();
  for (int64_t kernel = 0; kernel < g.out_channels * g.in_channels; ++kernel)
    for (int64_t y = first_tap(h); y < first_tap(h) + h.kernel; ++y)
      for (int64_t x = first_tap(w); x < first_tap(w) + w.kernel; ++x) {
        const int64_t channel = kernel * kFoldPixels + y % kFold * kFold + x % kFold;
        result.data()[(channel * kFoldTaps + y / kFold) * kFoldTaps + x / kFold] = *from++;
      }
  return result;
}

Result<BlockedConv> folded_conv(BlockedConv conv, const Shape& weights) {
  const ConvGeometry geometry = folded(conv.geometry);
  NESTRT_ASSIGN_OR_RETURN(const AlignedFloats plain, folded_weights(conv.weights, conv.geometry, weights));
  AlignedFloats packed(conv.out_blocks() * kWinogradTaps.positions() * geometry.in_channels * kTileBlock);
  if (packed.data() == nullptr)
    return Status(Code::kOutOfMemory, "no memory for the transformed weights of a convolution");
  pack_winograd_taps({geometry.out_channels, geometry.in_channels, kFoldTaps, kFoldTaps}, plain.data(), packed.data());
  conv.weights = PackedConstant(std::move(packed));
  conv.geometry = geometry;
  return conv;
}

class StemWinograd16 final : public Kernel {
 public:
  // `repacked`: whether the weights in the plan have a packing other than stem16.
  StemWinograd16(const ConvGeometry& plain, BlockedConv conv, bool repacked)
      : plain_(plain), folded_(conv.geometry), repacked_(repacked) {
    product_ = make_winograd16(std::move(conv), kWinogradTaps, winograd_taps());
  }

  void run(const KernelCall& call) const override;
  bool repacked() const override { return repacked_; }
  ScratchSize scratch(int num_threads) const override {
    ScratchSize size = product_->scratch(num_threads);
    if (__builtin_add_overflow(size.shared, folded_bytes(), &size.shared)) size.shared = SIZE_MAX;
    return size;
  }

 private:
  size_t folded_bytes() const { return saturated_bytes(folded_.in_spatial(), kTileBlock, sizeof(float)); }
  void fold(const KernelCall& call, int64_t image) const;
  void fold_row(const float* image, int64_t row, float* to) const;

  ConvGeometry plain_, folded_;
  bool repacked_;
  std::unique_ptr<Kernel> product_;
};

void StemWinograd16::run(const KernelCall& call) const {
  const int64_t image_floats = ceil_div(folded_.out_channels, kTileBlock) * kTileBlock * folded_.out_spatial();
  std::array<const std::byte*, kOperands> inputs{};
  std::copy(call.inputs.begin(), call.inputs.end(), inputs.begin());
  inputs[0] = call.shared_scratch;
  KernelCall product = call;
  product.inputs = {inputs.data(), call.inputs.size()};
  product.shared_scratch += folded_bytes();
  for (int64_t image = 0; image < plain_.batch; ++image) {
    fold(call, image);
    const int64_t at = image * image_floats * int64_t{sizeof(float)};
    if (const float* residual = residual_of(call))
      inputs[kResidual] = reinterpret_cast<const std::byte*>(residual) + at;
    std::byte* const output = call.outputs[0] + at;
    product.outputs = {&output, 1};
    product_->run(product);
  }
}

void StemWinograd16::fold(const KernelCall& call, int64_t image) const {
  const float* const from = call.input<float>(0) + image * plain_.in_channels * plain_.in_spatial();
  auto* const pixels = reinterpret_cast<float*>(call.shared_scratch);
  const int64_t rows = folded_.axes[1].input, row_floats = folded_.axes[2].input * kTileBlock;
  const int64_t parts = std::min(rows, task_count(rows * row_floats, kFoldPixels, call.parallel->num_threads()));
  call.parallel->parallel_for(parts, [&](int64_t index, int) {
    const Range part = part_of(rows, index, parts);
    for (int64_t row = part.first; row < part.last; ++row) fold_row(from, row, pixels + row * row_floats);
  });
}

// Folds a row two pixels at a time, channel by channel. Pixels outside the image and unused lanes are zero.
void StemWinograd16::fold_row(const float* image, int64_t row, float* to) const {
  const int64_t height = plain_.axes[1].input, width = plain_.axes[2].input, columns = folded_.axes[2].input;
  std::fill_n(to, columns * kTileBlock, 0.0f);
  for (int64_t channel = 0; channel < plain_.in_channels; ++channel, image += height * width)
    for (int64_t y = 0; y < std::min(kFold, height - row * kFold); ++y) {
      const float* from = image + (row * kFold + y) * width;
      float* lanes = to + channel * kFoldPixels + y * kFold;
      for (int64_t x = 0; x < width / kFold; ++x, from += kFold, lanes += kTileBlock)
        std::memcpy(lanes, from, kFold * sizeof(float));
      if (width % kFold != 0) *lanes = *from;
    }
}
#endif

}  // namespace

bool accepts_conv_stem_winograd16(const OperatorSpec& spec) {
  const Result<ConvGeometry> g = conv_geometry(spec);
  return g && folds(*g) && has_bounds(spec) && accepts_blocked(spec, Layout::kPlain, Packing::kStem16);
}

#if HWY_ARCH_ARM_A64
Result<std::unique_ptr<Kernel>> prepare_conv_stem_winograd16(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(BlockedConv conv, make_blocked_conv(spec, Packing::kStem16));
  const ConvGeometry plain = conv.geometry;
  const bool repacked = conv.weights.repacked();
  NESTRT_ASSIGN_OR_RETURN(conv, folded_conv(std::move(conv), spec.inputs[1].shape));
  return std::unique_ptr<Kernel>(std::make_unique<StemWinograd16>(plain, std::move(conv), repacked));
}
#else
Result<std::unique_ptr<Kernel>> prepare_conv_stem_winograd16(const OperatorSpec&) {
  return Status(Code::kUnsupported, "conv.f32.stem16.winograd needs NEON");
}
#endif

}  // namespace nestrt::kernels
