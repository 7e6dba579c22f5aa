// SPDX-License-Identifier: Apache-2.0
#include "runtime/core/tensor_set.h"

#include <fmt/core.h>

#include <algorithm>
#include <random>

namespace nestrt {
namespace {

void fill_random(const TensorView& tensor, std::mt19937& generator) {
  if (tensor.type == DataType::kF32) {
    std::uniform_real_distribution<float> distribution(-1, 1);
    const std::span values(static_cast<float*>(tensor.data), static_cast<size_t>(tensor.shape.num_elements()));
    std::generate(values.begin(), values.end(), [&] { return distribution(generator); });
    return;
  }
  const std::span bytes(static_cast<unsigned char*>(tensor.data), tensor.size_bytes());
  std::fill(bytes.begin(), bytes.end(), static_cast<unsigned char>(0));
  for (size_t at = 0; at < bytes.size(); at += size_bytes(tensor.type)) bytes[at] = generator() & 1;
}

}  // namespace

Result<TensorSet> TensorSet::create(std::span<const TensorInfo> infos) {
  TensorSet set;
  for (const TensorInfo& info : infos) {
    NESTRT_ASSIGN_OR_RETURN(AlignedMemory memory,
                            AlignedMemory::allocate(info.size_bytes(), fmt::format("'{}'", info.name)));
    set.views_.push_back({info.type, info.shape, memory.data()});
    set.memory_.push_back(std::move(memory));
  }
  return set;
}

Result<TensorSet> TensorSet::random(std::span<const TensorInfo> infos) {
  NESTRT_ASSIGN_OR_RETURN(TensorSet set, create(infos));
  std::mt19937 generator(1);
  for (const TensorView& tensor : set.views_) fill_random(tensor, generator);
  return set;
}

}  // namespace nestrt
