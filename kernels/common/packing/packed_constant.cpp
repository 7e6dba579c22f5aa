// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/packing/packed_constant.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "kernels/common/packing/packing.h"
#include "runtime/kernel/packing.h"

namespace nestrt::kernels {
namespace {

Status out_of_memory(int64_t bytes) {
  return Status(Code::kOutOfMemory, fmt::format("no memory for {} bytes of packed constants", bytes));
}

}  // namespace

template <typename T>
Result<PackedArray<T>> PackedArray<T>::make(const TensorSpec& constant, Packing packing) {
  PackedArray result;
  const T* elements = reinterpret_cast<const T*>(constant.constant);
  if (constant.packing == packing) {
    if (!has_zero_padding(packing, constant.shape, elements))
      return Status(Code::kInvalidPlan, fmt::format("the padding of weights {} in packing {} is not zero",
                                                    constant.shape.to_string(), name(packing)));
    result.in_place_ = elements;
    return result;
  }
  const int64_t bytes = packed_bytes(packing, constant.shape);
  if (bytes < 0 || !packing_fits(constant.packing, constant.shape))
    return Status(Code::kInvalidPlan, fmt::format("weights {} do not fit their packing", constant.shape.to_string()));
  AlignedArray<T> plain;
  if (constant.packing != Packing::kNone) {
    plain = AlignedArray<T>(constant.shape.num_elements());
    if (plain.data() == nullptr) return out_of_memory(constant.shape.num_elements() * int64_t{sizeof(T)});
    unpack_weights(constant.packing, constant.shape, elements, plain.data());
    elements = plain.data();
  }
  result.copy_ = AlignedArray<T>(bytes / int64_t{sizeof(T)});
  if (result.copy_.data() == nullptr) return out_of_memory(bytes);
  pack_weights(packing, constant.shape, elements, result.copy_.data());
  return result;
}

template class PackedArray<float>;
template class PackedArray<int8_t>;

Result<AlignedFloats> padded_bias(const OperatorSpec& spec, size_t input) {
  if (!spec.has_input(input)) return AlignedFloats();
  const TensorSpec& bias = spec.inputs[input];
  const int64_t count = bias.shape.num_elements();
  AlignedFloats result((count + 15) / 16 * 16);
  if (result.data() == nullptr) return out_of_memory(count * int64_t{sizeof(float)});
  std::copy_n(reinterpret_cast<const float*>(bias.constant), count, result.data());
  return result;
}

}  // namespace nestrt::kernels
