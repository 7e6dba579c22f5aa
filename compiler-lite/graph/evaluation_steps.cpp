#include "compiler-lite/graph/evaluation_steps.h"

#include <algorithm>

namespace nestrt::compiler {
namespace {

constexpr int64_t kCopySteps = 4;       // an index and a copy
constexpr int64_t kFunctionSteps = 16;  // an index and a function of the standard library

int64_t product(int64_t a, int64_t b) {
  int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? INT64_MAX : result;
}

int64_t sum(int64_t a, int64_t b) {
  int64_t result = 0;
  return __builtin_add_overflow(a, b, &result) ? INT64_MAX : result;
}

// A window takes what lies in the input only.
int64_t pool_steps(const plan::PoolT& pool, const Shape& input) {
  int64_t window = pool.kind == plan::PoolKind::lp ? kFunctionSteps : 1;
  for (size_t i = 0; i < pool.kernel.size(); ++i)
    window = product(window, std::min<int64_t>(pool.kernel[i], input[static_cast<int>(i) + 2]));
  return sum(kCopySteps, window);
}

int64_t resize_steps(const plan::ResizeT& resize, const Shape& input) {
  const int64_t taps = resize.mode == plan::ResizeMode::cubic ? 4 : resize.mode == plan::ResizeMode::linear ? 2 : 1;
  int64_t steps = kCopySteps;
  for (int axis = 0; axis < input.rank(); ++axis)
    if (resize.sizes[static_cast<size_t>(axis)] != input[axis]) steps = product(steps, taps);
  return steps;
}

bool is_function(plan::BinaryKind kind) {
  return kind == plan::BinaryKind::pow || kind == plan::BinaryKind::mod || kind == plan::BinaryKind::fmod;
}

// For each element of the output. A ConvTranspose spends its steps on the elements of its input.
int64_t steps_per_output(const Graph& graph, const plan::AttributesUnion& attributes,
                         const std::vector<ValueId>& inputs) {
  const auto shape = [&](size_t i) -> const Shape& { return graph.value(inputs[i]).shape; };
  switch (attributes.type) {
    case plan::Attributes::Conv:
      return sum(kCopySteps, shape(1).product(1, shape(1).rank()));
    case plan::Attributes::Dense:
      return sum(kCopySteps, shape(1)[0]);
    case plan::Attributes::MatMul:
      return sum(kCopySteps, shape(0)[std::max(shape(0).rank() - 1, 0)]);
    case plan::Attributes::Pool:
      return pool_steps(*attributes.AsPool(), shape(0));
    case plan::Attributes::LocalResponseNorm:
      return sum(kFunctionSteps, std::min<int64_t>(attributes.AsLocalResponseNorm()->size, shape(0)[1]));
    case plan::Attributes::Resize:
      return resize_steps(*attributes.AsResize(), shape(0));
    case plan::Attributes::Binary:
      return is_function(attributes.AsBinary()->kind) ? kFunctionSteps : kCopySteps;
    case plan::Attributes::Unary:
    case plan::Attributes::Softmax:
    case plan::Attributes::InstanceNorm:
    case plan::Attributes::LayerNorm:
    case plan::Attributes::LpNorm:
      return kFunctionSteps;
    default:
      return kCopySteps;
  }
}

// For each element of the inputs.
int64_t steps_per_input(const Graph& graph, const plan::AttributesUnion& attributes,
                        const std::vector<ValueId>& inputs) {
  switch (attributes.type) {
    case plan::Attributes::ConvTranspose: {
      const Shape& weights = graph.value(inputs[1]).shape;
      return sum(kCopySteps, weights.product(1, weights.rank()));
    }
    case plan::Attributes::Reduce:
    case plan::Attributes::ArgReduce:
      return kFunctionSteps;
    default:
      return 1;
  }
}

}  // namespace

int64_t evaluation_steps(const Graph& graph, const plan::AttributesUnion& attributes,
                         const std::vector<ValueId>& inputs, int64_t output_elements) {
  int64_t input_elements = 0;
  for (ValueId id : inputs)
    if (id != kNoValue) input_elements = sum(input_elements, graph.value(id).shape.num_elements());
  return sum(product(input_elements, steps_per_input(graph, attributes, inputs)),
             product(output_elements, steps_per_output(graph, attributes, inputs)));
}

}  // namespace nestrt::compiler
