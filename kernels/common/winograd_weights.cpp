#include "kernels/common/winograd_weights.h"

#include <cstdint>

#include "kernels/common/integers.h"
#include "nestrt/packing.h"

namespace nestrt::kernels {
namespace {

constexpr int kKernel = 3, kSide = 6;
constexpr double kRoot = 1.4142135623730950488;  // of 2

constexpr double kG[kSide][kKernel] = {{1, 0, 0},
                                       {-2.0 / 3, -kRoot / 3, -1.0 / 3},
                                       {-2.0 / 3, kRoot / 3, -1.0 / 3},
                                       {1.0 / 6, kRoot / 6, 1.0 / 3},
                                       {1.0 / 6, -kRoot / 6, 1.0 / 3},
                                       {0, 0, 1}};
constexpr double kL[kKernel][kSide] = {{1, 0, 0, 0, 0, 0}, {0, -1.5 / kRoot, 1.5 / kRoot, 0, 0, 0}, {0, 0, 0, 0, 0, 1}};

// to = matrix * from * matrix^T, of which the elements of either lie apart.
template <int kTo, int kFrom>
void transform(const double (&matrix)[kTo][kFrom], const float* from, int64_t from_step, float* to, int64_t to_step) {
  for (int i = 0; i < kTo; ++i)
    for (int j = 0; j < kTo; ++j) {
      double sum = 0;
      for (int a = 0; a < kFrom; ++a)
        for (int b = 0; b < kFrom; ++b)
          sum += matrix[i][a] * matrix[j][b] * static_cast<double>(from[(a * kFrom + b) * from_step]);
      to[(i * kTo + j) * to_step] = static_cast<float>(sum);
    }
}

int64_t packed_index(int64_t channels, int64_t output, int64_t channel) {
  const int64_t block = output / kPackedOutputs;
  return (block * kWinogradPositions * channels + channel) * kPackedOutputs + output % kPackedOutputs;
}

}  // namespace

void pack_winograd(const Shape& shape, const float* plain, float* packed) {
  static constexpr float kNone[kKernel * kKernel] = {};
  const int64_t outputs = shape[0], channels = shape[1];
  for (int64_t o = 0; o < round_up(outputs, kPackedOutputs); ++o)
    for (int64_t c = 0; c < channels; ++c) {
      const float* kernel = o < outputs ? plain + (o * channels + c) * kKernel * kKernel : kNone;
      transform(kG, kernel, 1, packed + packed_index(channels, o, c), channels * kPackedOutputs);
    }
}

void unpack_winograd(const Shape& shape, const float* packed, float* plain) {
  const int64_t outputs = shape[0], channels = shape[1];
  for (int64_t o = 0; o < outputs; ++o)
    for (int64_t c = 0; c < channels; ++c, plain += kKernel * kKernel)
      transform(kL, packed + packed_index(channels, o, c), channels * kPackedOutputs, plain, 1);
}

}  // namespace nestrt::kernels
