// SPDX-License-Identifier: Apache-2.0
// PlanBytes: the complete file of a plan in memory, aligned to 64 bytes, for writing or for Plan::from_memory.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace nestrt::compiler {

class PlanBytes {
 public:
  // Zero-initialised. Throws std::bad_alloc.
  explicit PlanBytes(size_t size);
  std::byte* data() { return data_.get(); }
  std::span<const std::byte> span() const { return {data_.get(), size_}; }

 private:
  struct Free {
    void operator()(std::byte* data) const;
  };
  std::unique_ptr<std::byte, Free> data_;
  size_t size_;
};

}  // namespace nestrt::compiler
