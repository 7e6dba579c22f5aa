#include "runtime/session/executables.h"

#include "runtime/core/guard.h"
#include "runtime/plan/computed_bytes.h"

namespace nestrt {

Result<std::shared_ptr<Executable>> Executables::get(uint32_t unit, uint32_t branch, uint32_t program,
                                                     ChannelRange channels) {
  const MutexLock lock(mutex_);
  const Key key{unit, branch, program, channels};
  if (const auto found = prepared_.find(key); found != prepared_.end()) return found->second;
  BranchSpec spec{plan_, branch, &plan_->tables().branches[branch].programs[program], channels};
  NESTRT_ASSIGN_OR_RETURN(std::unique_ptr<Executable> prepared, units_[unit]->prepare(spec));
  if (!buffers_.empty()) NESTRT_RETURN_IF_ERROR(prepared->bind(buffers_));
  return prepared_.emplace(key, std::move(prepared)).first->second;
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
