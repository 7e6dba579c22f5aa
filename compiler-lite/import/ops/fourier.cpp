// SPDX-License-Identifier: Apache-2.0
// DFT and STFT, computed as products with constant matrices, and MelWeightMatrix. Long transforms use two steps, as in
// an FFT.
#include <fmt/core.h>

#include <cmath>
#include <numbers>

#include "compiler-lite/import/node_context.h"
#include "compiler-lite/import/ops/families.h"
#include "compiler-lite/import/ops/float_forms.h"

namespace nestrt::compiler {
namespace {

constexpr int64_t kMaxLength = int64_t{1} << 20;

// exp(2 pi i * turns / length), exact at quarter turns.
struct Root {
  double re, im;
  Root(int64_t turns, int64_t length) {
    const int64_t at = turns % length;  // keeps the angle small
    const double angle = 2 * std::numbers::pi * static_cast<double>(at) / static_cast<double>(length);
    re = 4 * at % length == 0 && 4 * at / length % 2 == 1 ? 0 : std::cos(angle);
    im = 2 * at % length == 0 ? 0 : std::sin(angle);
  }
};

// A discrete Fourier transform along axis -2 of a tensor. The last axis contains the real part, or the real and
// imaginary parts.
struct FourierTransform {
  int64_t length = 0;     // N
  int64_t bins = 0;       // number of results
  int64_t parts = 1;      // of the inputs: 1 for real, 2 for complex numbers
  bool inverse = false;   // conjugate the factors
  bool real_out = false;  // inverse of a onesided spectrum of length / 2 + 1 values
  double scale = 1;       // of the results

  int64_t inputs() const { return real_out ? length / 2 + 1 : length; }
  int64_t parts_out() const { return real_out ? 1 : 2; }
  int64_t columns() const { return bins * parts_out(); }
  // Returns the factor of input n in result k.
  Root factor(int64_t n, int64_t k) const {
    Root root(n * k, length);
    if (!inverse) root.im = -root.im;
    return root;
  }
};

// Writes the 2 x 2 real matrix of a complex factor at (row, column), or its first row for real inputs.
void put(std::vector<float>& matrix, int64_t columns, int64_t row, int64_t column, int64_t parts, double re,
         double im) {
  const auto at = [&](int64_t r, int64_t c) -> float& { return matrix[static_cast<size_t>(r * columns + c)]; };
  at(row, column) = static_cast<float>(re);
  at(row, column + 1) = static_cast<float>(im);
  if (parts == 1) return;
  at(row + 1, column) = static_cast<float>(-im);
  at(row + 1, column + 1) = static_cast<float>(re);
}

// Returns the matrix [inputs * parts, bins * 2] of a transform.
Result<std::vector<float>> dense_matrix(const NodeContext& node, const FourierTransform& t) {
  const int64_t rows = t.inputs() * t.parts, columns = t.columns();
  NESTRT_RETURN_IF_ERROR(node.check_constant(DataType::kF32, {rows, columns}));
  std::vector<float> matrix(static_cast<size_t>(rows * columns));
  for (int64_t n = 0; n < t.inputs(); ++n) {
    for (int64_t k = 0; k < t.bins; ++k) {
      const Root f = t.factor(n, k);
      if (!t.real_out) {
        put(matrix, columns, n * t.parts, 2 * k, t.parts, f.re * t.scale, f.im * t.scale);
        continue;
      }
      // The omitted values of the spectrum are the conjugates of values 1 to (N - 1) / 2.
      const double twice = n == 0 || 2 * n == t.length ? 1 : 2;
      matrix[static_cast<size_t>(2 * n * columns + k)] = static_cast<float>(twice * f.re * t.scale);
      matrix[static_cast<size_t>((2 * n + 1) * columns + k)] = static_cast<float>(-twice * f.im * t.scale);
    }
  }
  return matrix;
}

// Returns the largest divisor of `length` that does not exceed its square root.
int64_t balanced_divisor(int64_t length) {
  auto divisor = static_cast<int64_t>(std::sqrt(static_cast<double>(length)));
  while (length % divisor != 0) --divisor;
  return divisor;
}

// Returns the multiply-accumulates per transform in two steps. Requires: a * b == t.length.
int64_t two_step_macs(const FourierTransform& t, int64_t a, int64_t b) { return t.length * (2 * t.parts * a + 4 * b); }

// Two steps must save at least this factor of multiplications because they move their data three times.
constexpr int64_t kMinGain = 4;

bool pays_in_two_steps(const FourierTransform& t) {
  if (t.real_out) return false;
  const int64_t a = balanced_divisor(t.length);
  return two_step_macs(t, a, t.length / a) * kMinGain < t.length * t.parts * t.columns();
}

// Returns the matrices [B, A * parts, A * 2] of the first step: transforms of length A over every Bth element,
// starting at b, times the roots exp(-2 pi i b k / N).
Result<ValueId> first_matrices(NodeContext& node, const FourierTransform& t, int64_t a, int64_t b) {
  const Shape shape{b, a * t.parts, 2 * a};
  NESTRT_RETURN_IF_ERROR(node.check_constant(DataType::kF32, shape));
  std::vector<float> matrices(static_cast<size_t>(shape.num_elements()));
  for (int64_t start = 0; start < b; ++start)
    for (int64_t n = 0; n < a; ++n)
      for (int64_t k = 0; k < a; ++k) {
        const Root f = t.factor(b * n + start, k);
        put(matrices, 2 * a, start * a * t.parts + n * t.parts, 2 * k, t.parts, f.re * t.scale, f.im * t.scale);
      }
  return node.constant(matrices, shape);
}

// Cooley and Tukey: with n = B n1 + n2 and k = k1 + A k2, the sum over n1 is a transform of length A for every n2, and
// the sum over n2 one of length B for every k1. x: [rows, N * parts]; returns [rows, bins * 2].
Result<ValueId> two_steps(NodeContext& node, const FourierTransform& t, ValueId x) {
  const int64_t rows = node.shape(x)[0], a = balanced_divisor(t.length), b = t.length / a;
  NESTRT_ASSIGN_OR_RETURN(x, node.reshape(x, {rows, a, b, t.parts}));
  NESTRT_ASSIGN_OR_RETURN(x, node.transpose(x, {2, 0, 1, 3}));
  NESTRT_ASSIGN_OR_RETURN(x, node.reshape(x, {b, rows, a * t.parts}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId first, first_matrices(node, t, a, b));
  NESTRT_ASSIGN_OR_RETURN(x, node.add(ops::MatMul(), {x, first}));
  NESTRT_ASSIGN_OR_RETURN(x, node.reshape(x, {b, rows, a, 2}));
  NESTRT_ASSIGN_OR_RETURN(x, node.transpose(x, {1, 2, 0, 3}));
  NESTRT_ASSIGN_OR_RETURN(x, node.reshape(x, {rows * a, 2 * b}));
  const FourierTransform inner{.length = b, .bins = b, .parts = 2, .inverse = t.inverse};
  NESTRT_ASSIGN_OR_RETURN(const std::vector<float> matrix, dense_matrix(node, inner));
  NESTRT_ASSIGN_OR_RETURN(const ValueId second, node.constant(matrix, {2 * b, 2 * b}));
  NESTRT_ASSIGN_OR_RETURN(x, matrix_product(node, x, second));
  NESTRT_ASSIGN_OR_RETURN(x, node.reshape(x, {rows, a, b, 2}));
  NESTRT_ASSIGN_OR_RETURN(x, node.transpose(x, {0, 2, 1, 3}));
  NESTRT_ASSIGN_OR_RETURN(x, node.reshape(x, {rows, t.length, 2}));
  NESTRT_ASSIGN_OR_RETURN(x, node.slice(x, {0, 0, 0}, {1, 1, 1}, {rows, t.bins, 2}));
  return node.reshape(x, {rows, 2 * t.bins});
}

// Transforms the rows of x, [rows, inputs * parts].
Result<ValueId> transform(NodeContext& node, const FourierTransform& t, ValueId x) {
  if (pays_in_two_steps(t)) return two_steps(node, t, x);
  NESTRT_ASSIGN_OR_RETURN(const std::vector<float> matrix, dense_matrix(node, t));
  NESTRT_ASSIGN_OR_RETURN(const ValueId constant, node.constant(matrix, {t.inputs() * t.parts, t.columns()}));
  return matrix_product(node, x, constant);
}

// --- DFT ------------------------------------------------------------------------------------------------------------

Result<int64_t> scalar_input(const NodeContext& node, size_t index, std::string_view what) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> list, node.constant_ints(index, what));
  if (list.size() != 1) return node.invalid(fmt::format("{} must be one number", what));
  return list.front();
}

Result<int> read_axis(NodeContext& node, int rank) {
  int64_t stated = node.opset() < 20 ? node.attribute("axis", int64_t{1}) : -2;
  if (node.opset() >= 20 && node.has_input(2)) {
    NESTRT_ASSIGN_OR_RETURN(stated, scalar_input(node, 2, "axis"));
  }
  NESTRT_ASSIGN_OR_RETURN(const int axis, node.axis(stated, rank));
  if (axis == rank - 1) return node.invalid("the axis must not be the last one, that of real and imaginary parts");
  return axis;
}

// `available`: number of values along the axis.
Result<FourierTransform> read_transform(NodeContext& node, int64_t available, int64_t parts) {
  FourierTransform t;
  const bool onesided = node.flag("onesided", false);
  t.parts = parts;
  t.inverse = node.flag("inverse", false);
  t.real_out = t.inverse && onesided;
  t.length = t.real_out ? 2 * (available - 1) : available;
  if (node.has_input(1)) {
    NESTRT_ASSIGN_OR_RETURN(t.length, scalar_input(node, 1, "dft_length"));
  }
  if (t.length < 1 || t.length > kMaxLength)
    return node.invalid(fmt::format("the transform has length {}, expected 1 to {}", t.length, kMaxLength));
  if (parts != 1 && parts != 2) return node.invalid("the last axis must have 1 or 2 elements");
  if (onesided && !t.inverse && parts == 2)
    return node.invalid("onesided needs real inputs: a last axis with 1 element");
  if (t.real_out && parts == 1) return node.invalid("the inverse of a onesided spectrum needs complex inputs");
  t.bins = onesided && !t.inverse ? t.length / 2 + 1 : t.length;
  if (t.inverse) t.scale = 1 / static_cast<double>(t.length);
  return t;
}

// Crops axis 1 of x, [rows, n, parts], or appends zeros.
Result<ValueId> resized(NodeContext& node, ValueId x, int64_t n) {
  const Shape shape = node.shape(x);
  if (n > shape[1]) return node.add(ops::Pad{.begin = {0, 0, 0}, .end = {0, n - shape[1], 0}}, {x});
  return node.slice(x, {0, 0, 0}, {1, 1, 1}, {shape[0], n, shape[2]});
}

Status import_dft(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(ValueId x, node.input(0));
  Shape shape = node.shape(x);
  const int rank = shape.rank();
  if (rank < 2) return node.invalid("the input must have an axis of real and imaginary parts");
  NESTRT_ASSIGN_OR_RETURN(const int axis, read_axis(node, rank));
  NESTRT_ASSIGN_OR_RETURN(const FourierTransform t, read_transform(node, shape[axis], shape[rank - 1]));
  std::vector<int> order;
  for (int i = 0; i < rank - 1; ++i)
    if (i != axis) order.push_back(i);
  order.insert(order.end(), {axis, rank - 1});
  NESTRT_ASSIGN_OR_RETURN(x, node.transpose(x, order));
  const Shape moved = node.shape(x);
  const int64_t rows = moved.product(0, rank - 2);
  NESTRT_ASSIGN_OR_RETURN(x, node.reshape(x, {rows, shape[axis], t.parts}));
  NESTRT_ASSIGN_OR_RETURN(x, resized(node, x, t.inputs()));
  NESTRT_ASSIGN_OR_RETURN(x, node.reshape(x, {rows, t.inputs() * t.parts}));
  NESTRT_ASSIGN_OR_RETURN(x, transform(node, t, x));
  Shape result = moved;
  result[rank - 2] = t.bins;
  result[rank - 1] = t.parts_out();
  NESTRT_ASSIGN_OR_RETURN(x, node.reshape(x, result));
  std::vector<int> back(order.size());
  for (size_t i = 0; i < order.size(); ++i) back[static_cast<size_t>(order[i])] = static_cast<int>(i);
  return node.set_output(node.transpose(x, back));
}

// --- STFT -----------------------------------------------------------------------------------------------------------

struct Frames {
  FourierTransform transform;
  std::vector<float> window;
  int64_t batch = 0, samples = 0, step = 0, count = 0;
};

// Returns the window, of ones if the node has none.
Result<std::vector<float>> read_window_of(const NodeContext& node, int64_t& length) {
  std::vector<float> window;
  if (node.has_input(2)) {
    NESTRT_ASSIGN_OR_RETURN(window, node.constant_floats(2, "window"));
    length = static_cast<int64_t>(window.size());
  }
  if (node.has_input(3)) {
    NESTRT_ASSIGN_OR_RETURN(length, scalar_input(node, 3, "frame_length"));
  }
  if (length < 1 || length > kMaxLength)
    return node.invalid(fmt::format("frame_length is {}, expected 1 to {}", length, kMaxLength));
  if (window.empty()) window.assign(static_cast<size_t>(length), 1);
  if (static_cast<int64_t>(window.size()) == length) return window;
  return node.invalid(fmt::format("the window has {} elements, but frame_length is {}", window.size(), length));
}

Result<Frames> read_frames(NodeContext& node, const Shape& signal) {
  if (signal.rank() != 2 && signal.rank() != 3) return node.invalid("the signal must have 2 or 3 axes");
  Frames frames;
  FourierTransform& t = frames.transform;
  frames.batch = signal[0];
  frames.samples = signal[1];
  t.parts = signal.rank() == 3 ? signal[2] : 1;
  if (t.parts != 1 && t.parts != 2) return node.invalid("the last axis of the signal must have 1 or 2 elements");
  NESTRT_ASSIGN_OR_RETURN(frames.step, scalar_input(node, 1, "frame_step"));
  NESTRT_ASSIGN_OR_RETURN(frames.window, read_window_of(node, t.length));
  if (frames.step < 1 || frames.step > INT32_MAX || t.length > frames.samples)
    return node.invalid(
        fmt::format("frames of {} every {} do not fit into {} samples", t.length, frames.step, frames.samples));
  const bool onesided = node.flag("onesided", true) && t.parts == 1;
  t.bins = onesided ? t.length / 2 + 1 : t.length;
  frames.count = (frames.samples - t.length) / frames.step + 1;
  return frames;
}

// Computes the transform of all frames with one Conv, whose kernels are the columns of the matrix times the window. x:
// [batch, samples, parts].
Result<ValueId> by_convolution(NodeContext& node, const Frames& frames, ValueId x) {
  const FourierTransform& t = frames.transform;
  NESTRT_ASSIGN_OR_RETURN(const std::vector<float> matrix, dense_matrix(node, t));
  const Shape shape{t.columns(), t.parts, t.length};
  NESTRT_RETURN_IF_ERROR(node.check_constant(DataType::kF32, shape));
  std::vector<float> kernels(matrix.size());
  for (size_t i = 0, out = 0; out < static_cast<size_t>(t.columns()); ++out)
    for (size_t part = 0; part < static_cast<size_t>(t.parts); ++part)
      for (size_t n = 0; n < frames.window.size(); ++n, ++i)
        kernels[i] = frames.window[n] *
                     matrix[(n * static_cast<size_t>(t.parts) + part) * static_cast<size_t>(t.columns()) + out];
  NESTRT_ASSIGN_OR_RETURN(const ValueId weights, node.constant(kernels, shape));
  NESTRT_ASSIGN_OR_RETURN(x, node.transpose(x, {0, 2, 1}));
  ops::Conv conv;
  conv.kernel = {static_cast<int32_t>(t.length)};
  conv.stride = {static_cast<int32_t>(frames.step)};
  conv.dilation = {1};
  conv.pad_begin = conv.pad_end = {0};
  NESTRT_ASSIGN_OR_RETURN(x, node.add(std::move(conv), {x, weights}));
  return node.transpose(x, {0, 2, 1});
}

// Returns the frames of x, [batch, samples, parts], as rows [batch * count, length * parts]. Frame i consists of
// consecutive strips of `step` samples, starting at strip i, so the k-th strips of all frames form one slice of the
// signal.
Result<ValueId> cut_frames(NodeContext& node, const Frames& frames, ValueId x) {
  const FourierTransform& t = frames.transform;
  const int64_t strips = (t.length + frames.step - 1) / frames.step, width = frames.step * t.parts;
  const int64_t needed = (frames.count + strips - 1) * frames.step;
  NESTRT_ASSIGN_OR_RETURN(x, resized(node, x, needed));
  NESTRT_ASSIGN_OR_RETURN(x, node.reshape(x, {frames.batch, needed / frames.step, width}));
  std::vector<ValueId> parts;
  for (int64_t i = 0; i < strips; ++i) {
    NESTRT_ASSIGN_OR_RETURN(const ValueId strip,
                            node.slice(x, {0, i, 0}, {1, 1, 1}, {frames.batch, frames.count, width}));
    parts.push_back(strip);
  }
  if (parts.size() > 1) {
    NESTRT_ASSIGN_OR_RETURN(x, node.add(ops::Concat{.axis = 2}, parts));
  }
  NESTRT_ASSIGN_OR_RETURN(x, node.slice(x, {0, 0, 0}, {1, 1, 1}, {frames.batch, frames.count, t.length * t.parts}));
  return node.reshape(x, {frames.batch * frames.count, t.length * t.parts});
}

Result<ValueId> by_transform(NodeContext& node, const Frames& frames, ValueId x) {
  const FourierTransform& t = frames.transform;
  NESTRT_ASSIGN_OR_RETURN(x, cut_frames(node, frames, x));
  std::vector<float> factors;
  for (const float factor : frames.window) factors.insert(factors.end(), static_cast<size_t>(t.parts), factor);
  NESTRT_ASSIGN_OR_RETURN(const ValueId window, node.constant(factors, {t.length * t.parts}));
  NESTRT_ASSIGN_OR_RETURN(x, node.binary(ops::BinaryKind::kMul, x, window));
  return transform(node, t, x);
}

Status import_stft(NodeContext& node) {
  constexpr int64_t kMaxStrips = 256;  // operators that cut_frames() may add
  NESTRT_ASSIGN_OR_RETURN(ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const Frames frames, read_frames(node, node.shape(x)));
  const FourierTransform& t = frames.transform;
  NESTRT_ASSIGN_OR_RETURN(x, node.reshape(x, {frames.batch, frames.samples, t.parts}));
  const bool in_steps = pays_in_two_steps(t) && t.length / frames.step < kMaxStrips;
  NESTRT_ASSIGN_OR_RETURN(x, in_steps ? by_transform(node, frames, x) : by_convolution(node, frames, x));
  return node.set_output(node.reshape(x, {frames.batch, frames.count, t.bins, 2}));
}

// --- MelWeightMatrix ------------------------------------------------------------------------------------------------

const double kMelsPerNeper = 2595 / std::numbers::ln10;

double to_mel(double hertz) { return kMelsPerNeper * std::log1p(hertz / 700); }

// Returns the spectrogram bins of the bands' edges; band i extends from edge i to edge i + 2.
std::vector<int64_t> band_edges(int64_t bands, int64_t dft_length, int64_t sample_rate, double low, double high) {
  const double from = to_mel(low), step = (to_mel(high) - from) / static_cast<double>(bands + 2);
  std::vector<int64_t> edges;
  for (int64_t i = 0; i < bands + 2; ++i) {
    const double hertz = 700 * std::expm1((from + static_cast<double>(i) * step) / kMelsPerNeper);
    edges.push_back(static_cast<int64_t>(
        std::floor(static_cast<double>(dft_length + 1) * hertz / static_cast<double>(sample_rate))));
  }
  return edges;
}

// Returns triangular weights: each band rises from its first edge to the second and falls to the third.
std::vector<float> mel_weights(const std::vector<int64_t>& edges, int64_t bins, int64_t bands) {
  std::vector<float> weights(static_cast<size_t>(bins * bands));
  const auto put_at = [&](int64_t bin, int64_t band, int64_t part, int64_t whole) {
    if (bin >= 0 && bin < bins)
      weights[static_cast<size_t>(bin * bands + band)] = static_cast<float>(part) / static_cast<float>(whole);
  };
  for (int64_t band = 0; band < bands; ++band) {
    const auto i = static_cast<size_t>(band);
    const int64_t low = edges[i], centre = edges[i + 1], high = edges[i + 2];
    if (low == centre) put_at(centre, band, 1, 1);
    for (int64_t bin = std::max<int64_t>(low, 0); bin <= std::min(centre, bins) && low != centre; ++bin)
      put_at(bin, band, bin - low, centre - low);
    for (int64_t bin = std::max<int64_t>(centre, 0); bin < std::min(high, bins); ++bin)
      put_at(bin, band, high - bin, high - centre);
  }
  return weights;
}

Status import_mel_weight_matrix(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const int64_t bands, scalar_input(node, 0, "num_mel_bins"));
  NESTRT_ASSIGN_OR_RETURN(const int64_t dft_length, scalar_input(node, 1, "dft_length"));
  NESTRT_ASSIGN_OR_RETURN(const int64_t sample_rate, scalar_input(node, 2, "sample_rate"));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<float> low, node.constant_floats(3, "lower_edge_hertz"));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<float> high, node.constant_floats(4, "upper_edge_hertz"));
  const bool valid = bands >= 1 && bands <= kMaxLength && dft_length >= 1 && dft_length <= kMaxLength &&
                     sample_rate >= 1 && low.size() == 1 && high.size() == 1 && low[0] >= 0 && high[0] > low[0] &&
                     high[0] < 1e9f;
  if (!valid) return node.invalid("needs positive numbers, and a lower edge below the upper edge");
  node.ignore("output_datatype");  // real numbers are f32
  const Shape shape{dft_length / 2 + 1, bands};
  NESTRT_RETURN_IF_ERROR(node.check_constant(DataType::kF32, shape));
  const std::vector<int64_t> edges = band_edges(bands, dft_length, sample_rate, low[0], high[0]);
  return node.set_output(node.constant(mel_weights(edges, shape[0], bands), shape));
}

constexpr ImportRule kFourierRules[] = {
    {"DFT", import_dft, 17},
    {"MelWeightMatrix", import_mel_weight_matrix, 17},
    {"STFT", import_stft, 17},
};

}  // namespace

std::span<const ImportRule> fourier_rules() { return kFourierRules; }

}  // namespace nestrt::compiler
