// SPDX-License-Identifier: Apache-2.0
// Enumerations used by the attributes of operators (nestrt/driver/operators.h). Their values match
// runtime/plan/format/plan.fbs.
#pragma once

#include <cstdint>

#include "nestrt/visibility.h"

namespace nestrt {
namespace NESTRT_PUBLIC ops {

// How an s8 operator rounds off the low bits of its result: floor(v / 2^shift + 1/2), floor(v / 2^shift), or to nearest
// with ties to even, as ONNX does. Operators with scales (s8c) ignore these three and round as ONNX Runtime does. The
// others select the arithmetic of TensorFlow Lite; only operators with scales support them. docs/concepts/numerics.md
// defines the arithmetic of every operator.
enum class Rounding : uint8_t {
  kHalfUp = 0,
  kFloor = 1,
  kHalfEven = 2,
  kHalfAway = 3,      // half away from zero
  kHalfUpScaled = 4,  // half up
};

// Returns whether operators with exponents support the rounding.
constexpr bool has_exponent_form(Rounding rounding) { return rounding <= Rounding::kHalfEven; }

// Activations that can be fused into other operators.
enum class ActivationKind : uint8_t {
  kNone = 0,
  kRelu = 1,
  kClip = 2,         // min(max(x, alpha), beta)
  kLeakyRelu = 3,    // x < 0 ? alpha * x : x
  kHardSigmoid = 4,  // clip(alpha * x + beta, 0, 1)
  kHardSwish = 5,    // x * clip(x / 6 + 0.5, 0, 1)
  kSigmoid = 6,
  kTanh = 7,
  kSilu = 8,  // x * sigmoid(x)
};

// The function that a pool computes over its window.
enum class PoolKind : uint8_t { kMax = 0, kAverage = 1, kLp = 2 };

// The function that Unary applies to each element.
enum class UnaryKind : uint8_t {
  kRelu = 0,
  kClip = 1,
  kLeakyRelu = 2,
  kHardSigmoid = 3,
  kHardSwish = 4,
  kSigmoid = 5,
  kTanh = 6,
  kSilu = 7,
  kElu = 8,
  kSelu = 9,
  kCelu = 10,
  kSoftplus = 11,
  kSoftsign = 12,
  kThresholdedRelu = 13,
  kShrink = 14,
  kGelu = 15,
  kMish = 16,
  kAbs = 20,
  kNeg = 21,
  kExp = 22,
  kLog = 23,
  kSqrt = 24,
  kReciprocal = 25,
  kErf = 26,
  kSign = 27,
  kFloor = 28,
  kCeil = 29,
  kRound = 30,
  kSin = 31,
  kCos = 32,
  kTan = 33,
  kAsin = 34,
  kAcos = 35,
  kAtan = 36,
  kSinh = 37,
  kCosh = 38,
  kAsinh = 39,
  kAcosh = 40,
  kAtanh = 41,
  kLogicalNot = 50,
  kIsNan = 51,
  kIsInf = 52,
  kBitwiseNot = 53,
};

// The function that Binary applies to two elements.
enum class BinaryKind : uint8_t {
  kAdd = 0,
  kSub = 1,
  kMul = 2,
  kDiv = 3,
  kPow = 4,
  kMin = 5,
  kMax = 6,
  kPrelu = 7,
  kMod = 8,
  kFmod = 9,
  kEqual = 20,
  kLess = 21,
  kLessOrEqual = 22,
  kGreater = 23,
  kGreaterOrEqual = 24,
  kLogicalAnd = 30,
  kLogicalOr = 31,
  kLogicalXor = 32,
  kBitwiseAnd = 40,
  kBitwiseOr = 41,
  kBitwiseXor = 42,
  kShiftLeft = 43,
  kShiftRight = 44,
};

// Values of the padding elements.
enum class PadMode : uint8_t { kConstant = 0, kReflect = 1, kEdge = 2 };
// Interpolation mode of Resize.
enum class ResizeMode : uint8_t { kNearest = 0, kLinear = 1, kCubic = 2 };
// How Resize maps output coordinates to input coordinates.
enum class CoordinateMode : uint8_t {
  kHalfPixel = 0,
  kAsymmetric = 1,
  kAlignCorners = 2,
  kPytorchHalfPixel = 3,
  kTfHalfPixelForNn = 4,
  kTfCropAndResize = 5,
};
// How Resize rounds coordinates to the nearest element.
enum class NearestMode : uint8_t { kRoundPreferFloor = 0, kRoundPreferCeil = 1, kFloor = 2, kCeil = 3 };
// The function that Reduce computes.
enum class ReduceKind : uint8_t {
  kMean = 0,
  kSum = 1,
  kMax = 2,
  kMin = 3,
  kL1 = 4,
  kL2 = 5,
  kProd = 6,
  kSumSquare = 7,
  kLogSum = 8,
  kLogSumExp = 9,
};
// How Scatter combines an update with the existing element.
enum class ScatterKind : uint8_t { kReplace = 0, kAdd = 1, kMul = 2, kMin = 3, kMax = 4 };
// What GridSample reads outside the image.
enum class PaddingKind : uint8_t { kZeros = 0, kBorder = 1, kReflection = 2 };
// The cell of a recurrent layer.
enum class RecurrentKind : uint8_t { kPlain = 0, kGru = 1, kLstm = 2 };

}  // namespace ops
}  // namespace nestrt
