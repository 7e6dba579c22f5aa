// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/packing/winograd_weights.h"

#include <cstring>

#include "kernels/common/math/integers.h"

namespace nestrt::kernels {
namespace {

constexpr int kKernel = 3, kMaxKernel = 4, kMaxSide = 6;
constexpr double kRoot = 1.4142135623730950488;  // sqrt(2)

// A transform and its inverse, in double, which represents the integers of s8 weights exactly.
struct Transform {
  int side;  // positions along an axis
  double to[kMaxSide][kMaxKernel];
  double back[kKernel][kMaxSide];  // times back_unit
  double back_unit;
  int kernel = kKernel;  // taps along an axis
};

constexpr Transform kFour{6,
                          {{1, 0, 0},
                           {-2.0 / 3, -kRoot / 3, -1.0 / 3},
                           {-2.0 / 3, kRoot / 3, -1.0 / 3},
                           {1.0 / 6, kRoot / 6, 1.0 / 3},
                           {1.0 / 6, -kRoot / 6, 1.0 / 3},
                           {0, 0, 1}},
                          {{1, 0, 0, 0, 0, 0}, {0, -1.5 / kRoot, 1.5 / kRoot, 0, 0, 0}, {0, 0, 0, 0, 0, 1}},
                          1};
// Like kFour, with a fourth column for the cubes of the points. No packing uses it, so it has no inverse.
constexpr Transform kTaps{6,
                          {{1, 0, 0, 0},
                           {-2.0 / 3, -kRoot / 3, -1.0 / 3, -kRoot / 6},
                           {-2.0 / 3, kRoot / 3, -1.0 / 3, kRoot / 6},
                           {1.0 / 6, kRoot / 6, 1.0 / 3, kRoot / 3},
                           {1.0 / 6, -kRoot / 6, 1.0 / 3, -kRoot / 3},
                           {0, 0, 0, 1}},
                          {},
                          1,
                          4};
constexpr Transform kTwo{
    4, {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}}, {{1, 0, 0, 0}, {0, 1, -1, 0}, {0, 0, 0, 1}}, 1};
// The last position represents two positions (kernels/conv/winograd/winograd.h).
constexpr Transform kStrided{
    4, {{1, 0, 0}, {1, 0, 1}, {0, 0, 1}, {0, 1, 0}}, {{1, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 1, 0}}, 1};
constexpr Transform kIntegers{6,
                              {{15, 0, 0}, {-5, -5, -5}, {5, -5, 5}, {1, 2, 4}, {-4, 2, -1}, {0, 0, 15}},
                              {{2, 0, 0, 0, 0, 0}, {0, -3, -3, 0, 0, 0}, {0, 0, 0, 0, 0, 2}},
                              30};

const Transform& transform_of(Packing packing) {
  if (packing == Packing::kWinograd16Two) return kTwo;
  if (packing == Packing::kWinograd16Strided) return kStrided;
  return packing == Packing::kS8Winograd16 ? kIntegers : kFour;
}

// Returns element (i, j) of matrix * from * matrix^T, where `from` has kFrom columns.
template <int kFrom>
double transformed(const double (*matrix)[kFrom], const double (&from)[kMaxSide][kMaxSide], int size, int i, int j) {
  double sum = 0;
  for (int a = 0; a < size; ++a)
    for (int b = 0; b < size; ++b) sum += matrix[i][a] * matrix[j][b] * from[a][b];
  return sum;
}

// `Packed`: the type of a transformed weight, whose size is a multiple of the element size of `packed`.
template <typename Packed, typename Element>
void store(double value, Element* packed, int64_t at) {
  const auto narrow = static_cast<Packed>(value);
  std::memcpy(packed + at * static_cast<int64_t>(sizeof(Packed) / sizeof(Element)), &narrow, sizeof narrow);
}
template <typename Packed, typename Element>
double load(const Element* packed, int64_t at) {
  Packed value;
  std::memcpy(&value, packed + at * static_cast<int64_t>(sizeof(Packed) / sizeof(Element)), sizeof value);
  return static_cast<double>(value);
}

// Returns the index of a kernel's first position; the other positions follow at a distance of channels *
// kPackedOutputs.
int64_t packed_index(const Transform& transform, int64_t channels, int64_t output, int64_t channel) {
  const int64_t block = output / kPackedOutputs, positions = int64_t{transform.side} * transform.side;
  return (block * positions * channels + channel) * kPackedOutputs + output % kPackedOutputs;
}

template <typename Packed, typename Element>
void pack(const Transform& transform, const Shape& shape, const Element* plain, Element* packed) {
  const int64_t outputs = shape[0], channels = shape[1];
  const int side = transform.side, taps = transform.kernel * transform.kernel;
  for (int64_t o = 0; o < round_up(outputs, kPackedOutputs); ++o)
    for (int64_t c = 0; c < channels; ++c) {
      double kernel[kMaxSide][kMaxSide] = {};
      for (int i = 0; i < taps && o < outputs; ++i)
        kernel[i / transform.kernel][i % transform.kernel] = static_cast<double>(plain[(o * channels + c) * taps + i]);
      for (int i = 0; i < side * side; ++i)
        store<Packed>(transformed(transform.to, kernel, transform.kernel, i / side, i % side), packed,
                      packed_index(transform, channels, o, c) + i * channels * kPackedOutputs);
    }
}

template <typename Packed, typename Element>
void unpack(const Transform& transform, const Shape& shape, const Element* packed, Element* plain) {
  const int64_t outputs = shape[0], channels = shape[1];
  const int side = transform.side;
  for (int64_t o = 0; o < outputs; ++o)
    for (int64_t c = 0; c < channels; ++c) {
      double kernel[kMaxSide][kMaxSide];
      for (int i = 0; i < side * side; ++i)
        kernel[i / side][i % side] =
            load<Packed>(packed, packed_index(transform, channels, o, c) + i * channels * kPackedOutputs);
      for (int i = 0; i < kKernel * kKernel; ++i)
        *plain++ = static_cast<Element>(transformed(transform.back, kernel, side, i / kKernel, i % kKernel) /
                                        (transform.back_unit * transform.back_unit));
    }
}

}  // namespace

void pack_winograd(Packing packing, const Shape& shape, const float* plain, float* packed) {
  pack<float>(transform_of(packing), shape, plain, packed);
}
void pack_winograd_taps(const Shape& shape, const float* plain, float* packed) {
  pack<float>(kTaps, shape, plain, packed);
}
void pack_winograd(Packing packing, const Shape& shape, const int8_t* plain, int8_t* packed) {
  pack<int16_t>(transform_of(packing), shape, plain, packed);
}
void unpack_winograd(Packing packing, const Shape& shape, const float* packed, float* plain) {
  unpack<float>(transform_of(packing), shape, packed, plain);
}
void unpack_winograd(Packing packing, const Shape& shape, const int8_t* packed, int8_t* plain) {
  unpack<int16_t>(transform_of(packing), shape, packed, plain);
}

}  // namespace nestrt::kernels
