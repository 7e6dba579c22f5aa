// SPDX-License-Identifier: Apache-2.0
// Executables: the programs of a plan, each prepared once on a session's units.
//
// Threads: all members from any thread; an executable runs one step at a time.
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

// Kernel number per operator of the plan, as in BranchSpec::kernels. Empty: the compiler's choice for all.
using KernelNumbers = std::vector<uint32_t>;

class Executables {
 public:
  Executables(std::shared_ptr<const Plan> plan, const UnitList& units) : plan_(std::move(plan)), units_(units) {}

  // Returns program `program` of a branch, prepared on a unit; a program of kernels uses the numbers in `kernels`.
  // Errors: as for Unit::prepare.
  Result<std::shared_ptr<Executable>> get(uint32_t unit, uint32_t branch, uint32_t program, ChannelRange channels,
                                          const KernelNumbers& kernels = {});
  // Drops executables whose kernels differ from these; they are freed once unused.
  void keep_only(const KernelNumbers& kernels);

  // Sets the buffers of future runs (Executable::bind) for all executables, including those prepared later. Must not be
  // called during a run. Errors: as for Executable::bind.
  Status bind(std::span<std::byte* const> buffers);

  // Returns the bytes that each branch computes (computed_bytes.h), which the first call determines. Valid for the
  // lifetime of this object. Errors: as for computed_bytes().
  Result<std::span<const plan_verify::Extents>> computed();

  // Returns the sum over all executables.
  size_t repacked_bytes() const;

 private:
  // Unit, branch, program, channels, and the kernels of the branch's operators.
  using Key = std::tuple<uint32_t, uint32_t, uint32_t, ChannelRange, std::vector<uint32_t>>;

  // Returns an empty vector if all kernels are the compiler's choice.
  std::vector<uint32_t> kernels_of(uint32_t branch, const KernelNumbers& kernels) const;

  const std::shared_ptr<const Plan> plan_;
  const UnitList& units_;
  mutable Mutex mutex_;
  std::vector<std::byte*> buffers_ NESTRT_GUARDED_BY(mutex_);  // empty until known
  std::map<Key, std::shared_ptr<Executable>> prepared_ NESTRT_GUARDED_BY(mutex_);
  // after the first call of computed()
  std::optional<std::vector<plan_verify::Extents>> computed_ NESTRT_GUARDED_BY(mutex_);
};

}  // namespace nestrt
