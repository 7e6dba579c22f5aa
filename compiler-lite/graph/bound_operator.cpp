// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/graph/bound_operator.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

#include "kernels/common/simd/simd.h"
#include "kernels/registry.h"

namespace nestrt::compiler {

namespace {

std::vector<TensorSpec> tensor_specs(const Graph& graph, const std::vector<ValueId>& values) {
  std::vector<TensorSpec> specs;
  for (ValueId id : values) {
    TensorSpec absent;
    absent.present = false;
    specs.push_back(id == kNoValue ? absent : tensor_spec(graph.value(id)));
  }
  return specs;
}

}  // namespace

TensorSpec tensor_spec(const Value& value) {
  TensorSpec spec;
  spec.type = value.type;
  spec.shape = value.shape;
  spec.layout = value.layout;
  spec.packing = value.packing;
  spec.quantization = value.quantization ? &*value.quantization : nullptr;
  spec.constant = value.constant ? value.constant->data() : nullptr;
  return spec;
}

BoundOperator::BoundOperator(const Graph& graph, const Node& node)
    : inputs_(tensor_specs(graph, node.inputs)),
      outputs_(tensor_specs(graph, node.outputs)),
      spec_{&node.attributes, inputs_, outputs_} {}

BoundOperator::BoundOperator(const Graph& graph, const ops::Attributes& attributes, const std::vector<ValueId>& inputs)
    : inputs_(tensor_specs(graph, inputs)), spec_{&attributes, inputs_, outputs_} {}

Result<std::vector<TensorSpec>> infer(const Graph& graph, const ops::Attributes& attributes,
                                      const std::vector<ValueId>& inputs) {
  const BoundOperator bound(graph, attributes, inputs);
  const ops::Kind kind = ops::kind_of(attributes);
  const OperatorRules* rules = kernels::operators().find(kind);
  if (rules == nullptr) {
    return Status(Code::kUnsupported, fmt::format("no kernels for operator {}", ops::name(kind)));
  }
  return rules->infer(bound.spec());
}

std::optional<plan::Quantization> source_quantization(const Graph& graph, const Node& node) {
  if (node.inputs.empty() || node.inputs[0] == kNoValue) return std::nullopt;
  const Value& input = graph.value(node.inputs[0]);
  if (node.kind() == ops::Kind::kDequantize) return input.quantization;
  if (!input.source_quantization) return std::nullopt;
  if (node.kind() == ops::Kind::kReshape && input.source_quantization->axis == -1) return input.source_quantization;
  const auto* transpose = node.as<ops::Transpose>();
  if (transpose == nullptr) return std::nullopt;
  plan::Quantization result = *input.source_quantization;
  const auto& order = transpose->permutation;
  const auto moved = std::find(order.begin(), order.end(), result.axis);
  if (moved != order.end()) result.axis = static_cast<int32_t>(moved - order.begin());
  return result;
}

namespace {

template <typename T>
std::vector<T> transposed(const std::vector<T>& matrix, int64_t rows, int64_t columns) {
  std::vector<T> result;
  result.reserve(matrix.size());
  for (int64_t column = 0; column < columns; ++column)
    for (int64_t row = 0; row < rows; ++row) result.push_back(matrix[static_cast<size_t>(row * columns + column)]);
  return result;
}

}  // namespace

std::shared_ptr<const BlockQuantization> source_blocks(const Graph& graph, const Node& node) {
  const auto* transpose = node.as<ops::Transpose>();
  if (transpose == nullptr || node.inputs.empty() || node.inputs[0] == kNoValue) return nullptr;
  const std::shared_ptr<const BlockQuantization>& source = graph.value(node.inputs[0]).source_blocks;
  if (source == nullptr || transpose->permutation == std::vector<int32_t>{0, 1}) return source;
  BlockQuantization result;
  result.axis = 1 - source->axis;
  result.block = source->block;
  result.shape = {source->shape[1], source->shape[0]};
  result.scales = transposed(source->scales, source->shape[0], source->shape[1]);
  result.zero_points = transposed(source->zero_points, source->shape[0], source->shape[1]);
  return std::make_shared<const BlockQuantization>(std::move(result));
}

namespace {

// Runs the node with `variant`. Errors: kUnsupported if it is null.
Result<std::vector<Bytes>> run(const Node& node, const OperatorSpec& spec, const KernelVariant* variant,
                               const std::vector<const std::byte*>& operands) {
  if (variant == nullptr)
    return Status(Code::kUnsupported, fmt::format("node '{}': no kernel for these types and layouts", node.name));
  NESTRT_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel, variant->prepare(spec));

  std::vector<Bytes> results;
  for (const TensorSpec& output : spec.outputs) results.emplace_back(static_cast<size_t>(output.storage_bytes()));
  std::vector<std::byte*> outputs;
  for (Bytes& result : results) outputs.push_back(result.data());

  const ScratchSize size = kernel->scratch(1);
  const auto aligned = [](size_t bytes) { return (bytes + 63) / 64 * 64; };
  const size_t total = aligned(size.shared) + aligned(size.per_thread) + 64;
  std::unique_ptr<std::byte, decltype(&std::free)> scratch(
      static_cast<std::byte*>(std::aligned_alloc(64, aligned(total))), &std::free);
  if (scratch == nullptr) {
    return Status(Code::kOutOfMemory,
                  fmt::format("node '{}': cannot allocate {} bytes of scratch memory", node.name, total));
  }
  InlineRunner runner;
  KernelCall call;
  call.inputs = operands;
  call.outputs = outputs;
  call.shared_scratch = scratch.get();
  call.thread_scratch = scratch.get() + aligned(size.shared);
  call.parallel = &runner;
  kernel->run(call);
  return results;
}

}  // namespace

Result<std::vector<Bytes>> evaluate(const Graph& graph, const Node& node) {
  const BoundOperator bound(graph, node);
  std::vector<const std::byte*> operands;
  for (const TensorSpec& input : bound.spec().inputs) operands.push_back(input.constant);
  return run(node, bound.spec(), kernels::operators().reference(bound.spec()), operands);
}

Result<std::vector<Bytes>> evaluate(const Graph& graph, const Node& node,
                                    const std::vector<const std::byte*>& operands) {
  const BoundOperator bound(graph, node);
  const InstructionSet set = kernels::current_instruction_set();
  return run(node, bound.spec(), kernels::operators().select(bound.spec(), set), operands);
}

}  // namespace nestrt::compiler
