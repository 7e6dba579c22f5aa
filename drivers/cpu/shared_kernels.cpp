// SPDX-License-Identifier: Apache-2.0
#include "drivers/cpu/shared_kernels.h"

#include <algorithm>
#include <span>
#include <utility>

#include "runtime/core/byte_key.h"
#include "runtime/plan/queries/operator_key.h"

namespace nestrt::drivers {

Result<SharedKernels::Found> SharedKernels::find_or_prepare(Request request) {
  std::string key = operator_key(request.plan->tables(), request.op, request.weights);
  byte_key::append(key, reinterpret_cast<uintptr_t>(request.plan.get()));  // an entry keeps its plan, so it is unique
  byte_key::append(key, reinterpret_cast<uintptr_t>(&request.variant));
  if (auto kernel = find(key)) return Found{std::move(kernel), false};

  const auto entry = std::make_shared<Entry>();
  entry->plan = std::move(request.plan);
  entry->tensors = std::move(request.tensors);
  OperatorSpec spec;
  spec.attributes = &request.op.attributes;
  spec.inputs = std::span(entry->tensors).first(request.op.inputs.size());
  spec.outputs = std::span(entry->tensors).subspan(request.op.inputs.size());
  NESTRT_ASSIGN_OR_RETURN(entry->kernel, request.variant.prepare(spec));
  std::shared_ptr<const Kernel> kernel(entry, entry->kernel.get());
  add(std::move(key), kernel);
  return Found{std::move(kernel), true};
}

std::shared_ptr<const Kernel> SharedKernels::find(const std::string& key) {
  const MutexLock lock(mutex_);
  const auto found = kernels_.find(key);
  return found == kernels_.end() ? nullptr : found->second.lock();
}

void SharedKernels::add(std::string key, const std::shared_ptr<const Kernel>& kernel) {
  const MutexLock lock(mutex_);
  if (kernels_.size() >= tidy_at_) {
    std::erase_if(kernels_, [](const auto& entry) { return entry.second.expired(); });
    tidy_at_ = std::max<size_t>(64, 2 * kernels_.size());
  }
  kernels_.insert_or_assign(std::move(key), kernel);
}

}  // namespace nestrt::drivers
