// SPDX-License-Identifier: Apache-2.0
// ConvInteger with constant weights, as a matrix product. Rows are the weights of an output channel, columns the inputs
// of an output pixel. The input is copied as s8 into a padded image; padding has the value of the zero point. From this
// image, each task packs the inputs of some pixels into panels of 16 columns. It multiplies all rows with them, which
// writes contiguous runs of the output's planes.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/common/gemm_s8/integer_panels.h"
#include "kernels/common/packing/packed_constant.h"
#include "kernels/conv_integer/conv_integer.h"

namespace nestrt::kernels {
namespace {

constexpr int64_t kPixels = 64;  // columns that a task packs together; a multiple of kTileBlock
constexpr int64_t kGroup = 4;    // adjacent rows of a packed column

class IntegerImage final : public Kernel {
 public:
  // `weights`: rows of integer_row_bytes() in s8, followed by memory for a row that computes the sums of the columns.
  IntegerImage(const OperatorSpec& spec, const ConvGeometry& geometry, AlignedArray<int8_t> weights)
      : g_(geometry),
        operands_(spec),
        weights_(std::move(weights)),
        sums_(g_.out_channels),
        panels_(inner_of(g_), kPixels) {
    const int64_t bytes = integer_row_bytes(inner_of(g_));
    for (int64_t m = 0; has_memory() && m < g_.out_channels; ++m)
      for (int64_t k = 0; k < inner_of(g_); ++k) sums_.data()[m] += weights_.data()[m * bytes + k];
    std::fill_n(weights_.data() + g_.out_channels * bytes, inner_of(g_), panels_.one());
    for (size_t i = 0; i < 3; ++i) padded_[i] = padded_extent(g_.axes[i]);
  }

  // Returns the extent of the padded image along an axis. It covers the input and everything that outputs read.
  static int64_t padded_extent(const ConvAxis& axis) {
    const int64_t reached = (axis.output - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1;
    return std::max(axis.pad_begin + axis.input, reached);
  }

  static int64_t inner_of(const ConvGeometry& g) { return g.group_inputs() * g.taps(); }
  bool has_memory() const { return sums_.data() != nullptr; }
  ScratchSize scratch(int) const override {
    return {static_cast<size_t>(rows_offset() + g_.out_channels * int64_t{sizeof(IntegerRow)}), thread_bytes()};
  }
  void run(const KernelCall& call) const override;

 private:
  // Return the size in bytes of a padded channel, and of all padded channels.
  int64_t plane() const { return padded_[0] * padded_[1] * padded_[2]; }
  int64_t rows_offset() const { return round_up(g_.batch * g_.in_channels * plane(), 64); }
  // Returns the scratch size per thread: packed columns, the four rows that are packed together, and the sums and start
  // values of the columns.
  size_t thread_bytes() const {
    return static_cast<size_t>(kPixels * integer_row_bytes(inner_of(g_)) + kGroup * kPixels) +
           2 * kPixels * sizeof(int32_t);
  }
  int32_t input_zero(const KernelCall& call) const {
    return operands_.input_zero(call) - (operands_.a_is_u8() ? 128 : 0);
  }
  const int8_t* image_of(const KernelCall& call) const { return reinterpret_cast<const int8_t*>(call.shared_scratch); }
  IntegerRow* rows_of(const KernelCall& call) const {
    return reinterpret_cast<IntegerRow*>(call.shared_scratch + rows_offset());
  }
  void copy_image(const KernelCall& call) const;
  bool read_rows(const KernelCall& call) const;
  void copy_run(const int8_t* channel, int64_t tap, Range pixels, int8_t* to) const;
  void pack_columns(const int8_t* image, Range pixels, int8_t* rows, int8_t* panels) const;
  void run_pixels(const KernelCall& call, int64_t image, int64_t group, Range pixels, bool has_zeros,
                  std::byte* scratch) const;

  ConvGeometry g_;
  IntegerOperands operands_;
  AlignedArray<int8_t> weights_;
  AlignedArray<int32_t> sums_;  // of the weights of an output channel
  IntegerPanels panels_;
  int64_t padded_[3];  // extents of the image with its padding
};

void IntegerImage::copy_image(const KernelCall& call) const {
  const ConvAxis &d = g_.axes[0], &h = g_.axes[1], &w = g_.axes[2];
  const uint8_t flip = operands_.a_is_u8() ? 0x80 : 0;
  const int zero = static_cast<uint8_t>(input_zero(call));
  auto* const image = reinterpret_cast<int8_t*>(call.shared_scratch);
  parallel_ranges(*call.parallel, g_.batch * g_.in_channels, plane(), [&](int64_t first, int64_t last) {
    for (int64_t channel = first; channel < last; ++channel) {
      int8_t* const to = image + channel * plane();
      std::memset(to, zero, static_cast<size_t>(plane()));
      const int8_t* from = call.input<int8_t>(0) + channel * g_.in_spatial();
      for (int64_t z = 0; z < d.input; ++z)
        for (int64_t y = 0; y < h.input; ++y, from += w.input) {
          int8_t* const row = to + ((z + d.pad_begin) * padded_[1] + y + h.pad_begin) * padded_[2] + w.pad_begin;
          panels_.functions().copy_row(from, flip, row, w.input);
        }
    }
  });
}

// Reads the parameters of the rows. Returns whether some weights have a zero point other than 0.
bool IntegerImage::read_rows(const KernelCall& call) const {
  const auto zero = static_cast<uint32_t>(input_zero(call)), inner = static_cast<uint32_t>(inner_of(g_));
  const int32_t shift = operands_.b_is_u8() ? 128 : 0;
  IntegerRow* const rows = rows_of(call);
  bool has_zeros = false;
  for (int64_t m = 0; m < g_.out_channels; ++m) {
    IntegerRow& row = rows[m];
    row.zero = operands_.weight_zero(call, m) - shift;
    row.start =
        static_cast<int32_t>(zero * (inner * static_cast<uint32_t>(row.zero) - static_cast<uint32_t>(sums_.data()[m])));
    row.scale = operands_.is_scaled() ? operands_.scale(call, m) : 0;
    row.bias = operands_.is_scaled() ? operands_.bias(call, m) : 0;
    has_zeros = has_zeros || row.zero != 0;
  }
  return has_zeros;
}

// Copies the inputs that some output pixels read under one tap.
void IntegerImage::copy_run(const int8_t* channel, int64_t tap, Range pixels, int8_t* to) const {
  const auto& [d, h, w] = g_.axes;
  const int64_t kw = tap % w.kernel * w.dilation, kh = tap / w.kernel % h.kernel * h.dilation;
  const int64_t kd = tap / w.kernel / h.kernel * d.dilation;
  for (int64_t pixel = pixels.first; pixel < pixels.last;) {
    const int64_t x = pixel % w.output, row = pixel / w.output, y = row % h.output, z = row / h.output;
    const int64_t count = std::min(w.output - x, pixels.last - pixel);
    const int8_t* const from =
        channel + ((z * d.stride + kd) * padded_[1] + y * h.stride + kh) * padded_[2] + x * w.stride + kw;
    if (w.stride == 1)
      std::memcpy(to, from, static_cast<size_t>(count));
    else
      for (int64_t i = 0; i < count; ++i) to[i] = from[i * w.stride];
    to += count;
    pixel += count;
  }
}

// Packs the inputs of at most kPixels pixels. `image`: the first channel of the group. `rows`: scratch.
void IntegerImage::pack_columns(const int8_t* image, Range pixels, int8_t* rows, int8_t* panels) const {
  const int64_t inner = inner_of(g_), panel_bytes = integer_panel_bytes(inner), taps = g_.taps();
  for (int64_t first = 0; first < integer_row_bytes(inner); first += kGroup) {
    for (int64_t i = 0; i < kGroup; ++i) {
      const int64_t k = first + i;
      if (k < inner)
        copy_run(image + k / taps * plane(), k % taps, pixels, rows + i * kPixels);
      else
        std::memset(rows + i * kPixels, 0, kPixels);
    }
    for (int64_t n = 0; n < pixels.size(); n += kTileBlock)
      panels_.functions().interleave(rows + n, kPixels, panels + n / kTileBlock * panel_bytes + first * kTileBlock);
  }
}

void IntegerImage::run_pixels(const KernelCall& call, int64_t image, int64_t group, Range pixels, bool has_zeros,
                              std::byte* scratch) const {
  const int64_t row_bytes = integer_row_bytes(inner_of(g_));
  auto* const panels = reinterpret_cast<int8_t*>(scratch);
  int8_t* const rows = panels + kPixels * row_bytes;
  auto* const column_sums = reinterpret_cast<int32_t*>(rows + kGroup * kPixels);
  pack_columns(image_of(call) + (image * g_.in_channels + group * g_.group_inputs()) * plane(), pixels, rows, panels);
  const int64_t channel = group * g_.group_outputs();
  IntegerPixels product;
  product.rows = weights_.data() + channel * row_bytes;
  product.ones = weights_.data() + g_.out_channels * row_bytes;
  product.parameters = rows_of(call) + channel;
  product.count = g_.group_outputs();
  product.has_zeros = has_zeros;
  product.is_scaled = operands_.is_scaled();
  product.panels = panels;
  product.columns = pixels.size();
  product.column_sums = column_sums;
  product.start = column_sums + kPixels;
  product.output = call.output<int32_t>(0) + (image * g_.out_channels + channel) * g_.out_spatial() + pixels.first;
  product.output_stride = g_.out_spatial();
  panels_.run(product);
}

void IntegerImage::run(const KernelCall& call) const {
  copy_image(call);
  const bool has_zeros = read_rows(call);
  const int64_t tiles = ceil_div(g_.out_spatial(), kPixels), items = g_.batch * g_.group * tiles;
  const int64_t wanted = task_count(g_.batch * g_.out_channels * g_.out_spatial(), f32_products(inner_of(g_), 1),
                                    call.parallel->num_threads());
  const int64_t parts = std::min(wanted, items);
  call.parallel->parallel_for(parts, [&](int64_t index, int slot) {
    const Range part = part_of(items, index, parts);
    for (int64_t item = part.first; item < part.last; ++item) {
      const int64_t first = item % tiles * kPixels;
      run_pixels(call, item / tiles / g_.group, item / tiles % g_.group,
                 {first, std::min(first + kPixels, g_.out_spatial())}, has_zeros,
                 call.slot_scratch<std::byte>(slot, thread_bytes()));
    }
  });
}

// Copies the weights as rows of s8, with memory for an additional row.
Result<AlignedArray<int8_t>> copy_weights(const TensorSpec& weights, const ConvGeometry& g) {
  const int64_t inner = IntegerImage::inner_of(g), bytes = integer_row_bytes(inner);
  const uint8_t flip = weights.type == DataType::kU8 ? 0x80 : 0;
  AlignedArray<int8_t> rows((g.out_channels + 1) * bytes);
  if (rows.data() == nullptr) return Status(Code::kOutOfMemory, "no memory to pack the weights of a ConvInteger");
  const auto* from = reinterpret_cast<const uint8_t*>(weights.constant);
  for (int64_t m = 0; m < g.out_channels; ++m)
    for (int64_t k = 0; k < inner; ++k) rows.data()[m * bytes + k] = static_cast<int8_t>(*from++ ^ flip);
  return rows;
}

}  // namespace

bool accepts_conv_integer_image(const OperatorSpec& spec) {
  constexpr int64_t kMaxPadding = 16, kSmallBytes = 1 << 20;  // wide padding would need more memory than the tensors
  if (!is_plain(spec) || spec.inputs[1].constant == nullptr) return false;
  const auto g = conv_integer_geometry(spec);
  if (!g) return false;
  int64_t bytes = g->batch * g->in_channels;
  for (const ConvAxis& axis : g->axes) bytes = saturating_product(bytes, IntegerImage::padded_extent(axis));
  const int64_t elements = saturating_sum(spec.inputs[0].shape.num_elements(), g->output.num_elements());
  return bytes <= saturating_sum(saturating_product(kMaxPadding, elements), kSmallBytes);
}

Result<std::unique_ptr<Kernel>> prepare_conv_integer_image(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const ConvGeometry g, conv_integer_geometry(spec));
  NESTRT_ASSIGN_OR_RETURN(AlignedArray<int8_t> weights, copy_weights(spec.inputs[1], g));
  auto kernel = std::make_unique<IntegerImage>(spec, g, std::move(weights));
  if (!kernel->has_memory()) return Status(Code::kOutOfMemory, "no memory for the sums of a ConvInteger's weights");
  return std::unique_ptr<Kernel>(std::move(kernel));
}

}  // namespace nestrt::kernels
