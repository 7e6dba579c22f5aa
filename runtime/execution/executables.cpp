// SPDX-License-Identifier: Apache-2.0
#include "runtime/execution/executables.h"

#include <algorithm>

#include "runtime/plan/verify/computed_bytes.h"
#include "runtime/platform/guard.h"

namespace nestrt {

Result<std::shared_ptr<Executable>> Executables::get(uint32_t unit, uint32_t branch, uint32_t program,
                                                     ChannelRange channels, const KernelNumbers& kernels) {
  const MutexLock lock(mutex_);
  const plan::Program& what = plan_->tables().branches[branch].programs[program];
  const bool has_kernels = what.kind == plan::ProgramKind::kKernels;
  const std::vector<uint32_t> numbers = has_kernels ? kernels_of(branch, kernels) : std::vector<uint32_t>();
  const Key key{unit, branch, program, channels, numbers};
  if (const auto found = prepared_.find(key); found != prepared_.end()) return found->second;
  const BranchSpec spec{plan_, branch, &what, channels, numbers};
  NESTRT_ASSIGN_OR_RETURN(std::unique_ptr<Executable> prepared, units_[unit]->prepare(spec));
  if (!buffers_.empty()) NESTRT_RETURN_IF_ERROR(prepared->bind(buffers_));
  return prepared_.emplace(key, std::move(prepared)).first->second;
}

void Executables::keep_only(const KernelNumbers& kernels) {
  const MutexLock lock(mutex_);
  std::erase_if(prepared_, [&](const auto& entry) {
    const auto& [unit, branch, program, channels, numbers] = entry.first;
    return !numbers.empty() && numbers != kernels_of(branch, kernels);
  });
}

std::vector<uint32_t> Executables::kernels_of(uint32_t branch, const KernelNumbers& kernels) const {
  std::vector<uint32_t> numbers;
  if (kernels.empty()) return numbers;
  for (const uint32_t op : plan_->tables().branches[branch].operators) numbers.push_back(kernels[op]);
  if (std::ranges::all_of(numbers, [](uint32_t number) { return number == 0; })) numbers.clear();
  return numbers;
}

Status Executables::bind(std::span<std::byte* const> buffers) {
  return guarded([&]() -> Status {
    const MutexLock lock(mutex_);
    buffers_.assign(buffers.begin(), buffers.end());
    for (const auto& [key, executable] : prepared_) NESTRT_RETURN_IF_ERROR(executable->bind(buffers_));
    return {};
  });
}

Result<std::span<const plan_verify::Extents>> Executables::computed() {
  const MutexLock lock(mutex_);
  if (!computed_) {
    NESTRT_ASSIGN_OR_RETURN(computed_, computed_bytes(plan_->tables()));
  }
  return std::span<const plan_verify::Extents>(*computed_);
}

size_t Executables::repacked_bytes() const {
  const MutexLock lock(mutex_);
  size_t bytes = 0;
  for (const auto& [key, executable] : prepared_) bytes += executable->repacked_bytes();
  return bytes;
}

}  // namespace nestrt
