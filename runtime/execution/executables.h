// Executables: the programs of a plan, prepared on a session's units, each once.
//
// Threads: all members from any thread; an executable runs for one step at a time.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "nestrt/driver/mutex.h"
#include "nestrt/driver/unit.h"
#include "runtime/plan/queries/extents.h"

namespace nestrt {

// Which of the plan's kernels computes each operator on the host: by operator of the plan, as BranchSpec::kernels.
// Empty: the compiler's choice everywhere.
using KernelNumbers = std::vector<uint32_t>;

class Executables {
 public:
  Executables(std::shared_ptr<const Plan> plan, const UnitList& units) : plan_(std::move(plan)), units_(units) {}

  // Program `program` of a branch on a unit; one of kernels with those that `kernels` says. Errors: those of
  // Unit::prepare.
  Result<std::shared_ptr<Executable>> get(uint32_t unit, uint32_t branch, uint32_t program, ChannelRange channels,
                                          const KernelNumbers& kernels = {});
  // Those with other kernels that are prepared no longer are, once nobody uses them.
  void keep_only(const KernelNumbers& kernels);

  // Where the runs to come have their buffers (Executable::bind): of those that have been prepared, and of those that
  // will be. Not during a run. Errors: those of Executable::bind.
  Status bind(std::span<std::byte* const> buffers);

  // Which bytes each branch of the plan computes (computed_bytes.h), found once. Valid as long as this is. Errors:
  // those of computed_bytes().
  Result<std::span<const plan_verify::Extents>> computed();

  // Sum over all that have been prepared.
  size_t repacked_bytes() const;

 private:
  // Unit, branch, program, channels, kernels of the branch's operators.
  using Key = std::tuple<uint32_t, uint32_t, uint32_t, ChannelRange, std::vector<uint32_t>>;

  // Empty where all are the compiler's choice.
  std::vector<uint32_t> kernels_of(uint32_t branch, const KernelNumbers& kernels) const;

  const std::shared_ptr<const Plan> plan_;
  const UnitList& units_;
  mutable Mutex mutex_;
  std::vector<std::byte*> buffers_ NESTRT_GUARDED_BY(mutex_);  // empty: not known yet
  std::map<Key, std::shared_ptr<Executable>> prepared_ NESTRT_GUARDED_BY(mutex_);
  std::optional<std::vector<plan_verify::Extents>> computed_ NESTRT_GUARDED_BY(mutex_);  // once it was asked for
};

}  // namespace nestrt
