// SPDX-License-Identifier: Apache-2.0
// ONNX names of operators and of attribute values, as import reads and export writes them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "nestrt/driver/operator_kinds.h"

namespace nestrt::compiler {

// The oldest supported opset. Models with an older opset are accepted if their operators have not changed since.
inline constexpr int64_t kOldestOpset = 6;

// A float attribute with its default. `name` is empty if the operator has no such attribute.
struct OnnxParameter {
  std::string_view name;
  float fallback = 0;
};

template <typename Kind>
struct OnnxName {
  std::string_view name;  // type of an operator, or value of an attribute
  Kind kind;
  int64_t first_opset = kOldestOpset;
  OnnxParameter alpha = {}, beta = {};  // attributes that become alpha and beta of the graph's operator
};

// Returns the entry named `name`, or null.
template <typename Kind, size_t N>
constexpr const OnnxName<Kind>* find_name(const OnnxName<Kind> (&table)[N], std::string_view name) {
  const auto* found = std::ranges::find(table, name, &OnnxName<Kind>::name);
  return found == std::end(table) ? nullptr : found;
}

// Returns the first entry for `kind`, or null.
template <typename Kind, size_t N>
constexpr const OnnxName<Kind>* find_kind(const OnnxName<Kind> (&table)[N], Kind kind) {
  const auto* found = std::ranges::find(table, kind, &OnnxName<Kind>::kind);
  return found == std::end(table) ? nullptr : found;
}

// Returns the first name of `kind`, or "".
template <typename Kind, size_t N>
constexpr std::string_view onnx_name(const OnnxName<Kind> (&table)[N], Kind kind) {
  const OnnxName<Kind>* const found = find_kind(table, kind);
  return found == nullptr ? std::string_view() : found->name;
}

// Operators with one input and no attributes other than alpha and beta.
inline constexpr OnnxName<ops::UnaryKind> kUnaryNames[] = {
    {"Abs", ops::UnaryKind::kAbs},
    {"Acos", ops::UnaryKind::kAcos, 7},
    {"Acosh", ops::UnaryKind::kAcosh, 9},
    {"Asin", ops::UnaryKind::kAsin, 7},
    {"Asinh", ops::UnaryKind::kAsinh, 9},
    {"Atan", ops::UnaryKind::kAtan, 7},
    {"Atanh", ops::UnaryKind::kAtanh, 9},
    {"BitwiseNot", ops::UnaryKind::kBitwiseNot, 18},
    {"Ceil", ops::UnaryKind::kCeil},
    {"Celu", ops::UnaryKind::kCelu, 12, {"alpha", 1.0f}},
    {"Cos", ops::UnaryKind::kCos, 7},
    {"Cosh", ops::UnaryKind::kCosh, 9},
    {"Elu", ops::UnaryKind::kElu, kOldestOpset, {"alpha", 1.0f}},
    {"Erf", ops::UnaryKind::kErf, 9},
    {"Exp", ops::UnaryKind::kExp},
    {"Floor", ops::UnaryKind::kFloor},
    {"HardSigmoid", ops::UnaryKind::kHardSigmoid, kOldestOpset, {"alpha", 0.2f}, {"beta", 0.5f}},
    {"HardSwish", ops::UnaryKind::kHardSwish, 14},
    {"IsNaN", ops::UnaryKind::kIsNan, 9},
    {"LeakyRelu", ops::UnaryKind::kLeakyRelu, kOldestOpset, {"alpha", 0.01f}},
    {"Log", ops::UnaryKind::kLog},
    {"Mish", ops::UnaryKind::kMish, 18},
    {"Neg", ops::UnaryKind::kNeg},
    {"Not", ops::UnaryKind::kLogicalNot, 1},
    {"Reciprocal", ops::UnaryKind::kReciprocal},
    {"Relu", ops::UnaryKind::kRelu},
    {"Round", ops::UnaryKind::kRound, 11},
    {"Selu",
     ops::UnaryKind::kSelu,
     kOldestOpset,
     {"alpha", 1.67326319217681884765625f},
     {"gamma", 1.05070102214813232421875f}},
    {"Shrink", ops::UnaryKind::kShrink, 9, {"lambd", 0.5f}, {"bias", 0.0f}},
    {"Sigmoid", ops::UnaryKind::kSigmoid},
    {"Sign", ops::UnaryKind::kSign, 9},
    {"Sin", ops::UnaryKind::kSin, 7},
    {"Sinh", ops::UnaryKind::kSinh, 9},
    {"Softplus", ops::UnaryKind::kSoftplus, 1},
    {"Softsign", ops::UnaryKind::kSoftsign, 1},
    {"Sqrt", ops::UnaryKind::kSqrt},
    {"Tan", ops::UnaryKind::kTan, 7},
    {"Tanh", ops::UnaryKind::kTanh},
    {"ThresholdedRelu", ops::UnaryKind::kThresholdedRelu, 10, {"alpha", 1.0f}},
};

// Operators with two inputs and no attributes.
inline constexpr OnnxName<ops::BinaryKind> kBinaryNames[] = {
    {"Add", ops::BinaryKind::kAdd},
    {"And", ops::BinaryKind::kLogicalAnd},
    {"BitwiseAnd", ops::BinaryKind::kBitwiseAnd, 18},
    {"BitwiseOr", ops::BinaryKind::kBitwiseOr, 18},
    {"BitwiseXor", ops::BinaryKind::kBitwiseXor, 18},
    {"Div", ops::BinaryKind::kDiv},
    {"Equal", ops::BinaryKind::kEqual},
    {"Greater", ops::BinaryKind::kGreater},
    {"GreaterOrEqual", ops::BinaryKind::kGreaterOrEqual, 12},
    {"Less", ops::BinaryKind::kLess},
    {"LessOrEqual", ops::BinaryKind::kLessOrEqual, 12},
    {"Mul", ops::BinaryKind::kMul},
    {"Or", ops::BinaryKind::kLogicalOr},
    {"Sub", ops::BinaryKind::kSub},
    {"Xor", ops::BinaryKind::kLogicalXor},
};

// Operators that combine any number of inputs, from left to right.
inline constexpr OnnxName<ops::BinaryKind> kVariadicNames[] = {
    {"Max", ops::BinaryKind::kMax},
    {"Min", ops::BinaryKind::kMin},
    {"Sum", ops::BinaryKind::kAdd},
};

// Binary operators with separate import functions.
inline constexpr OnnxName<ops::BinaryKind> kOtherBinaryNames[] = {
    {"Mod", ops::BinaryKind::kFmod},
    {"Mod", ops::BinaryKind::kMod},
    {"PRelu", ops::BinaryKind::kPrelu},
    {"Pow", ops::BinaryKind::kPow},
};

inline constexpr OnnxName<ops::ReduceKind> kReduceNames[] = {
    {"ReduceL1", ops::ReduceKind::kL1},         {"ReduceL2", ops::ReduceKind::kL2},
    {"ReduceLogSum", ops::ReduceKind::kLogSum}, {"ReduceLogSumExp", ops::ReduceKind::kLogSumExp},
    {"ReduceMax", ops::ReduceKind::kMax},       {"ReduceMean", ops::ReduceKind::kMean},
    {"ReduceMin", ops::ReduceKind::kMin},       {"ReduceProd", ops::ReduceKind::kProd},
    {"ReduceSum", ops::ReduceKind::kSum},       {"ReduceSumSquare", ops::ReduceKind::kSumSquare},
};

inline constexpr OnnxName<ops::PoolKind> kPoolNames[] = {
    {"AveragePool", ops::PoolKind::kAverage},
    {"LpPool", ops::PoolKind::kLp},
    {"MaxPool", ops::PoolKind::kMax},
};
inline constexpr OnnxName<ops::PoolKind> kGlobalPoolNames[] = {
    {"GlobalAveragePool", ops::PoolKind::kAverage, 1},
    {"GlobalLpPool", ops::PoolKind::kLp},
    {"GlobalMaxPool", ops::PoolKind::kMax, 1},
};

// Values of the attribute "activations" of RNN, GRU and LSTM. ONNX compares them without case.
inline constexpr OnnxName<ops::ActivationKind> kGateNames[] = {
    {"HardSigmoid", ops::ActivationKind::kHardSigmoid, kOldestOpset, {"alpha", 0.2f}, {"beta", 0.5f}},
    {"LeakyRelu", ops::ActivationKind::kLeakyRelu, kOldestOpset, {"alpha", 0.01f}},
    {"Relu", ops::ActivationKind::kRelu},
    {"Sigmoid", ops::ActivationKind::kSigmoid},
    {"Tanh", ops::ActivationKind::kTanh},
};

// Attribute values of Pad, Resize, GridSample and ScatterND.
inline constexpr OnnxName<ops::PadMode> kPadModes[] = {
    {"constant", ops::PadMode::kConstant}, {"reflect", ops::PadMode::kReflect}, {"edge", ops::PadMode::kEdge}};
inline constexpr OnnxName<ops::ResizeMode> kResizeModes[] = {{"nearest", ops::ResizeMode::kNearest},
                                                             {"linear", ops::ResizeMode::kLinear},
                                                             {"cubic", ops::ResizeMode::kCubic},
                                                             {"bilinear", ops::ResizeMode::kLinear}};
inline constexpr OnnxName<ops::ResizeMode> kGridSampleModes[] = {{"nearest", ops::ResizeMode::kNearest},
                                                                 {"bilinear", ops::ResizeMode::kLinear},
                                                                 {"bicubic", ops::ResizeMode::kCubic},
                                                                 {"linear", ops::ResizeMode::kLinear},
                                                                 {"cubic", ops::ResizeMode::kCubic}};
inline constexpr OnnxName<ops::PaddingKind> kGridSamplePaddings[] = {{"zeros", ops::PaddingKind::kZeros},
                                                                     {"border", ops::PaddingKind::kBorder},
                                                                     {"reflection", ops::PaddingKind::kReflection}};
inline constexpr OnnxName<ops::CoordinateMode> kCoordinateModes[] = {
    {"half_pixel", ops::CoordinateMode::kHalfPixel},
    {"asymmetric", ops::CoordinateMode::kAsymmetric},
    {"align_corners", ops::CoordinateMode::kAlignCorners},
    {"pytorch_half_pixel", ops::CoordinateMode::kPytorchHalfPixel},
    {"tf_half_pixel_for_nn", ops::CoordinateMode::kTfHalfPixelForNn},
    {"tf_crop_and_resize", ops::CoordinateMode::kTfCropAndResize}};
inline constexpr OnnxName<ops::NearestMode> kNearestModes[] = {
    {"round_prefer_floor", ops::NearestMode::kRoundPreferFloor},
    {"round_prefer_ceil", ops::NearestMode::kRoundPreferCeil},
    {"floor", ops::NearestMode::kFloor},
    {"ceil", ops::NearestMode::kCeil}};
inline constexpr OnnxName<ops::ScatterKind> kScatterReductions[] = {{"none", ops::ScatterKind::kReplace},
                                                                    {"add", ops::ScatterKind::kAdd},
                                                                    {"mul", ops::ScatterKind::kMul},
                                                                    {"min", ops::ScatterKind::kMin},
                                                                    {"max", ops::ScatterKind::kMax}};

}  // namespace nestrt::compiler
