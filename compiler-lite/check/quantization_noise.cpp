// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/check/quantization_noise.h"

#include <algorithm>
#include <cmath>

#include "compiler-lite/check/plan_trace.h"
#include "compiler-lite/check/signal_to_noise.h"
#include "compiler-lite/quantize/quantize.h"
#include "kernels/common/quantization/s8_arithmetic.h"
#include "nestrt/driver/plan_tables.h"

namespace nestrt::compiler {
namespace {

const plan::Tensor& tensor_at(const Plan& plan, int32_t index) {
  return plan.tables().tensors[static_cast<uint32_t>(index)];
}

bool has_exponent(const plan::Tensor& tensor) {
  return tensor.type == DataType::kS8 && tensor.quantization && tensor.quantization->exponents.size() == 1;
}

std::string model_name(const plan::Tensor& tensor) {
  std::string_view name = tensor.name;
  if (has_exponent(tensor) && name.ends_with(kS8Suffix)) name.remove_suffix(kS8Suffix.size());
  return std::string(name);
}

// Returns the elements as real numbers; empty unless the tensor is f32, or s8 with an exponent.
std::vector<float> real_elements(const plan::Tensor& tensor, const tools::Array& array) {
  const auto count = static_cast<size_t>(array.shape.num_elements());
  if (array.type == DataType::kF32) {
    const auto* elements = reinterpret_cast<const float*>(array.bytes.data());
    return {elements, elements + count};
  }
  if (!has_exponent(tensor)) return {};
  const int exponent = tensor.quantization->exponents[0];
  std::vector<float> result;
  for (const std::byte q : array.bytes) result.push_back(kernels::s8::dequantize(static_cast<int8_t>(q), exponent));
  return result;
}

double decibel(const std::vector<float>& actual, const float* expected) {
  SignalToNoise ratio;
  ratio.add(actual, {expected, actual.size()});
  return ratio.decibel();
}

// Returns noise as a fraction of the signal.
double share(double decibel) { return std::pow(10, -decibel / 10); }

class Observer {
 public:
  Observer(const Plan& plan, const PlanTrace& trace, const NamedArrays& expected)
      : plan_(plan), trace_(trace), expected_(expected), decibels_(plan.tables().tensors.size()) {}

  std::vector<LayerNoise> run() {
    std::vector<LayerNoise> result;
    for (uint32_t index = 0; index < plan_.tables().operators.size(); ++index) {
      const plan::Operator& op = plan_.tables().operators[index];
      for (const int32_t output : op.outputs) {
        if (output < 0 || !measure(output)) continue;
        result.push_back({index, op.name, std::string(ops::name(op.kind())), model_name(tensor_at(plan_, output)),
                          *of(output), worst_input(op)});
      }
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const LayerNoise& a, const LayerNoise& b) { return a.decibel < b.decibel; });
    return result;
  }

 private:
  std::optional<double>& of(int32_t tensor) { return decibels_[static_cast<size_t>(tensor)]; }

  // Returns false if the model has no f32 value for the tensor.
  bool measure(int32_t index) {
    const plan::Tensor& tensor = tensor_at(plan_, index);
    const auto found = expected_.find(model_name(tensor));
    if (found == expected_.end() || found->second.type != DataType::kF32) return false;
    const std::vector<float> actual = real_elements(tensor, trace_.tensor(static_cast<uint32_t>(index)));
    if (actual.empty() || actual.size() != static_cast<size_t>(found->second.shape.num_elements())) return false;
    of(index) = decibel(actual, reinterpret_cast<const float*>(found->second.bytes.data()));
    return true;
  }

  std::optional<double> worst_input(const plan::Operator& op) {
    std::optional<double> worst;
    for (const int32_t input : op.inputs)
      if (input >= 0 && of(input)) worst = std::min(worst.value_or(*of(input)), *of(input));
    return worst;
  }

  const Plan& plan_;
  const PlanTrace& trace_;
  const NamedArrays& expected_;
  std::vector<std::optional<double>> decibels_;  // by tensor of the plan
};

}  // namespace

double LayerNoise::added() const { return input_decibel ? std::max(0.0, share(decibel) - share(*input_decibel)) : 0.0; }

bool is_quantized(const Plan& plan) {
  const auto& tensors = plan.tables().tensors;
  return std::any_of(tensors.begin(), tensors.end(), has_exponent);
}

std::vector<std::string> model_values(const Plan& plan) {
  std::vector<std::string> names;
  for (const plan::Operator& op : plan.tables().operators) {
    for (const int32_t tensor : op.outputs) {
      if (tensor < 0) continue;
      if (std::string name = model_name(tensor_at(plan, tensor)); !name.empty()) names.push_back(std::move(name));
    }
  }
  return names;
}

std::vector<LayerNoise> layer_noise(const Plan& plan, const PlanTrace& trace, const NamedArrays& expected) {
  return Observer(plan, trace, expected).run();
}

const LayerNoise* noisiest(const std::vector<LayerNoise>& layers) {
  const LayerNoise* worst = nullptr;
  for (const LayerNoise& layer : layers) {
    if ((layer.kind != "Conv" && layer.kind != "Dense") || layer.added() == 0) continue;
    if (worst == nullptr || layer.added() > worst->added()) worst = &layer;
  }
  return worst;
}

}  // namespace nestrt::compiler
