// SPDX-License-Identifier: Apache-2.0
// The part of PlanBuilder that needs the kernels' packing. Separate, because some tests link without kernels.
#include "kernels/common/packing/packing.h"
#include "test/support/plan/plan_builder.h"

namespace nestrt::test {

int PlanBuilder::packed(const std::string& name, const Shape& shape, Packing packing,
                        const std::vector<float>& values) {
  std::vector<float> elements(static_cast<size_t>(kernels::packed_bytes(packing, shape)) / sizeof(float));
  kernels::pack_weights(packing, shape, values.data(), elements.data());
  const int tensor = constant(name, shape, elements);
  plan_.tensors.back().packing = packing;
  return tensor;
}

int PlanBuilder::packed(const std::string& name, const Shape& shape, Packing packing,
                        const std::vector<int8_t>& values) {
  std::vector<int8_t> elements(static_cast<size_t>(kernels::packed_bytes(packing, shape)));
  kernels::pack_weights(packing, shape, values.data(), elements.data());
  const int tensor = constant(name, shape, elements, DataType::kS8);
  plan_.tensors.back().packing = packing;
  return tensor;
}

}  // namespace nestrt::test
