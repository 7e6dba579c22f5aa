#include "kernels/common/winograd_weights.h"

#include <cstring>

#include "kernels/common/integers.h"
#include "nestrt/packing.h"

namespace nestrt::kernels {
namespace {

constexpr int kKernel = 3, kSide = 6;

// The transforms of floats, in double.
struct Floats {
  using Element = float;
  using Number = double;
  static constexpr double kRoot = 1.4142135623730950488;  // of 2
  static constexpr double kG[kSide][kKernel] = {{1, 0, 0},
                                                {-2.0 / 3, -kRoot / 3, -1.0 / 3},
                                                {-2.0 / 3, kRoot / 3, -1.0 / 3},
                                                {1.0 / 6, kRoot / 6, 1.0 / 3},
                                                {1.0 / 6, -kRoot / 6, 1.0 / 3},
                                                {0, 0, 1}};
  static constexpr double kL[kKernel][kSide] = {
      {1, 0, 0, 0, 0, 0}, {0, -1.5 / kRoot, 1.5 / kRoot, 0, 0, 0}, {0, 0, 0, 0, 0, 1}};
  static constexpr double kLUnit = 1;  // of L's elements

  static double load(const float* packed, int64_t at) { return static_cast<double>(packed[at]); }
  static void store(double value, float* packed, int64_t at) { packed[at] = static_cast<float>(value); }
};

// Of s8, in integers, without an error: 30 G, and L / 30.
struct Integers {
  using Element = int8_t;
  using Number = int;
  static constexpr int kG[kSide][kKernel] = {{15, 0, 0}, {-5, -5, -5}, {5, -5, 5}, {1, 2, 4}, {-4, 2, -1}, {0, 0, 15}};
  static constexpr int kL[kKernel][kSide] = {{2, 0, 0, 0, 0, 0}, {0, -3, -3, 0, 0, 0}, {0, 0, 0, 0, 0, 2}};
  static constexpr int kLUnit = 30;

  static int load(const int8_t* packed, int64_t at) {
    int16_t value;
    std::memcpy(&value, packed + at * int64_t{sizeof value}, sizeof value);
    return value;
  }
  static void store(int value, int8_t* packed, int64_t at) {
    const auto narrow = static_cast<int16_t>(value);
    std::memcpy(packed + at * int64_t{sizeof narrow}, &narrow, sizeof narrow);
  }
};

// Element (i, j) of matrix * from * matrix^T.
template <typename Number, int kTo, int kFrom>
Number transformed(const Number (&matrix)[kTo][kFrom], const Number (&from)[kFrom][kFrom], int i, int j) {
  Number sum = 0;
  for (int a = 0; a < kFrom; ++a)
    for (int b = 0; b < kFrom; ++b) sum += matrix[i][a] * matrix[j][b] * from[a][b];
  return sum;
}

// Of the first position of a kernel; those of the others follow channels * kPackedOutputs apart.
int64_t packed_index(int64_t channels, int64_t output, int64_t channel) {
  const int64_t block = output / kPackedOutputs;
  return (block * kWinogradPositions * channels + channel) * kPackedOutputs + output % kPackedOutputs;
}

template <typename Type, typename Element = typename Type::Element>
void pack(const Shape& shape, const Element* plain, Element* packed) {
  const int64_t outputs = shape[0], channels = shape[1];
  for (int64_t o = 0; o < round_up(outputs, kPackedOutputs); ++o)
    for (int64_t c = 0; c < channels; ++c) {
      typename Type::Number kernel[kKernel][kKernel] = {};
      for (int i = 0; i < kKernel * kKernel && o < outputs; ++i)
        kernel[i / kKernel][i % kKernel] = plain[(o * channels + c) * kKernel * kKernel + i];
      for (int i = 0; i < kSide * kSide; ++i)
        Type::store(transformed(Type::kG, kernel, i / kSide, i % kSide), packed,
                    packed_index(channels, o, c) + i * channels * kPackedOutputs);
    }
}

template <typename Type, typename Element = typename Type::Element>
void unpack(const Shape& shape, const Element* packed, Element* plain) {
  const int64_t outputs = shape[0], channels = shape[1];
  for (int64_t o = 0; o < outputs; ++o)
    for (int64_t c = 0; c < channels; ++c) {
      typename Type::Number kernel[kSide][kSide];
      for (int i = 0; i < kSide * kSide; ++i)
        kernel[i / kSide][i % kSide] = Type::load(packed, packed_index(channels, o, c) + i * channels * kPackedOutputs);
      for (int i = 0; i < kKernel * kKernel; ++i)
        *plain++ = static_cast<Element>(transformed(Type::kL, kernel, i / kKernel, i % kKernel) /
                                        (Type::kLUnit * Type::kLUnit));
    }
}

}  // namespace

void pack_winograd(const Shape& shape, const float* plain, float* packed) { pack<Floats>(shape, plain, packed); }
void pack_winograd(const Shape& shape, const int8_t* plain, int8_t* packed) { pack<Integers>(shape, plain, packed); }
void unpack_winograd(const Shape& shape, const float* packed, float* plain) { unpack<Floats>(shape, packed, plain); }
void unpack_winograd(const Shape& shape, const int8_t* packed, int8_t* plain) {
  unpack<Integers>(shape, packed, plain);
}

}  // namespace nestrt::kernels
