// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/emit/plan_bytes.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "runtime/plan/format/format.h"
#include "runtime/platform/aligned_memory.h"

namespace nestrt::compiler {

PlanBytes::PlanBytes(size_t size) : size_(size) {
  const size_t padded = align_up(size, plan_format::kDataAlignment);
  data_.reset(static_cast<std::byte*>(std::aligned_alloc(plan_format::kDataAlignment, padded)));
  if (data_ == nullptr) throw std::bad_alloc();
  std::memset(data_.get(), 0, padded);
}

void PlanBytes::Free::operator()(std::byte* data) const { std::free(data); }

}  // namespace nestrt::compiler
