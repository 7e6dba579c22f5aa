// SPDX-License-Identifier: Apache-2.0
// The operators of a plan, as plain structs of attributes. The comment on a struct defines its operands and result; the
// rules for its operands are in its row of the table in kernels/ (runtime/kernel/kernel.h).
//
// fields() lists a struct's members with their names, in the order of the table with the same name in
// runtime/plan/format/plan.fbs. The code that reads and writes plans, checks enumerations, compares and prints uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "nestrt/data_type.h"
#include "nestrt/driver/operator_field.h"
#include "nestrt/driver/operator_kinds.h"
#include "nestrt/visibility.h"

namespace nestrt {
namespace NESTRT_PUBLIC ops {

// A fused activation.
struct Activation {
  ActivationKind kind = ActivationKind::kNone;
  float alpha = 0;
  float beta = 0;

  static constexpr auto fields() {
    return std::tuple{field("kind", &Activation::kind), field("alpha", &Activation::alpha),
                      field("beta", &Activation::beta)};
  }
  bool operator==(const Activation&) const = default;
};

// Inputs: x [N, C, spatial...], weights [M, C/group, kernel...], bias [M] (optional), residual of the output's shape
// (optional). y = activation(conv(x) + bias + residual). All lists have one entry per spatial axis.
// s8: x, weights and residual s8, bias s32. s8c: no residual; `rounding` and `inner_exponent` are ignored.
struct Conv {
  std::vector<int32_t> kernel, stride, dilation, pad_begin, pad_end;
  int32_t group = 1;
  Activation activation{};
  Rounding rounding = Rounding::kHalfUp;
  bool wide_output = false;  // s8: y is the accumulator as f32, exactly
  int8_t inner_exponent =
      0;  // s8 with a residual: conv(x) + bias becomes s8 of this exponent, then the residual is added

  static constexpr auto fields() {
    return std::tuple{field("kernel", &Conv::kernel),           field("stride", &Conv::stride),
                      field("dilation", &Conv::dilation),       field("pad_begin", &Conv::pad_begin),
                      field("pad_end", &Conv::pad_end),         field("group", &Conv::group),
                      field("activation", &Conv::activation),   field("rounding", &Conv::rounding),
                      field("wide_output", &Conv::wide_output), field("inner_exponent", &Conv::inner_exponent)};
  }
  bool operator==(const Conv&) const = default;
};

// Inputs as for Conv; weights [C, M/group, kernel...]. output_padding adds to the far end. It has no s8 form: the
// compiler expresses a transposed convolution of integers as a Conv.
struct ConvTranspose {
  std::vector<int32_t> kernel, stride, dilation, pad_begin, pad_end, output_padding;
  int32_t group = 1;
  Activation activation{};

  static constexpr auto fields() {
    return std::tuple{
        field("kernel", &ConvTranspose::kernel),     field("stride", &ConvTranspose::stride),
        field("dilation", &ConvTranspose::dilation), field("pad_begin", &ConvTranspose::pad_begin),
        field("pad_end", &ConvTranspose::pad_end),   field("output_padding", &ConvTranspose::output_padding),
        field("group", &ConvTranspose::group),       field("activation", &ConvTranspose::activation)};
  }
  bool operator==(const ConvTranspose&) const = default;
};

// Fully connected: x [M, K] times constant weights [K, N] plus bias [N] (optional); y [M, N].
struct Dense {
  Activation activation{};
  Rounding rounding = Rounding::kHalfUp;  // this and wide_output as in Conv
  bool wide_output = false;

  static constexpr auto fields() {
    return std::tuple{field("activation", &Dense::activation), field("rounding", &Dense::rounding),
                      field("wide_output", &Dense::wide_output)};
  }
  bool operator==(const Dense&) const = default;
};

// numpy.matmul of two tensors, batch dimensions broadcast.
struct MatMul {
  static constexpr auto fields() { return std::tuple{}; }
  bool operator==(const MatMul&) const = default;
};

// Pools over the spatial dimensions of an image.
struct Pool {
  PoolKind kind = PoolKind::kMax;
  std::vector<int32_t> kernel, stride, dilation, pad_begin, pad_end;
  bool count_include_pad = false;  // average: divide by the whole window
  // keeps a last window that starts within the input or its begin padding and ends beyond the end padding
  bool ceil_mode = false;
  int32_t p = 2;                          // lp
  Rounding rounding = Rounding::kHalfUp;  // s8

  static constexpr auto fields() {
    return std::tuple{field("kind", &Pool::kind),
                      field("kernel", &Pool::kernel),
                      field("stride", &Pool::stride),
                      field("dilation", &Pool::dilation),
                      field("pad_begin", &Pool::pad_begin),
                      field("pad_end", &Pool::pad_end),
                      field("count_include_pad", &Pool::count_include_pad),
                      field("ceil_mode", &Pool::ceil_mode),
                      field("p", &Pool::p),
                      field("rounding", &Pool::rounding)};
  }
  bool operator==(const Pool&) const = default;
};

// alpha, beta as in Activation; elu, celu, thresholded_relu: alpha; selu: alpha, beta = gamma; shrink: alpha = lambd,
// beta = bias; gelu: alpha = 1 selects the tanh form; is_inf: alpha = detect_negative, beta = detect_positive.
struct Unary {
  UnaryKind kind = UnaryKind::kRelu;
  float alpha = 0;
  float beta = 0;

  static constexpr auto fields() {
    return std::tuple{field("kind", &Unary::kind), field("alpha", &Unary::alpha), field("beta", &Unary::beta)};
  }
  bool operator==(const Unary&) const = default;
};

// numpy broadcasting. prelu: a >= 0 ? a : a * b. Comparisons return booleans. kAdd has an s8 form; it and kSub, kMul,
// kMin, kMax and kPrelu have an s8c form.
struct Binary {
  BinaryKind kind = BinaryKind::kAdd;
  Activation activation{};
  Rounding rounding = Rounding::kHalfUp;

  static constexpr auto fields() {
    return std::tuple{field("kind", &Binary::kind), field("activation", &Binary::activation),
                      field("rounding", &Binary::rounding)};
  }
  bool operator==(const Binary&) const = default;
};

// Inputs: condition (boolean), a, b; broadcast.
struct Select {
  static constexpr auto fields() { return std::tuple{}; }
  bool operator==(const Select&) const = default;
};

// Converts elements to another type.
struct Cast {
  DataType to = DataType::kF32;

  static constexpr auto fields() { return std::tuple{field("to", &Cast::to)}; }
  bool operator==(const Cast&) const = default;
};

// Joins tensors along an axis.
struct Concat {
  int32_t axis = 0;

  static constexpr auto fields() { return std::tuple{field("axis", &Concat::axis)}; }
  bool operator==(const Concat&) const = default;
};

// A strided window of the input with the given output shape: y[i] = x[start + i * step] on every axis. Steps may be
// negative.
struct Slice {
  std::vector<int64_t> start, step, shape;

  static constexpr auto fields() {
    return std::tuple{field("start", &Slice::start), field("step", &Slice::step), field("shape", &Slice::shape)};
  }
  bool operator==(const Slice&) const = default;
};

// Permutes dimensions.
struct Transpose {
  std::vector<int32_t> permutation;

  static constexpr auto fields() { return std::tuple{field("permutation", &Transpose::permutation)}; }
  bool operator==(const Transpose&) const = default;
};

// The same elements with the given output shape; needs no work if the output is a view of the input's buffer.
struct Reshape {
  std::vector<int64_t> shape;

  static constexpr auto fields() { return std::tuple{field("shape", &Reshape::shape)}; }
  bool operator==(const Reshape&) const = default;
};

// Negative pads crop. The padding has the value of the optional second input, a scalar of the input's type, or `value`.
struct Pad {
  PadMode mode = PadMode::kConstant;
  std::vector<int64_t> begin, end;
  float value = 0;

  static constexpr auto fields() {
    return std::tuple{field("mode", &Pad::mode), field("begin", &Pad::begin), field("end", &Pad::end),
                      field("value", &Pad::value)};
  }
  bool operator==(const Pad&) const = default;
};

// Resizes spatial dimensions. s8: the nearest and linear modes.
struct Resize {
  ResizeMode mode = ResizeMode::kNearest;
  CoordinateMode coordinate = CoordinateMode::kHalfPixel;
  NearestMode nearest = NearestMode::kRoundPreferFloor;
  std::vector<float> scales;  // per axis, as stated in the model (may differ from out / in)
  std::vector<float> roi;     // tf_crop_and_resize: starts, then ends
  float cubic_coefficient = -0.75f;
  bool exclude_outside = false;
  float extrapolation_value = 0;
  std::vector<int64_t> sizes;  // dimensions of the output

  static constexpr auto fields() {
    return std::tuple{field("mode", &Resize::mode),
                      field("coordinate", &Resize::coordinate),
                      field("nearest", &Resize::nearest),
                      field("scales", &Resize::scales),
                      field("roi", &Resize::roi),
                      field("cubic_coefficient", &Resize::cubic_coefficient),
                      field("exclude_outside", &Resize::exclude_outside),
                      field("extrapolation_value", &Resize::extrapolation_value),
                      field("sizes", &Resize::sizes)};
  }
  bool operator==(const Resize&) const = default;
};

// Repeats the input to fill the given output shape (ONNX Tile and Expand). Dimensions align at the end. Each output
// dimension is a multiple of the input dimension.
struct Tile {
  std::vector<int64_t> shape;

  static constexpr auto fields() { return std::tuple{field("shape", &Tile::shape)}; }
  bool operator==(const Tile&) const = default;
};

// Inputs: data, indices (s32 or s64; negative counts from the end).
struct Gather {
  int32_t axis = 0;

  static constexpr auto fields() { return std::tuple{field("axis", &Gather::axis)}; }
  bool operator==(const Gather&) const = default;
};

// Selects elements along an axis, using a tensor of indices.
struct GatherElements {
  int32_t axis = 0;

  static constexpr auto fields() { return std::tuple{field("axis", &GatherElements::axis)}; }
  bool operator==(const GatherElements&) const = default;
};

// Softmax, or its logarithm, along an axis.
struct Softmax {
  int32_t axis = 0;
  bool log = false;

  static constexpr auto fields() { return std::tuple{field("axis", &Softmax::axis), field("log", &Softmax::log)}; }
  bool operator==(const Softmax&) const = default;
};

// Normalizes across channels (axis 1).
struct LocalResponseNorm {
  int32_t size = 0;
  float alpha = 0;
  float beta = 0;
  float bias = 0;

  static constexpr auto fields() {
    return std::tuple{field("size", &LocalResponseNorm::size), field("alpha", &LocalResponseNorm::alpha),
                      field("beta", &LocalResponseNorm::beta), field("bias", &LocalResponseNorm::bias)};
  }
  bool operator==(const LocalResponseNorm&) const = default;
};

// Inputs: x, scale [C], bias [C].
struct InstanceNorm {
  float epsilon = 0;

  static constexpr auto fields() { return std::tuple{field("epsilon", &InstanceNorm::epsilon)}; }
  bool operator==(const InstanceNorm&) const = default;
};

// Inputs: x, scale, bias (optional); over axes [axis, rank).
struct LayerNorm {
  int32_t axis = 0;
  float epsilon = 0;

  static constexpr auto fields() {
    return std::tuple{field("axis", &LayerNorm::axis), field("epsilon", &LayerNorm::epsilon)};
  }
  bool operator==(const LayerNorm&) const = default;
};

// Divides by the Lp norm along an axis.
struct LpNorm {
  int32_t axis = 0;
  int32_t p = 2;

  static constexpr auto fields() { return std::tuple{field("axis", &LpNorm::axis), field("p", &LpNorm::p)}; }
  bool operator==(const LpNorm&) const = default;
};

// Reduces axes.
struct Reduce {
  ReduceKind kind = ReduceKind::kMean;
  std::vector<int32_t> axes;
  bool keep_dims = true;

  static constexpr auto fields() {
    return std::tuple{field("kind", &Reduce::kind), field("axes", &Reduce::axes),
                      field("keep_dims", &Reduce::keep_dims)};
  }
  bool operator==(const Reduce&) const = default;
};

// Output s64.
struct ArgReduce {
  bool min = false;
  int32_t axis = 0;
  bool keep_dims = true;
  bool select_last = false;

  static constexpr auto fields() {
    return std::tuple{field("min", &ArgReduce::min), field("axis", &ArgReduce::axis),
                      field("keep_dims", &ArgReduce::keep_dims), field("select_last", &ArgReduce::select_last)};
  }
  bool operator==(const ArgReduce&) const = default;
};

// Cumulative sums, or cumulative products if `product` is set.
struct CumSum {
  int32_t axis = 0;
  bool exclusive = false;
  bool reverse = false;
  bool product = false;

  static constexpr auto fields() {
    return std::tuple{field("axis", &CumSum::axis), field("exclusive", &CumSum::exclusive),
                      field("reverse", &CumSum::reverse), field("product", &CumSum::product)};
  }
  bool operator==(const CumSum&) const = default;
};

// Converts between the layouts of its input and output, which are the same logical tensor.
struct Reorder {
  static constexpr auto fields() { return std::tuple{}; }
  bool operator==(const Reorder&) const = default;
};

// f32 to integers with the output tensor's quantization; `to`: s8, or u8 with a scale.
struct Quantize {
  Rounding rounding = Rounding::kHalfUp;
  DataType to = DataType::kS8;

  static constexpr auto fields() {
    return std::tuple{field("rounding", &Quantize::rounding), field("to", &Quantize::to)};
  }
  bool operator==(const Quantize&) const = default;
};

// s8 to f32; with a scale, also u8 and s32 to f32.
struct Dequantize {
  static constexpr auto fields() { return std::tuple{}; }
  bool operator==(const Dequantize&) const = default;
};

// s8 or u8 to s8 or u8 with another exponent, or scale and zero point. The activation applies to the real values.
struct Requantize {
  Rounding rounding = Rounding::kHalfUp;
  DataType to = DataType::kS8;
  Activation activation{};

  static constexpr auto fields() {
    return std::tuple{field("rounding", &Requantize::rounding), field("to", &Requantize::to),
                      field("activation", &Requantize::activation)};
  }
  bool operator==(const Requantize&) const = default;
};

// A part of the model that a vendor's compiler has compiled. Its branch has the vendor's program and no kernel. Inputs:
// plain tensors of any type.
struct Opaque {
  int32_t part = 0;              // identifies the part within its model
  std::vector<int64_t> results;  // per output: its DataType as a number, its rank, its dimensions

  static constexpr auto fields() {
    return std::tuple{field("part", &Opaque::part), field("results", &Opaque::results)};
  }
  bool operator==(const Opaque&) const = default;
};

// The indices of the `count` largest (or smallest) elements along the axis, in sorted order; equal elements keep their
// order. A NaN compares larger than any number. Output s64; GatherElements returns the elements.
struct TopK {
  int32_t axis = 0;
  int32_t count = 1;
  bool smallest = false;

  static constexpr auto fields() {
    return std::tuple{field("axis", &TopK::axis), field("count", &TopK::count), field("smallest", &TopK::smallest)};
  }
  bool operator==(const TopK&) const = default;
};

// Inputs: data [N, ...], indices [M] (s32 or s64; negative counts from the end), updates [M, ...]. Output: a copy of
// the data in which row indices[m] is combined with row m of the updates, in ascending order of m.
struct Scatter {
  ScatterKind kind = ScatterKind::kReplace;

  static constexpr auto fields() { return std::tuple{field("kind", &Scatter::kind)}; }
  bool operator==(const Scatter&) const = default;
};

// Inputs: x [N, C, spatial...], grid [N, output's spatial..., axes]: for each output point its position in x, last axis
// first, from -1 to 1. align_corners: -1 and 1 are the centres of the outermost elements, else their outer edges.
struct GridSample {
  ResizeMode mode = ResizeMode::kLinear;
  PaddingKind padding = PaddingKind::kZeros;
  bool align_corners = false;

  static constexpr auto fields() {
    return std::tuple{field("mode", &GridSample::mode), field("padding", &GridSample::padding),
                      field("align_corners", &GridSample::align_corners)};
  }
  bool operator==(const GridSample&) const = default;
};

// The recurrent part of ONNX's RNN, GRU and LSTM, one direction. G = 1, 3 (z, r, h) or 4 (i, o, f, c) gates of H.
// Inputs: x [T, B, G * H], the input's contribution to the gates with all biases; weights [H, G * H] of the state; bias
// [H] of the state's contribution to h (gru, linear_before_reset, optional); initial state [B, H] (optional: zeros);
// for lstm, optional: initial cell [B, H], peepholes [3 * H] of i, o, f. Weights of s8 have a scale (f32, one element
// or [G * H]) and optionally a zero point (s8, same) as inputs 6 and 7: each step quantizes the state like
// DynamicQuantize and multiplies like MatMulInteger. Output [T, B, H]: the states; for lstm [T + 1, B, H]: the states
// followed by the last cell. `reverse`: from the last x to the first. Activations: of gates, of candidates (the only
// one of rnn), of the cell (lstm).
struct Recurrent {
  RecurrentKind kind = RecurrentKind::kPlain;
  bool reverse = false;
  bool linear_before_reset = false;  // gru
  bool input_forget = false;         // lstm: the forget gate is 1 - i
  float clip = 0;                    // limit for the inputs of activations; 0: no limit
  Activation gate{}, candidate{}, cell{};

  static constexpr auto fields() {
    return std::tuple{field("kind", &Recurrent::kind),
                      field("reverse", &Recurrent::reverse),
                      field("linear_before_reset", &Recurrent::linear_before_reset),
                      field("input_forget", &Recurrent::input_forget),
                      field("clip", &Recurrent::clip),
                      field("gate", &Recurrent::gate),
                      field("candidate", &Recurrent::candidate),
                      field("cell", &Recurrent::cell)};
  }
  bool operator==(const Recurrent&) const = default;
};

// Inputs: boxes [N, B, 4], scores [N, C, B]. Selects at most `count` boxes per image and class, best
// score first, with a score above score_threshold; no box overlaps an earlier one by more than iou_threshold
// (intersection over union).
// Output s64 [N * C * min(count, B), 3]: image, class, box; unused rows are -1.
struct NonMaxSuppression {
  int32_t count = 0;
  float iou_threshold = 0;
  float score_threshold = 0;
  bool centered = false;  // boxes are centre x, y, width, height; else y, x of two opposite corners
  bool scored = false;    // score_threshold applies

  static constexpr auto fields() {
    return std::tuple{field("count", &NonMaxSuppression::count),
                      field("iou_threshold", &NonMaxSuppression::iou_threshold),
                      field("score_threshold", &NonMaxSuppression::score_threshold),
                      field("centered", &NonMaxSuppression::centered), field("scored", &NonMaxSuppression::scored)};
  }
  bool operator==(const NonMaxSuppression&) const = default;
};

// Quantizes f32 to u8 with parameters from the data, as ONNX's DynamicQuantizeLinear. With low and high the smallest
// and largest of all elements and 0: scale = (high - low) / 255, or 1 if that is 0; zero point = -low / scale, rounded
// half to even. Outputs: y, the scale (f32) and the zero point (u8), both scalars. NaNs have no effect and become the
// zero point.
struct DynamicQuantize {
  static constexpr auto fields() { return std::tuple{}; }
  bool operator==(const DynamicQuantize&) const = default;
};

// numpy.matmul of integers. Inputs: a and b, s8 or u8 each. Optional inputs, which may depend on the data: zero point
// of a (one element, type of a), zero point of b (one element or [N], type of b), scale of a (f32, one element), scale
// of b (f32, one element or [N]; both or none), bias [N] (f32, only with scales). Output: sums of (a - zero point) * (b
// - zero point) modulo 2^32, s32; with scales float(sum) * (scale of a * scale of b) + bias, f32.
struct MatMulInteger {
  static constexpr auto fields() { return std::tuple{}; }
  bool operator==(const MatMulInteger&) const = default;
};

// Convolution of integers; attributes as in Conv. Inputs: x and weights, s8 or u8 each, then as in MatMulInteger, where
// N is the number of output channels. Padding adds nothing to the sums.
struct ConvInteger {
  std::vector<int32_t> kernel, stride, dilation, pad_begin, pad_end;
  int32_t group = 1;

  static constexpr auto fields() {
    return std::tuple{field("kernel", &ConvInteger::kernel),     field("stride", &ConvInteger::stride),
                      field("dilation", &ConvInteger::dilation), field("pad_begin", &ConvInteger::pad_begin),
                      field("pad_end", &ConvInteger::pad_end),   field("group", &ConvInteger::group)};
  }
  bool operator==(const ConvInteger&) const = default;
};

// x [M, K] times a matrix [K, N = columns] of integers of 2, 4 or 8 bits, which stay packed: y [M, N], f32. Weight k of
// a column is (q - zero point) * scale, with the scale and zero point of its block of `block` weights.
// Inputs, with B = ceil(K / block) blocks and P = ceil(N / 16) panels of 16 columns:
//   x [M, K]; weights u8 [P, B, block * bits / 8, 16]; scales f32 [P, B, 16];
//   zero points u8 or f32 [P, B, 16] (optional: 2^(bits - 1)); bias [N] (optional)
// Byte j of a column in a block contains the weights j * 8 / bits and following, the first in the lowest bits. `block`
// is a multiple of 8 / bits. Weights beyond K and columns beyond N have no effect. Only x may be computed at run time.
struct MatMulNBits {
  int32_t bits = 4;
  int32_t block = 32;
  int32_t columns = 0;

  static constexpr auto fields() {
    return std::tuple{field("bits", &MatMulNBits::bits), field("block", &MatMulNBits::block),
                      field("columns", &MatMulNBits::columns)};
  }
  bool operator==(const MatMulNBits&) const = default;
};

// Every operator, in the order of plan.fbs's union Attributes.
// clang-format off
#define NESTRT_FOR_EACH_OPERATOR(X)                                                                                  \
  X(Conv) X(ConvTranspose) X(Dense) X(MatMul) X(Pool) X(Unary) X(Binary) X(Select) X(Cast) X(Concat) X(Slice)        \
  X(Transpose) X(Reshape) X(Pad) X(Resize) X(Tile) X(Gather) X(GatherElements) X(Softmax) X(LocalResponseNorm)       \
  X(InstanceNorm) X(LayerNorm) X(LpNorm) X(Reduce) X(ArgReduce) X(CumSum) X(Reorder) X(Quantize) X(Dequantize)       \
  X(Requantize) X(Opaque) X(TopK) X(Scatter) X(GridSample) X(Recurrent) X(NonMaxSuppression)            \
  X(DynamicQuantize) X(MatMulInteger) X(ConvInteger) X(MatMulNBits)
// clang-format on

// Identifies an operator: the index of its struct in Attributes.
enum class Kind : uint8_t {
  kNone,
#define NESTRT_KIND(Op) k##Op,
  NESTRT_FOR_EACH_OPERATOR(NESTRT_KIND)
#undef NESTRT_KIND
};

#define NESTRT_ALTERNATIVE(Op) , Op
// Any operator; monostate if the operator has not been read.
using AnyOperator = std::variant<std::monostate NESTRT_FOR_EACH_OPERATOR(NESTRT_ALTERNATIVE)>;
#undef NESTRT_ALTERNATIVE

// The attributes of an operator, as a variant over all operators. It is a class so that the code for copying and
// comparing thirty alternatives is compiled only once.
class Attributes : public AnyOperator {
 public:
  Attributes();
#define NESTRT_CONVERT(Op) Attributes(Op value);  // NOLINT(google-explicit-constructor): as a variant converts
  NESTRT_FOR_EACH_OPERATOR(NESTRT_CONVERT)
#undef NESTRT_CONVERT
  Attributes(const Attributes& other);
  Attributes(Attributes&& other) noexcept;
  Attributes& operator=(const Attributes& other);
  Attributes& operator=(Attributes&& other) noexcept;
  ~Attributes();
  bool operator==(const Attributes& other) const;
};

// Returns the kind of operator that the attributes belong to.
inline Kind kind_of(const Attributes& attributes) { return static_cast<Kind>(attributes.index()); }
inline constexpr size_t kNumKinds = std::variant_size_v<AnyOperator>;  // including kNone

// Returns the name of a kind, such as "Conv"; "none" for Kind::kNone.
std::string_view name(Kind kind);

// Return the printed form of a value, such as "half_up" or "leaky_relu"; an empty string for an invalid value, which
// code that reads untrusted files checks.
std::string_view name(Rounding value);
std::string_view name(ActivationKind value);
std::string_view name(PoolKind value);
std::string_view name(UnaryKind value);
std::string_view name(BinaryKind value);
std::string_view name(PadMode value);
std::string_view name(ResizeMode value);
std::string_view name(CoordinateMode value);
std::string_view name(NearestMode value);
std::string_view name(ReduceKind value);
std::string_view name(ScatterKind value);
std::string_view name(PaddingKind value);
std::string_view name(RecurrentKind value);

}  // namespace ops
}  // namespace nestrt
