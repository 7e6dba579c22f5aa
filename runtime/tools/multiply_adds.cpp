#include "runtime/tools/multiply_adds.h"

namespace nestrt::tools {
namespace {

using Dims = flatbuffers::Vector<int64_t>;

// Null for an absent operand.
const Dims* dims_of(const plan::Plan& plan, const flatbuffers::Vector<int32_t>* operands, uint32_t position) {
  if (operands == nullptr || position >= operands->size() || operands->Get(position) < 0) return nullptr;
  return plan.tensors()->Get(static_cast<uint32_t>(operands->Get(position)))->shape();
}

// Product of the dimensions [first, end); unsigned, so that an absurd shape wraps.
uint64_t product(const Dims* dims, uint32_t first = 0) {
  uint64_t result = 1;
  for (uint32_t axis = first; dims != nullptr && axis < dims->size(); ++axis) {
    result *= static_cast<uint64_t>(dims->Get(axis));
  }
  return result;
}

}  // namespace

uint64_t multiply_adds(const plan::Plan& plan, const plan::Operator& op) {
  const Dims* x = dims_of(plan, op.inputs(), 0);
  const Dims* weights = dims_of(plan, op.inputs(), 1);
  const Dims* y = dims_of(plan, op.outputs(), 0);
  if (x == nullptr || weights == nullptr || y == nullptr) return 0;
  switch (op.attributes_type()) {
    case plan::Attributes::Conv:
      return product(y) * product(weights, 1);  // weights [M, C/group, kernel...]
    case plan::Attributes::ConvTranspose:
      return product(x) * product(weights, 1);  // weights [C, M/group, kernel...]
    case plan::Attributes::Dense:
    case plan::Attributes::MatMul:
      return x->size() == 0 ? 0 : product(y) * static_cast<uint64_t>(x->Get(x->size() - 1));
    default:
      return 0;
  }
}

}  // namespace nestrt::tools
