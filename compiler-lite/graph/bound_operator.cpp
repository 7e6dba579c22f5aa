#include "compiler-lite/graph/bound_operator.h"

#include <algorithm>
#include <cstdlib>

#include "kernels/registry.h"

namespace nestrt::compiler {

TensorSpec tensor_spec(const Value& value) {
  TensorSpec spec;
  spec.type = value.type;
  spec.shape = value.shape;
  spec.layout = value.layout;
  spec.packing = value.packing;
  spec.constant = value.constant ? value.constant->data() : nullptr;
  return spec;
}

BoundOperator::BoundOperator(const Graph& graph, const Node& node) {
  bind(graph, node.attributes, node.inputs, node.outputs);
}

BoundOperator::BoundOperator(const Graph& graph, const plan::AttributesUnion& attributes,
                             const std::vector<ValueId>& inputs) {
  bind(graph, attributes, inputs, {});
}

void BoundOperator::bind(const Graph& graph, const plan::AttributesUnion& attributes,
                         const std::vector<ValueId>& inputs, const std::vector<ValueId>& outputs) {
  const auto table = attributes.Pack(builder_);
  plan::OperatorBuilder op(builder_);
  op.add_attributes_type(attributes.type);
  op.add_attributes(table);
  builder_.Finish(op.Finish());
  spec_.op = flatbuffers::GetRoot<plan::Operator>(builder_.GetBufferPointer());

  for (ValueId id : inputs) {
    if (id == kNoValue) {
      inputs_.emplace_back();
      inputs_.back().present = false;
    } else {
      inputs_.push_back(bound_tensor(graph.value(id)));
    }
  }
  for (ValueId id : outputs) outputs_.push_back(bound_tensor(graph.value(id)));
  spec_.inputs = inputs_;
  spec_.outputs = outputs_;
}

TensorSpec BoundOperator::bound_tensor(const Value& value) {
  TensorSpec spec = tensor_spec(value);
  if (!value.quantization) return spec;
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(plan::Quantization::Pack(builder, &*value.quantization));
  quantizations_.push_back(builder.Release());
  spec.quantization = flatbuffers::GetRoot<plan::Quantization>(quantizations_.back().data());
  return spec;
}

Result<std::vector<TensorSpec>> infer(const Graph& graph, const plan::AttributesUnion& attributes,
                                      const std::vector<ValueId>& inputs) {
  const BoundOperator bound(graph, attributes, inputs);
  const OperatorRules* rules = kernels::registry().find(attributes.type);
  if (rules == nullptr) {
    return Status(Code::kUnsupported,
                  std::string("no kernels for operator ") + plan::EnumNameAttributes(attributes.type));
  }
  return rules->infer(bound.spec());
}

std::optional<plan::QuantizationT> grid_of_result(const Graph& graph, const Node& node) {
  if (node.inputs.empty() || node.inputs[0] == kNoValue) return std::nullopt;
  const Value& input = graph.value(node.inputs[0]);
  if (node.kind() == plan::Attributes::Dequantize) return input.quantization;
  if (!input.grid) return std::nullopt;
  if (node.kind() == plan::Attributes::Reshape && input.grid->axis == -1) return input.grid;
  const auto* transpose = node.as<plan::TransposeT>();
  if (transpose == nullptr) return std::nullopt;
  plan::QuantizationT grid = *input.grid;
  const auto& order = transpose->permutation;
  const auto moved = std::find(order.begin(), order.end(), grid.axis);
  if (moved != order.end()) grid.axis = static_cast<int32_t>(moved - order.begin());
  return grid;
}

Result<std::vector<Bytes>> evaluate(const Graph& graph, const Node& node) {
  std::vector<const std::byte*> operands;
  for (ValueId id : node.inputs) operands.push_back(id == kNoValue ? nullptr : graph.value(id).constant->data());
  return evaluate(graph, node, operands);
}

Result<std::vector<Bytes>> evaluate(const Graph& graph, const Node& node,
                                    const std::vector<const std::byte*>& operands) {
  const BoundOperator bound(graph, node);
  const KernelVariant* variant = kernels::registry().select(bound.spec());
  if (variant == nullptr) {
    return Status(Code::kUnsupported, "node '" + node.name + "': no kernel for these types and layouts");
  }
  NESTRT_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel, variant->prepare(bound.spec()));

  std::vector<Bytes> results;
  for (const TensorSpec& output : bound.spec().outputs)
    results.emplace_back(static_cast<size_t>(output.storage_bytes()));
  std::vector<std::byte*> outputs;
  for (Bytes& result : results) outputs.push_back(result.data());

  const ScratchSize size = kernel->scratch(1);
  const auto aligned = [](size_t bytes) { return (bytes + 63) / 64 * 64; };
  const size_t total = aligned(size.shared) + aligned(size.per_thread) + 64;
  std::unique_ptr<std::byte, decltype(&std::free)> scratch(
      static_cast<std::byte*>(std::aligned_alloc(64, aligned(total))), &std::free);
  if (scratch == nullptr) {
    return Status(Code::kOutOfMemory,
                  "node '" + node.name + "': no memory for " + std::to_string(total) + " bytes of scratch");
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

}  // namespace nestrt::compiler
