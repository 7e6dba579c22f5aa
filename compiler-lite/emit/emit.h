// Emit: from an optimised graph to the bytes of a plan.
#pragma once

#include <string>
#include <vector>

#include "compiler-lite/graph/graph.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

// The complete file, ready to be written or given to Plan::from_memory (aligned to 64).
class PlanBytes {
 public:
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

// Tidies the graph, plans its memory, chooses kernels and writes everything down. The graph's weights are packed
// already (compiler-lite/layout). Errors: kUnsupported where no kernel takes an operator, kInternal where the plan that
// came out fails its own verification.
Result<PlanBytes> emit_plan(Graph& graph);

}  // namespace nestrt::compiler
