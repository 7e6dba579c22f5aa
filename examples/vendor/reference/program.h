// SPDX-License-Identifier: Apache-2.0
// Programs of the reference vendor: a list of operators on f32 tensors with int8 weights. Integer tensors are stored as
// f32 numbers, except inputs and outputs, which are int8. Weights have a real-valued scale per output channel.
// Activations are quantized to int8 with a scale from their largest element at run time, so no calibration is needed.
//
// The file is little-endian: magic, size in bytes, FNV-1a of the rest, then the fields of Program in order.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace reference {

// The error for an invalid file, with the reason.
struct BadProgram : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Kind : uint32_t {
  kProduct,  // convolution, or matrix product as a 1x1 convolution: x, weights, scales, bias
  kAffine,   // y = x * scales[c] + bias[c]
  kAdd,      // sum of two tensors of the same shape
  kClip,     // min(max(x, values[0]), values[1])
  kMaxPool,
  kAveragePool,  // over the part of the window inside the image, or over all of it (counts_padding)
  kConcat,
  kCopy,          // the same elements in another shape
  kResponseNorm,  // values: alpha, beta, bias; over `size` channels
  kSoftmax,       // along `axis`
  kQuantize,      // x / values[0] + values[1], rounded and clamped to -128 to 127
  kDequantize,    // (x - values[1]) * values[0]
};
constexpr uint32_t kNumKinds = static_cast<uint32_t>(Kind::kDequantize) + 1;

struct Window {
  uint32_t kernel[2] = {1, 1}, stride[2] = {1, 1}, dilation[2] = {1, 1};
  uint32_t begin[2] = {0, 0}, end[2] = {0, 0};  // padding
};

struct Operator {
  Kind kind = Kind::kCopy;
  std::vector<uint32_t> inputs;  // tensors
  uint32_t output = 0;
  Window window;
  uint32_t groups = 1;
  uint32_t counts_padding = 0;
  uint32_t axis = 0;
  uint32_t size = 0;
  std::vector<float> values;
  std::vector<int8_t> weights;  // [output channel][input channel of the group][y][x]
  std::vector<float> scales, bias;
};

struct Tensor {
  std::vector<uint32_t> shape;
  uint32_t is_int8 = 0;

  uint64_t bytes() const { return elements() * (is_int8 != 0 ? 1 : sizeof(float)); }

  uint64_t elements() const {
    uint64_t count = 1;
    for (const uint32_t dim : shape) count *= dim;
    return count;
  }
};

struct Program {
  std::vector<Tensor> tensors;
  std::vector<uint32_t> inputs, outputs;  // tensors
  std::vector<Operator> operators;        // each after its inputs
};

std::string write_program(const Program& program);

// Reads a program and checks all of it, so that the engine can run any result. Throws BadProgram.
Program read_program(const void* bytes, uint64_t size);

// Returns the number of positions of a window over `size` elements. Throws BadProgram if it does not fit.
uint32_t positions(const Window& window, int axis, uint32_t size);

}  // namespace reference
