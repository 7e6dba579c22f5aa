// PlanBytes: the complete file of a plan in memory, ready to be written or given to Plan::from_memory (aligned to 64).
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace nestrt::compiler {

class PlanBytes {
 public:
  // Zeros. Throws std::bad_alloc.
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
