// Emit: from an optimised graph to the bytes of a plan.
#pragma once

#include <string>
#include <vector>

#include "compiler-lite/backends/backend.h"
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
// already (compiler-lite/layout). An operator for which one of the backends has a program is a branch of its own; the
// others form chains for the CPU, one branch each. Errors: kUnsupported where no kernel takes an operator, those of the
// backends, kInternal where the plan that came out fails its own verification.
Result<PlanBytes> emit_plan(Graph& graph, const Backends& backends = {}, const OfferObserver& observer = {});

}  // namespace nestrt::compiler
