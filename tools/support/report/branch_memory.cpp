// SPDX-License-Identifier: Apache-2.0
#include "tools/support/report/branch_memory.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "runtime/core/channel_blocks.h"
#include "runtime/kernel/packing.h"
#include "runtime/plan/queries/views.h"

namespace nestrt::tools {
namespace {

// Returns the offset of each element of a tensor in units of its type, without padding lanes.
std::vector<int64_t> places(const plan::Tensor& tensor) {
  const Shape& shape = tensor.shape;
  std::vector<int64_t> result(static_cast<size_t>(shape.num_elements()));
  std::iota(result.begin(), result.end(), int64_t{0});
  if (tensor.layout == Layout::kPlain) return result;
  const StoredOrder order(shape, tensor.layout);
  const int64_t pixels = shape.product(2, shape.rank());
  for (int64_t& place : result) {
    const int64_t plane = place / pixels;
    place = order.index(plane / shape[1], plane % shape[1], place % pixels);
  }
  return result;
}

uint64_t stored_bytes(const plan::Tensor& tensor) {
  const int64_t bytes = tensor.packing == Packing::kNone ? storage_bytes(tensor.type, tensor.shape, tensor.layout)
                                                         : packed_size_bytes(tensor.packing, tensor.shape).value_or(0);
  return static_cast<uint64_t>(bytes);
}

}  // namespace

BranchMemory::BranchMemory(const Plan& plan, uint32_t branch, const plan_verify::Extents& computed)
    : plan_(plan),
      branch_(plan.tables().branches[branch]),
      computed_(computed),
      touched_(plan_verify::make_set(operands())),
      others_(plan_verify::difference(touched_, computed)) {}

Status BranchMemory::allocate() {
  addresses_.assign(plan_.tables().buffers.size(), nullptr);
  for (const plan_verify::Extent& bytes : touched_) {
    if (addresses_[bytes.buffer] != nullptr) continue;
    NESTRT_ASSIGN_OR_RETURN(addresses_[bytes.buffer], allocate_buffer(bytes.buffer));
  }
  return {};
}

// Calls visit(bytes) for each element that the branch computes, tensor by tensor, without padding lanes.
template <typename Visit>
void BranchMemory::for_each_result(Visit visit) const {
  const plan::Tables& tables = plan_.tables();
  for (const uint32_t op : branch_.operators) {
    if (is_view(tables, tables.operators[op])) continue;
    for (const int32_t index : tables.operators[op].outputs) {
      const plan::Tensor& tensor = tables.tensors[static_cast<uint32_t>(index)];
      const size_t size = size_bytes(tensor.type);
      for (const int64_t place : places(tensor)) {
        const uint64_t begin = tensor.offset + static_cast<uint64_t>(place) * size;
        if (plan_verify::holds(computed_, {tensor.buffer, begin, begin + size}))
          visit(std::span(addresses_[tensor.buffer] + begin, size));
      }
    }
  }
}

void BranchMemory::randomize(std::mt19937& random) {
  for (const plan_verify::Extent& extent : touched_) {
    if (is_constant(extent.buffer)) continue;
    const std::span<std::byte> bytes = bytes_of(extent);
    for (size_t i = 0; i < bytes.size(); i += sizeof(uint32_t)) {
      const auto number = static_cast<uint32_t>(random());
      std::memcpy(bytes.data() + i, &number, std::min(sizeof number, bytes.size() - i));
    }
  }
}

std::vector<std::byte> BranchMemory::results() const {
  std::vector<std::byte> bytes;
  for_each_result([&](std::span<std::byte> element) { bytes.insert(bytes.end(), element.begin(), element.end()); });
  return bytes;
}

void BranchMemory::spoil_results() const {
  for_each_result([](std::span<std::byte> element) {
    for (std::byte& byte : element) byte ^= std::byte{0x55};
  });
}

std::vector<std::byte> BranchMemory::others() const {
  std::vector<std::byte> bytes;
  for (const plan_verify::Extent& extent : others_) {
    const std::span<const std::byte> part = bytes_of(extent);
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  return bytes;
}

plan_verify::Extents BranchMemory::operands() const {
  plan_verify::Extents extents;
  const auto add = [&](int32_t index) {
    if (index < 0) return;
    const plan::Tensor& tensor = plan_.tables().tensors[static_cast<uint32_t>(index)];
    extents.push_back({tensor.buffer, tensor.offset, tensor.offset + stored_bytes(tensor)});
  };
  for (const uint32_t op : branch_.operators) {
    std::ranges::for_each(plan_.tables().operators[op].inputs, add);
    std::ranges::for_each(plan_.tables().operators[op].outputs, add);
  }
  return extents;
}

Result<std::byte*> BranchMemory::allocate_buffer(uint32_t buffer) {
  if (is_constant(buffer)) return const_cast<std::byte*>(plan_.constant(buffer).data());  // units only read constants
  NESTRT_ASSIGN_OR_RETURN(memory_.emplace_back(),
                          AlignedMemory::allocate(plan_.tables().buffers[buffer].size, "a buffer"));
  return memory_.back().data();
}

}  // namespace nestrt::tools
