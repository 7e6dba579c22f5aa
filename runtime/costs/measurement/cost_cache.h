// SPDX-License-Identifier: Apache-2.0
// CostCache: stores the costs that sessions learned for a plan on this board's units, for the next process.
// There is one file per plan, in $NESTRT_COST_CACHE (empty disables the cache), else $XDG_CACHE_HOME/nestrt, else
// ~/.cache/nestrt. Its name is a hash of the plan's digest, the units with their configurations and threads, and the
// board. The file also contains this data and nestrt's version. It is written atomically and read only if its own hash
// is correct: foreign, truncated or damaged files are logged and otherwise ignored. At most kMaxFiles are kept, the
// most recently written ones.
// Threading: one thread at a time; any number of processes.
#pragma once

#include <span>
#include <string>

#include "nestrt/driver/costs.h"
#include "nestrt/driver/unit.h"
#include "nestrt/plan.h"

namespace nestrt {

class CostCache {
 public:
  static constexpr size_t kMaxFiles = 256;
  static constexpr uint64_t kMaxBytes = uint64_t{4} << 20;  // per file

  CostCache(const Plan& plan, std::span<const UnitInfo> units);

  // Returns an empty table if no usable costs are stored.
  CostTable read() const;
  // Failures are logged.
  void write(const CostTable& costs) const;

  // Empty if the environment names no folder; in that case nothing is read or written.
  const std::string& path() const { return path_; }

 private:
  void remove_oldest() const;

  std::string key_;  // one line
  std::string path_;
};

}  // namespace nestrt
