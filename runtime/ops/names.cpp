// SPDX-License-Identifier: Apache-2.0
#include "nestrt/driver/operators.h"

#include <algorithm>
#include <iterator>

namespace nestrt::ops {
namespace {

template <typename Enum>
struct Named {
  Enum value;
  std::string_view name;
};

template <typename Enum, size_t N>
std::string_view find(const Named<Enum> (&names)[N], Enum value) {
  const auto found =
      std::find_if(std::begin(names), std::end(names), [&](const auto& entry) { return entry.value == value; });
  return found == std::end(names) ? std::string_view() : found->name;
}

}  // namespace

std::string_view name(Kind kind) {
  static constexpr std::string_view kNames[] = {"none",
#define NESTRT_NAME(Op) #Op,
                                                NESTRT_FOR_EACH_OPERATOR(NESTRT_NAME)
#undef NESTRT_NAME
  };
  const auto index = static_cast<size_t>(kind);
  return index < std::size(kNames) ? kNames[index] : std::string_view();
}

std::string_view name(Rounding value) {
  static constexpr Named<Rounding> kNames[] = {
      {Rounding::kHalfUp, "half_up"},
      {Rounding::kFloor, "floor"},
      {Rounding::kHalfEven, "half_even"},
      {Rounding::kHalfAway, "half_away"},
      {Rounding::kHalfUpScaled, "half_up_scaled"},
  };
  return find(kNames, value);
}

std::string_view name(ActivationKind value) {
  static constexpr Named<ActivationKind> kNames[] = {
      {ActivationKind::kNone, "none"},
      {ActivationKind::kRelu, "relu"},
      {ActivationKind::kClip, "clip"},
      {ActivationKind::kLeakyRelu, "leaky_relu"},
      {ActivationKind::kHardSigmoid, "hard_sigmoid"},
      {ActivationKind::kHardSwish, "hard_swish"},
      {ActivationKind::kSigmoid, "sigmoid"},
      {ActivationKind::kTanh, "tanh"},
      {ActivationKind::kSilu, "silu"},
  };
  return find(kNames, value);
}

std::string_view name(PoolKind value) {
  static constexpr Named<PoolKind> kNames[] = {
      {PoolKind::kMax, "max"},
      {PoolKind::kAverage, "average"},
      {PoolKind::kLp, "lp"},
  };
  return find(kNames, value);
}

std::string_view name(UnaryKind value) {
  static constexpr Named<UnaryKind> kNames[] = {
      {UnaryKind::kRelu, "relu"},
      {UnaryKind::kClip, "clip"},
      {UnaryKind::kLeakyRelu, "leaky_relu"},
      {UnaryKind::kHardSigmoid, "hard_sigmoid"},
      {UnaryKind::kHardSwish, "hard_swish"},
      {UnaryKind::kSigmoid, "sigmoid"},
      {UnaryKind::kTanh, "tanh"},
      {UnaryKind::kSilu, "silu"},
      {UnaryKind::kElu, "elu"},
      {UnaryKind::kSelu, "selu"},
      {UnaryKind::kCelu, "celu"},
      {UnaryKind::kSoftplus, "softplus"},
      {UnaryKind::kSoftsign, "softsign"},
      {UnaryKind::kThresholdedRelu, "thresholded_relu"},
      {UnaryKind::kShrink, "shrink"},
      {UnaryKind::kGelu, "gelu"},
      {UnaryKind::kMish, "mish"},
      {UnaryKind::kAbs, "abs"},
      {UnaryKind::kNeg, "neg"},
      {UnaryKind::kExp, "exp"},
      {UnaryKind::kLog, "log"},
      {UnaryKind::kSqrt, "sqrt"},
      {UnaryKind::kReciprocal, "reciprocal"},
      {UnaryKind::kErf, "erf"},
      {UnaryKind::kSign, "sign"},
      {UnaryKind::kFloor, "floor"},
      {UnaryKind::kCeil, "ceil"},
      {UnaryKind::kRound, "round"},
      {UnaryKind::kSin, "sin"},
      {UnaryKind::kCos, "cos"},
      {UnaryKind::kTan, "tan"},
      {UnaryKind::kAsin, "asin"},
      {UnaryKind::kAcos, "acos"},
      {UnaryKind::kAtan, "atan"},
      {UnaryKind::kSinh, "sinh"},
      {UnaryKind::kCosh, "cosh"},
      {UnaryKind::kAsinh, "asinh"},
      {UnaryKind::kAcosh, "acosh"},
      {UnaryKind::kAtanh, "atanh"},
      {UnaryKind::kLogicalNot, "logical_not"},
      {UnaryKind::kIsNan, "is_nan"},
      {UnaryKind::kIsInf, "is_inf"},
      {UnaryKind::kBitwiseNot, "bitwise_not"},
  };
  return find(kNames, value);
}

std::string_view name(BinaryKind value) {
  static constexpr Named<BinaryKind> kNames[] = {
      {BinaryKind::kAdd, "add"},
      {BinaryKind::kSub, "sub"},
      {BinaryKind::kMul, "mul"},
      {BinaryKind::kDiv, "div"},
      {BinaryKind::kPow, "pow"},
      {BinaryKind::kMin, "min"},
      {BinaryKind::kMax, "max"},
      {BinaryKind::kPrelu, "prelu"},
      {BinaryKind::kMod, "mod"},
      {BinaryKind::kFmod, "fmod"},
      {BinaryKind::kEqual, "equal"},
      {BinaryKind::kLess, "less"},
      {BinaryKind::kLessOrEqual, "less_or_equal"},
      {BinaryKind::kGreater, "greater"},
      {BinaryKind::kGreaterOrEqual, "greater_or_equal"},
      {BinaryKind::kLogicalAnd, "logical_and"},
      {BinaryKind::kLogicalOr, "logical_or"},
      {BinaryKind::kLogicalXor, "logical_xor"},
      {BinaryKind::kBitwiseAnd, "bitwise_and"},
      {BinaryKind::kBitwiseOr, "bitwise_or"},
      {BinaryKind::kBitwiseXor, "bitwise_xor"},
      {BinaryKind::kShiftLeft, "shift_left"},
      {BinaryKind::kShiftRight, "shift_right"},
  };
  return find(kNames, value);
}

std::string_view name(PadMode value) {
  static constexpr Named<PadMode> kNames[] = {
      {PadMode::kConstant, "constant"},
      {PadMode::kReflect, "reflect"},
      {PadMode::kEdge, "edge"},
  };
  return find(kNames, value);
}

std::string_view name(ResizeMode value) {
  static constexpr Named<ResizeMode> kNames[] = {
      {ResizeMode::kNearest, "nearest"},
      {ResizeMode::kLinear, "linear"},
      {ResizeMode::kCubic, "cubic"},
  };
  return find(kNames, value);
}

std::string_view name(CoordinateMode value) {
  static constexpr Named<CoordinateMode> kNames[] = {
      {CoordinateMode::kHalfPixel, "half_pixel"},
      {CoordinateMode::kAsymmetric, "asymmetric"},
      {CoordinateMode::kAlignCorners, "align_corners"},
      {CoordinateMode::kPytorchHalfPixel, "pytorch_half_pixel"},
      {CoordinateMode::kTfHalfPixelForNn, "tf_half_pixel_for_nn"},
      {CoordinateMode::kTfCropAndResize, "tf_crop_and_resize"},
  };
  return find(kNames, value);
}

std::string_view name(NearestMode value) {
  static constexpr Named<NearestMode> kNames[] = {
      {NearestMode::kRoundPreferFloor, "round_prefer_floor"},
      {NearestMode::kRoundPreferCeil, "round_prefer_ceil"},
      {NearestMode::kFloor, "floor"},
      {NearestMode::kCeil, "ceil"},
  };
  return find(kNames, value);
}

std::string_view name(ReduceKind value) {
  static constexpr Named<ReduceKind> kNames[] = {
      {ReduceKind::kMean, "mean"},      {ReduceKind::kSum, "sum"},
      {ReduceKind::kMax, "max"},        {ReduceKind::kMin, "min"},
      {ReduceKind::kL1, "l1"},          {ReduceKind::kL2, "l2"},
      {ReduceKind::kProd, "prod"},      {ReduceKind::kSumSquare, "sum_square"},
      {ReduceKind::kLogSum, "log_sum"}, {ReduceKind::kLogSumExp, "log_sum_exp"},
  };
  return find(kNames, value);
}

std::string_view name(ScatterKind value) {
  static constexpr Named<ScatterKind> kNames[] = {
      {ScatterKind::kReplace, "replace"}, {ScatterKind::kAdd, "add"}, {ScatterKind::kMul, "mul"},
      {ScatterKind::kMin, "min"},         {ScatterKind::kMax, "max"},
  };
  return find(kNames, value);
}

std::string_view name(PaddingKind value) {
  static constexpr Named<PaddingKind> kNames[] = {
      {PaddingKind::kZeros, "zeros"},
      {PaddingKind::kBorder, "border"},
      {PaddingKind::kReflection, "reflection"},
  };
  return find(kNames, value);
}

std::string_view name(RecurrentKind value) {
  static constexpr Named<RecurrentKind> kNames[] = {
      {RecurrentKind::kPlain, "plain"},
      {RecurrentKind::kGru, "gru"},
      {RecurrentKind::kLstm, "lstm"},
  };
  return find(kNames, value);
}

}  // namespace nestrt::ops
