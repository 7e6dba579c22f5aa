// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <numbers>
#include <random>

#include "compiler-lite/check/check.h"
#include "nestrt/driver/plan_tables.h"
#include "runtime/plan/format/image_channels.h"

namespace nestrt::compiler {
namespace {

// Replaces the distributions of the standard library, whose results depend on the implementation.
class Numbers {
 public:
  explicit Numbers(uint64_t seed) : engine_(seed) {}
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }  // [0, 1)
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }
  int64_t between(int64_t first, int64_t last) {
    return first + static_cast<int64_t>(uniform() * static_cast<double>(last - first + 1));
  }
  int64_t pixel() { return between(0, 255); }
  bool bit() { return engine_() >> 63; }

 private:
  std::mt19937_64 engine_;
};

// Range of random integers: kPlaces for 0 and 1, kAny for the full range.
enum class Integers { kPlaces, kAny };

// Small enough for sums of many integers to stay exact if the network converts them to float.
constexpr int64_t kLargestInteger = 100;

void fill_integers(tools::Array& array, Integers integers, Numbers& numbers) {
  const size_t size = size_bytes(array.type);
  const bool is_byte = array.type == DataType::kU8 || array.type == DataType::kS8;
  for (int64_t i = 0; i < array.shape.num_elements(); ++i) {
    int64_t value = 0;
    if (array.type == DataType::kBool || integers == Integers::kPlaces)
      value = numbers.bit();
    else
      value = is_byte ? numbers.pixel() : numbers.between(-kLargestInteger, kLargestInteger);
    std::memcpy(array.bytes.data() + static_cast<size_t>(i) * size, &value, size);  // little-endian
  }
}

void fill(tools::Array& array, const Preprocessing* preprocessing, Integers integers, Numbers& numbers) {
  if (array.type != DataType::kF32) return fill_integers(array, integers, numbers);
  auto* values = reinterpret_cast<float*>(array.bytes.data());
  const size_t channels = preprocessing == nullptr ? 0 : preprocessing->mean.size();
  const int64_t plane = channels == 0 ? 1 : array.shape.product(image_channels_axis(array.shape) + 1, 4);
  for (int64_t i = 0; i < array.shape.num_elements(); ++i) {
    const size_t channel = channels == 0 ? 0 : static_cast<size_t>(i / plane) % channels;
    values[i] = channels == 0 ? static_cast<float>(numbers.normal())
                              : (static_cast<float>(numbers.pixel()) - preprocessing->mean[channel]) *
                                    preprocessing->scale[channel];
  }
}

bool takes_places(ops::Kind kind) {
  return kind == ops::Kind::kGather || kind == ops::Kind::kGatherElements || kind == ops::Kind::kScatter ||
         kind == ops::Kind::kRecurrent;
}

// Returns true for operators that move integers but do not change them.
bool keeps_integers(ops::Kind kind) {
  return kind == ops::Kind::kReshape || kind == ops::Kind::kTranspose || kind == ops::Kind::kReorder ||
         kind == ops::Kind::kSlice || kind == ops::Kind::kConcat;
}

// Returns kPlaces if only 0 and 1 are certain to be valid: integers computed from the input serve as positions or
// counts, select elements (such as sequence lengths), or are only converted to floating point (such as a transformer's
// mask).
Integers integers_of(const plan::Tables& tables, uint32_t input) {
  const bool is_byte = size_bytes(tables.tensors[input].type) == 1;  // for example an image
  bool becomes_float = !is_byte;
  std::vector<bool> is_reached(tables.tensors.size());
  is_reached[input] = true;
  const auto is_integer = [&](int32_t tensor) {
    return tables.tensors[static_cast<size_t>(tensor)].type != DataType::kF32;
  };
  for (const plan::Operator& op : tables.operators) {
    for (size_t operand = 0; operand < op.inputs.size(); ++operand) {
      const int32_t tensor = op.inputs[operand];
      if (tensor < 0 || !is_reached[static_cast<size_t>(tensor)] || !is_integer(tensor)) continue;
      if (operand > 0 && takes_places(op.kind())) return Integers::kPlaces;
      if (operand == 0 && !is_byte && op.kind() == ops::Kind::kSelect) return Integers::kPlaces;
      becomes_float = becomes_float && (op.kind() == ops::Kind::kCast || keeps_integers(op.kind()));
      for (const int32_t output : op.outputs) is_reached[static_cast<size_t>(output)] = true;
    }
  }
  return becomes_float ? Integers::kPlaces : Integers::kAny;
}

}  // namespace

std::vector<tools::Array> random_inputs(const Plan& plan, uint64_t seed) {
  Numbers numbers(seed);
  std::vector<tools::Array> inputs;
  for (size_t i = 0; i < plan.inputs().size(); ++i) {
    const TensorInfo& info = plan.inputs()[i];
    inputs.push_back({info.type, info.shape, std::vector<std::byte>(info.size_bytes())});
    fill(inputs.back(), plan.preprocessing(i), integers_of(plan.tables(), plan.tables().inputs[i].tensor), numbers);
  }
  return inputs;
}

std::vector<tools::Array> random_inputs(std::span<const TensorInfo> tensors, const Preprocessing* preprocessing,
                                        uint64_t seed) {
  Numbers numbers(seed);
  std::vector<tools::Array> inputs;
  for (const TensorInfo& info : tensors) {
    inputs.push_back({info.type, info.shape, std::vector<std::byte>(info.size_bytes())});
    fill(inputs.back(), preprocessing, Integers::kPlaces, numbers);
  }
  return inputs;
}

}  // namespace nestrt::compiler
