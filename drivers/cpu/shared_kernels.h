// SPDX-License-Identifier: Apache-2.0
// SharedKernels: the kernels of a CPU unit that read constants. Equal operators of a plan, such as the steps of an
// unrolled loop, share one kernel and its repacked weights, within and across programs. A kernel exists as long as a
// program uses it.
//
// Threads: any.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "nestrt/driver/mutex.h"
#include "nestrt/plan.h"
#include "runtime/kernel/kernel.h"

namespace nestrt::drivers {

class SharedKernels {
 public:
  struct Request {
    std::shared_ptr<const Plan> plan;
    const plan::Operator& op;         // of the plan
    int32_t weights;                  // tensor that replaces input 1, or -1
    std::vector<TensorSpec> tensors;  // operands of `op` with this replacement: inputs, then outputs
    const KernelVariant& variant;     // accepts the operator
  };
  struct Found {
    std::shared_ptr<const Kernel> kernel;
    bool is_new = false;
  };
  // Errors: those of KernelVariant::prepare.
  Result<Found> find_or_prepare(Request request);

 private:
  // A kernel with everything it refers to.
  struct Entry {
    std::shared_ptr<const Plan> plan;
    std::vector<TensorSpec> tensors;
    std::unique_ptr<const Kernel> kernel;
  };

  std::shared_ptr<const Kernel> find(const std::string& key);
  void add(std::string key, const std::shared_ptr<const Kernel>& kernel);

  Mutex mutex_;
  std::unordered_map<std::string, std::weak_ptr<const Kernel>> kernels_ NESTRT_GUARDED_BY(mutex_);
  size_t tidy_at_ NESTRT_GUARDED_BY(mutex_) = 64;  // number of entries at which expired ones are removed
};

}  // namespace nestrt::drivers
