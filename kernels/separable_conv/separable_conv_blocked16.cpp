// The three convolutions over blocked16 tensors, some rows of the output at a time: what lies between are a few rows of
// all channels, which stay in the caches. Each computes what conv.*.direct16 and conv.*.depthwise16 would, in their
// order.
//
// A task takes rows of the output. Rows that the depthwise Conv needs and the rows before have needed, too, are kept:
// so nothing is computed twice but where tasks meet.
#include <algorithm>
#include <cstring>
#include <optional>

#include "kernels/common/integers.h"
#include "kernels/common/saturate.h"
#include "kernels/common/simd.h"
#include "kernels/conv/blocked.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/conv_depthwise16.h"
#include "kernels/conv/conv_s8_depthwise16.h"
#include "kernels/separable_conv/separable_conv.h"

namespace nestrt::kernels {
namespace {

constexpr int64_t kRowsBytes = 96 * 1024;  // of what lies between: with weights beside it a second-level cache holds it
constexpr int64_t kSumsPixels = 128;       // of the s8 depthwise Conv, computed at a time

// Pixels that lie side by side, of all channels, and what a Conv of 1 x 1 makes of them.
template <typename T>
struct Pixels {
  const T* input = nullptr;
  int64_t input_stride = 0;  // elements between blocks of 16 channels
  int64_t count = 0;
  T* output = nullptr;
  const T* residual = nullptr;  // lies as the output
  int64_t output_stride = 0;
};

// Rows of outputs of one block of the depthwise Conv.
template <typename T>
struct DepthwiseCall {
  const ConvGeometry* geometry = nullptr;
  const T* input = nullptr;
  int64_t block = 0, y = 0, count = 0;
  T* output = nullptr;
  int32_t* sums = nullptr;
};

// The offsets of pixels side by side.
struct PixelOffsets {
  explicit PixelOffsets(int64_t points) {
    for (int64_t p = 0; p < points; ++p) at[p] = p * kTileBlock;
  }
  int64_t at[kMaxTilePoints];
};

class S8Pointwise {
 public:
  // `input`: the activation that its input went through; null where nothing is known of it.
  static Result<S8Pointwise> make(const SeparablePart& part, const ops::Activation* input) {
    const OperatorSpec spec = part.spec();
    S8Pointwise result;
    NESTRT_ASSIGN_OR_RETURN(const ConvGeometry g, conv_geometry(spec));
    result.chunks_ = ceil_div(g.in_channels, kTileBlock);
    NESTRT_ASSIGN_OR_RETURN(result.product_,
                            make_s8_conv(spec, g, Packing::kS8O16i4, result.chunks_ * kTileBlock * kTileBlock));
    result.not_negative_ =
        input != nullptr && s8::activation_bounds(*input, exponent_of(spec)).low >= 0 && result.product_.can_centre();
    return result;
  }
  const TileLimits& limits() const { return product_.limits(); }
  bool repacked() const { return product_.repacked(); }

  void run(Range blocks, const Pixels<int8_t>& pixels) const {
    const PixelOffsets offsets(limits().points);
    S8Tile tile;
    tile.offsets = offsets.at;
    tile.segments = 1;
    tile.chunks = chunks_;
    tile.chunk_stride = pixels.input_stride;
    tile.length = kTileBlock;
    S8Finish finish;
    finish.point_stride = kTileBlock;
    finish.block_stride = pixels.output_stride;
    const int64_t tiles = ceil_div(pixels.count, limits().points);
    for (int64_t block = blocks.first; block < blocks.last; block += tile.blocks) {
      tile.blocks = std::min(limits().blocks, blocks.last - block);
      for (int64_t t = 0; t < tiles; ++t) {
        const Range part = part_of(pixels.count, t, tiles, limits().grain);
        const int64_t at = (block - blocks.first) * pixels.output_stride + part.first * kTileBlock;
        tile.points = part.size();
        tile.input = pixels.input + part.first * kTileBlock;
        finish.output = pixels.output + at;
        finish.residual = pixels.residual == nullptr ? nullptr : pixels.residual + at;
        product_.run(block, tile, finish, not_negative_);
      }
    }
  }

 private:
  static int exponent_of(const OperatorSpec& spec) { return spec.inputs[0].quantization->exponents[0]; }

  int64_t chunks_ = 0;
  bool not_negative_ = false;
  S8Product product_;
};

class S8Depthwise {
 public:
  static Result<S8Depthwise> make(const SeparablePart& part, const ConvGeometry& g) {
    const OperatorSpec spec = part.spec();
    S8Depthwise result;
    NESTRT_ASSIGN_OR_RETURN(result.product_, S8DepthwiseProduct::make(spec, g));
    if (includes(current_instruction_set(), InstructionSet::kAvx512Vnni) && accepts_conv_s8_depthwise16_dot4(spec))
      NESTRT_RETURN_IF_ERROR(result.product_.use_dot4(g));
    else
      result.product_.use_pairs(g);
    return result;
  }
  bool repacked() const { return product_.repacked(); }
  static int64_t sums_rows(const ConvGeometry& g, int64_t rows) {
    return std::clamp<int64_t>(kSumsPixels / g.axes[2].output, 1, rows);
  }
  void run(const DepthwiseCall<int8_t>& call) const {
    const int64_t row_elements = call.geometry->axes[2].output * kTileBlock,
                  most = sums_rows(*call.geometry, call.count);
    S8DepthwiseRows rows;
    rows.geometry = call.geometry;
    rows.input = call.input;
    rows.sums = call.sums;
    for (int64_t y = 0; y < call.count; y += most) {
      rows.y = call.y + y;
      rows.count = std::min(most, call.count - y);
      S8Finish finish;
      finish.output = call.output + y * row_elements;
      product_.run(call.block, rows, finish);
    }
  }

 private:
  S8DepthwiseProduct product_;
};

class F32Pointwise {
 public:
  static Result<F32Pointwise> make(const SeparablePart& part, const ops::Activation*) {
    F32Pointwise result;
    NESTRT_ASSIGN_OR_RETURN(result.conv_, make_blocked_conv(part.spec(), Packing::kO16i16));
    return result;
  }
  const TileLimits& limits() const { return conv_.limits; }
  bool repacked() const { return conv_.weights.repacked(); }

  void run(Range blocks, const Pixels<float>& pixels) const {
    const PixelOffsets offsets(limits().points);
    const int64_t channels = conv_.geometry.in_channels;
    Tile16 tile;
    tile.offsets = offsets.at;
    tile.segments = 1;
    tile.chunks = conv_.in_blocks();
    tile.chunk_stride = pixels.input_stride;
    tile.length = kTileBlock;
    tile.last_length = channels - (tile.chunks - 1) * kTileBlock;
    tile.weights_stride = channels * kTileBlock;
    tile.point_stride = kTileBlock;
    tile.block_stride = pixels.output_stride;
    tile.activation = conv_.activation;
    const int64_t tiles = ceil_div(pixels.count, limits().points);
    for (int64_t block = blocks.first; block < blocks.last; block += tile.blocks) {
      tile.blocks = std::min(limits().blocks, blocks.last - block);
      tile.weights = conv_.weights.data() + block * tile.weights_stride;
      tile.bias = conv_.block_bias(block);
      for (int64_t t = 0; t < tiles; ++t) {
        const Range part = part_of(pixels.count, t, tiles, limits().grain);
        const int64_t at = (block - blocks.first) * pixels.output_stride + part.first * kTileBlock;
        tile.points = part.size();
        tile.input = pixels.input + part.first * kTileBlock;
        tile.output = pixels.output + at;
        tile.residual = pixels.residual == nullptr ? nullptr : pixels.residual + at;
        conv_.tile(tile);
      }
    }
  }

 private:
  BlockedConv conv_;
};

class F32Depthwise {
 public:
  static Result<F32Depthwise> make(const SeparablePart& part, const ConvGeometry&) {
    F32Depthwise result;
    NESTRT_ASSIGN_OR_RETURN(result.conv_, make_blocked_conv(part.spec(), Packing::kDepthwise16));
    result.rows_ = depthwise_function();
    return result;
  }
  bool repacked() const { return conv_.weights.repacked(); }
  static int64_t sums_rows(const ConvGeometry&, int64_t) { return 0; }
  void run(const DepthwiseCall<float>& call) const {
    DepthwiseRows rows;
    rows.geometry = call.geometry;
    rows.input = call.input;
    rows.weights = conv_.weights.data() + call.block * conv_.geometry.taps() * kTileBlock;
    rows.bias = conv_.block_bias(call.block);
    rows.output = call.output;
    rows.first = call.y;
    rows.last = call.y + call.count;
    rows.activation = conv_.activation;
    rows_(rows);
  }

 private:
  BlockedConv conv_;
  DepthwiseFunction rows_ = nullptr;
};

struct S8 {
  using Element = int8_t;
  using Pointwise = S8Pointwise;
  using Depthwise = S8Depthwise;
};
struct F32 {
  using Element = float;
  using Pointwise = F32Pointwise;
  using Depthwise = F32Depthwise;
};

template <class Type>
class Separable final : public Kernel {
  using T = typename Type::Element;

 public:
  static Result<std::unique_ptr<Kernel>> make(const SeparableParts& parts) {
    std::unique_ptr<Separable> kernel(new Separable);
    NESTRT_ASSIGN_OR_RETURN(kernel->geometry_, conv_geometry(parts.depthwise->spec()));
    if (parts.before != nullptr) {
      NESTRT_ASSIGN_OR_RETURN(kernel->before_, Type::Pointwise::make(*parts.before, nullptr));
      kernel->in_channels_ = parts.before->inputs[0].shape[1];
    } else {
      kernel->in_channels_ = kernel->geometry_.in_channels;
    }
    NESTRT_ASSIGN_OR_RETURN(kernel->depthwise_, Type::Depthwise::make(*parts.depthwise, kernel->geometry_));
    NESTRT_ASSIGN_OR_RETURN(
        kernel->after_,
        Type::Pointwise::make(*parts.after, &std::get<ops::Conv>(parts.depthwise->attributes).activation));
    kernel->out_blocks_ = ceil_div(parts.after->inputs[1].shape[0], kTileBlock);
    kernel->macs_of_row_ = row_macs(parts);
    kernel->choose_rows();
    return std::unique_ptr<Kernel>(std::move(kernel));
  }

  bool repacked() const override {
    return depthwise_.repacked() || after_.repacked() || (before_ && before_->repacked());
  }
  ScratchSize scratch(int) const override {
    return {0, saturated_bytes(kept_elements() + made_elements(), sizeof(T), 1) + sums_bytes()};
  }
  void run(const KernelCall& call) const override;

 private:
  // What one task computes with: [blocks][rows][width][16] each.
  struct Memory {
    T* kept = nullptr;  // under the depthwise Conv, where there is a Conv before it
    T* made = nullptr;  // of it
    int32_t* sums = nullptr;
    Range rows;  // of what is kept
  };

  static int64_t row_macs(const SeparableParts& parts);
  void choose_rows();
  int64_t blocks() const { return ceil_div(geometry_.in_channels, kTileBlock); }
  int64_t in_row() const { return geometry_.axes[2].input * kTileBlock; }
  int64_t out_row() const { return geometry_.axes[2].output * kTileBlock; }
  int64_t kept_stride() const { return before_ ? kept_rows_ * in_row() : 0; }
  int64_t made_stride() const { return rows_ * out_row(); }
  int64_t kept_elements() const { return blocks() * kept_stride(); }
  int64_t made_elements() const { return blocks() * made_stride(); }
  size_t sums_bytes() const {
    return static_cast<size_t>(Type::Depthwise::sums_rows(geometry_, rows_) * out_row()) * sizeof(int32_t);
  }

  Range rows_under(Range rows) const;
  void run_rows(const KernelCall& call, int64_t image, Range rows, Memory& memory) const;
  void make_kept(const T* input, Range blocks, Range wanted, const Memory& memory) const;

  ConvGeometry geometry_;  // the depthwise Conv's
  std::optional<typename Type::Pointwise> before_;
  typename Type::Depthwise depthwise_;
  typename Type::Pointwise after_;
  int64_t in_channels_ = 0, out_blocks_ = 0;
  int64_t rows_ = 1;       // of the output, computed at a time
  int64_t kept_rows_ = 0;  // at most under so many
  int64_t macs_of_row_ = 0;
};

// Products for a row of the output.
template <class Type>
int64_t Separable<Type>::row_macs(const SeparableParts& parts) {
  double macs = 0;
  for (const SeparablePart* part : parts.all()) {
    const Shape& weights = part->inputs[1].shape;
    const Shape& input = part->inputs[0].shape;
    macs += static_cast<double>(weights.num_elements()) * static_cast<double>(input[3]);
  }
  return static_cast<int64_t>(std::min(macs, 1e15));
}

template <class Type>
void Separable<Type>::choose_rows() {
  const ConvAxis& height = geometry_.axes[1];
  const int64_t stride = std::min(height.stride, height.input);
  const int64_t bytes = blocks() * (out_row() + (before_ ? stride * in_row() : 0)) * int64_t{sizeof(T)};
  rows_ = std::clamp<int64_t>(kRowsBytes / bytes, 1, height.output);
  kept_rows_ = std::min(height.input, (rows_ - 1) * height.stride + height.kernel);
}

template <class Type>
void Separable<Type>::run(const KernelCall& call) const {
  const int64_t height = geometry_.axes[1].output, rows = geometry_.batch * height;
  const int64_t parts =
      std::min(rows, task_count(rows, f32_products(macs_of_row_, int64_t{sizeof(T)}), call.parallel->num_threads()));
  const size_t per_thread = scratch(1).per_thread;
  call.parallel->parallel_for(parts, [&](int64_t index, int slot) {
    Memory memory;
    memory.kept = call.slot_scratch<T>(slot, per_thread);
    memory.made = memory.kept + kept_elements();
    memory.sums = reinterpret_cast<int32_t*>(memory.made + made_elements());
    const Range part = part_of(rows, index, parts);
    for (int64_t row = part.first; row < part.last;) {
      const int64_t image = row / height, y = row % height;
      const Range band{y, std::min({height, y + part.last - row, y + rows_})};
      if (row == part.first || y == 0) memory.rows = {};
      run_rows(call, image, band, memory);
      row += band.size();
    }
  });
}

// The rows that exist of what the depthwise Conv reads for these of its outputs.
template <class Type>
Range Separable<Type>::rows_under(Range rows) const {
  const ConvAxis& height = geometry_.axes[1];
  const int64_t first = std::clamp<int64_t>(rows.first * height.stride - height.pad_begin, 0, height.input);
  const int64_t last = (rows.last - 1) * height.stride - height.pad_begin + height.kernel;
  return {first, std::clamp(last, first, height.input)};
}

template <class Type>
void Separable<Type>::run_rows(const KernelCall& call, int64_t image, Range rows, Memory& memory) const {
  const ConvGeometry& g = geometry_;
  const T* input = call.input<T>(0) + image * ceil_div(in_channels_, kTileBlock) * g.in_spatial() * kTileBlock;
  ConvGeometry band = g;
  DepthwiseCall<T> depthwise;
  depthwise.geometry = &band;
  depthwise.y = rows.first;
  depthwise.count = rows.size();
  depthwise.sums = memory.sums;
  Range wanted;
  if (before_) {  // as if the picture had no other rows than those that are kept
    wanted = rows_under(rows);
    band.axes[1].input = wanted.size();
    band.axes[1].pad_begin += wanted.first - rows.first * g.axes[1].stride;
    depthwise.y = 0;
  }
  const int64_t together = before_ ? before_->limits().blocks : 1;
  for (int64_t first = 0; first < blocks(); first += together) {
    const Range some{first, std::min(blocks(), first + together)};
    if (before_) make_kept(input, some, wanted, memory);
    for (depthwise.block = some.first; depthwise.block < some.last; ++depthwise.block) {
      depthwise.input = before_ ? memory.kept + depthwise.block * kept_stride()
                                : input + depthwise.block * g.in_spatial() * kTileBlock;
      depthwise.output = memory.made + depthwise.block * made_stride();
      depthwise_.run(depthwise);
    }
  }
  memory.rows = wanted;
  Pixels<T> pixels;
  pixels.input = memory.made;
  pixels.input_stride = made_stride();
  pixels.count = rows.size() * g.axes[2].output;
  pixels.output_stride = g.out_spatial() * kTileBlock;
  const int64_t at = image * out_blocks_ * pixels.output_stride + rows.first * out_row();
  pixels.output = call.output<T>(0) + at;
  if (call.inputs.size() > kSeparableResidual && call.inputs[kSeparableResidual] != nullptr)
    pixels.residual = call.input<T>(kSeparableResidual) + at;
  after_.run({0, out_blocks_}, pixels);
}

// Moves the rows that are there already to the front, and computes the others.
template <class Type>
void Separable<Type>::make_kept(const T* input, Range blocks, Range wanted, const Memory& memory) const {
  const int64_t there = std::max<int64_t>(0, memory.rows.last - wanted.first);
  const int64_t stride = kept_stride();
  T* const first = memory.kept + blocks.first * stride;
  if (there > 0)
    for (int64_t block = 0; block < blocks.size(); ++block)
      std::memmove(first + block * stride, first + block * stride + (wanted.first - memory.rows.first) * in_row(),
                   static_cast<size_t>(there * in_row()) * sizeof(T));
  if (there >= wanted.size()) return;
  Pixels<T> pixels;
  pixels.input = input + (wanted.first + there) * in_row();
  pixels.input_stride = geometry_.in_spatial() * kTileBlock;
  pixels.count = (wanted.size() - there) * geometry_.axes[2].input;
  pixels.output = first + there * in_row();
  pixels.output_stride = stride;
  before_->run(blocks, pixels);
}

bool is_blocked(const SeparablePart& part, Packing s8, Packing f32) {
  const OperatorSpec spec = part.spec();
  return spec.inputs[0].type == DataType::kS8
             ? spec.inputs[0].quantization != nullptr && accepts_s8_blocked(spec, Layout::kBlocked16, s8)
             : accepts_blocked(spec, Layout::kBlocked16, f32);
}

}  // namespace

bool accepts_separable_conv_blocked16(const OperatorSpec& spec) {
  if (spec.outputs.empty()) return false;
  const Result<SeparableParts> parts = separable_parts(spec);
  return parts && (parts->before == nullptr || is_blocked(*parts->before, Packing::kS8O16i4, Packing::kO16i16)) &&
         is_blocked(*parts->depthwise, Packing::kS8Depthwise16, Packing::kDepthwise16) &&
         is_blocked(*parts->after, Packing::kS8O16i4, Packing::kO16i16);
}

Result<std::unique_ptr<Kernel>> prepare_separable_conv_blocked16(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const SeparableParts parts, separable_parts(spec));
  return spec.inputs[0].type == DataType::kS8 ? Separable<S8>::make(parts) : Separable<F32>::make(parts);
}

}  // namespace nestrt::kernels
