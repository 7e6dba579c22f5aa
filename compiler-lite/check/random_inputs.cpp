#include <cmath>
#include <numbers>
#include <random>

#include "compiler-lite/check/check.h"
#include "runtime/plan/picture_channels.h"

namespace nestrt::compiler {
namespace {

// The standard library's distributions differ between implementations; these do not.
class Numbers {
 public:
  explicit Numbers(uint64_t seed) : engine_(seed) {}
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }  // [0, 1)
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }
  int64_t pixel() { return static_cast<int64_t>(uniform() * 256); }
  bool bit() { return engine_() >> 63; }

 private:
  std::mt19937_64 engine_;
};

void fill(tools::Array& array, const Preprocessing* preprocessing, Numbers& numbers) {
  const int64_t count = array.shape.num_elements();
  if (array.type == DataType::kF32) {
    auto* values = reinterpret_cast<float*>(array.bytes.data());
    const size_t channels = preprocessing == nullptr ? 0 : preprocessing->mean.size();
    const int64_t plane = channels == 0 ? 1 : array.shape.product(picture_channels_axis(array.shape) + 1, 4);
    for (int64_t i = 0; i < count; ++i) {
      const size_t channel = channels == 0 ? 0 : static_cast<size_t>(i / plane) % channels;
      values[i] = channels == 0 ? static_cast<float>(numbers.normal())
                                : (static_cast<float>(numbers.pixel()) - preprocessing->mean[channel]) *
                                      preprocessing->scale[channel];
    }
    return;
  }
  const size_t size = size_bytes(array.type);  // little-endian: the first byte holds the 1
  for (int64_t i = 0; i < count; ++i) array.bytes[static_cast<size_t>(i) * size] = std::byte{numbers.bit()};
}

}  // namespace

std::vector<tools::Array> random_inputs(const Plan& plan, uint64_t seed) {
  Numbers numbers(seed);
  std::vector<tools::Array> inputs;
  for (size_t i = 0; i < plan.inputs().size(); ++i) {
    const TensorInfo& info = plan.inputs()[i];
    inputs.push_back({info.type, info.shape, std::vector<std::byte>(info.size_bytes())});
    fill(inputs.back(), plan.preprocessing(i), numbers);
  }
  return inputs;
}

std::vector<tools::Array> random_inputs(std::span<const TensorInfo> tensors, const Preprocessing* preprocessing,
                                        uint64_t seed) {
  Numbers numbers(seed);
  std::vector<tools::Array> inputs;
  for (const TensorInfo& info : tensors) {
    inputs.push_back({info.type, info.shape, std::vector<std::byte>(info.size_bytes())});
    fill(inputs.back(), preprocessing, numbers);
  }
  return inputs;
}

}  // namespace nestrt::compiler
