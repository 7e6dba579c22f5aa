// SPDX-License-Identifier: Apache-2.0
// Buffers and tensors: kinds, types, shapes, sizes, alignment.
#include <fmt/core.h>

#include <cmath>

#include "nestrt/result.h"
#include "runtime/kernel/packing.h"
#include "runtime/plan/format/format.h"
#include "runtime/plan/verify/verify_parts.h"

namespace nestrt::plan_verify {
namespace {

constexpr int64_t kMaxElements = int64_t{1} << 40;
constexpr int kMaxExponent = 64;

Status verify_buffer(const Context& context, const plan::Buffer& buffer, uint32_t index) {
  const auto fail = [&](std::string what) { return damaged_plan(fmt::format("buffer {}: {}", index, what)); };
  if (buffer.kind != plan::BufferKind::kConstant) return {};
  if (buffer.data_offset % plan_format::kSegmentAlignment != 0)
    return fail(
        fmt::format("data offset {} is not a multiple of {}", buffer.data_offset, plan_format::kSegmentAlignment));
  const uint64_t data_bytes = context.data.size();
  if (buffer.data_offset > data_bytes || buffer.size > data_bytes - buffer.data_offset)
    return fail(fmt::format("{} bytes at {} end outside the data area of {} bytes", buffer.size, buffer.data_offset,
                            data_bytes));
  return {};
}

// Checks the dimensions. A zero dimension counts as one for the limit, because products of a subset of the dimensions
// must not overflow either.
Status verify_shape(const plan::Tensor& tensor) {
  int64_t elements = 1;
  for (int64_t dim : tensor.shape.dims()) {
    if (dim < 0) return Status(Code::kInvalidPlan, fmt::format("dimension {} is negative", dim));
    if (__builtin_mul_overflow(elements, dim == 0 ? 1 : dim, &elements) || elements > kMaxElements)
      return Status(Code::kInvalidPlan, "the shape has more than 2^40 elements");
  }
  return {};
}

Status verify_quantization(const plan::Quantization& quantization, DataType type, const Shape& shape) {
  const int axis = quantization.axis;
  if (axis < -1 || axis >= shape.rank())
    return Status(Code::kInvalidPlan, fmt::format("quantization axis {} is outside shape {}", axis, shape.to_string()));
  const int64_t expected = axis == -1 ? 1 : shape[axis];
  for (const size_t count :
       {quantization.exponents.size(), quantization.scales.size(), quantization.zero_points.size()}) {
    if (count != 0 && count != static_cast<size_t>(expected))
      return Status(Code::kInvalidPlan, fmt::format("quantization has {} values, expected {}", count, expected));
  }
  const auto& exponents = quantization.exponents;
  if (exponents.size() != 0 && type != DataType::kS8)
    return Status(Code::kInvalidPlan,
                  fmt::format("quantization has exponents, which are only for s8, but the tensor is {}", name(type)));
  for (int exponent : exponents)
    if (exponent < -kMaxExponent || exponent > kMaxExponent)
      return Status(Code::kInvalidPlan, fmt::format("quantization exponent {} is outside [-64, 64]", exponent));
  for (float scale : quantization.scales)
    if (!(std::isfinite(scale) && scale > 0)) return Status(Code::kInvalidPlan, "a quantization scale is not positive");
  return {};
}

// Returns the number of bytes that the tensor occupies in its buffer.
Result<int64_t> stored_bytes(const plan::Tensor& tensor, const Shape& shape, plan::BufferKind kind) {
  const auto type = tensor.type;
  const auto layout = tensor.layout;
  if (layout != Layout::kPlain && shape.rank() < 2)
    return Status(Code::kInvalidPlan, fmt::format("layout {} requires rank 2 or more", name(layout)));
  if (is_folded(layout) && (shape.rank() != 4 || type != DataType::kS8 || kind == plan::BufferKind::kConstant))
    return Status(Code::kInvalidPlan,
                  fmt::format("layout {} is for s8 images, not for {} {}{}", name(layout), name(type),
                              shape.to_string(), kind == plan::BufferKind::kConstant ? " that is constant" : ""));
  if (tensor.packing == Packing::kNone) return storage_bytes(type, shape, layout);
  const DataType packed = packed_type(tensor.packing);
  if (kind != plan::BufferKind::kConstant || type != packed || layout != Layout::kPlain) {
    return Status(Code::kInvalidPlan,
                  fmt::format("packing {} is for plain {} constants", name(tensor.packing), name(packed)));
  }
  const std::optional<int64_t> bytes = packed_size_bytes(tensor.packing, shape);
  if (!bytes) {
    return Status(Code::kInvalidPlan,
                  fmt::format("packing {} does not apply to shape {}", name(tensor.packing), shape.to_string()));
  }
  return *bytes;
}

Result<Extent> extent_of(const plan::Tables& plan, const plan::Tensor& tensor, const Shape& shape) {
  const auto& buffers = plan.buffers;
  if (tensor.buffer >= buffers.size())
    return Status(Code::kInvalidPlan,
                  fmt::format("buffer {} does not exist: the plan has {}", tensor.buffer, buffers.size()));
  const plan::Buffer& buffer = buffers[tensor.buffer];
  NESTRT_ASSIGN_OR_RETURN(const int64_t signed_bytes, stored_bytes(tensor, shape, buffer.kind));
  const auto bytes = static_cast<uint64_t>(signed_bytes);
  if (tensor.offset > buffer.size || bytes > buffer.size - tensor.offset)
    return Status(Code::kInvalidPlan, fmt::format("{} bytes at {} end outside buffer {} of {} bytes", bytes,
                                                  tensor.offset, tensor.buffer, buffer.size));
  if (tensor.offset % size_bytes(tensor.type) != 0)
    return Status(Code::kInvalidPlan, fmt::format("offset {} is not a multiple of the element size", tensor.offset));
  return Extent{tensor.buffer, tensor.offset, tensor.offset + bytes};
}

Result<Extent> verify_tensor(const Context& context, const plan::Tensor& tensor) {
  NESTRT_RETURN_IF_ERROR(verify_shape(tensor));
  if (tensor.quantization) NESTRT_RETURN_IF_ERROR(verify_quantization(*tensor.quantization, tensor.type, tensor.shape));
  return extent_of(context.plan, tensor, tensor.shape);
}

}  // namespace

Status verify_buffers(Context& context) {
  const auto& buffers = context.plan.buffers;
  for (uint32_t index = 0; index < buffers.size(); ++index)
    NESTRT_RETURN_IF_ERROR(verify_buffer(context, buffers[index], index));
  return {};
}

Status verify_tensors(Context& context) {
  const auto& tensors = context.plan.tensors;
  context.extents.reserve(tensors.size());
  for (uint32_t index = 0; index < tensors.size(); ++index) {
    const Result<Extent> extent = verify_tensor(context, tensors[index]);
    if (!extent) return damaged_plan(fmt::format("{}: {}", tensor_name(context.plan, index), extent.error().message()));
    context.extents.push_back(*extent);
  }
  return {};
}

}  // namespace nestrt::plan_verify
