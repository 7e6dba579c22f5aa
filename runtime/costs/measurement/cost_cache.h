// CostCache: what sessions have learned of a plan on this board's units, kept for the next process.
//
// A file for each plan, in $NESTRT_COST_CACHE, which may be empty for none, else $XDG_CACHE_HOME/nestrt, else
// ~/.cache/nestrt; its name is a hash of the plan's digest, the
// units with their configurations and threads, and the board, which it states beside nestrt's version. It is written as
// a whole, and read only where its own hash is right: what is foreign, cut off or damaged changes nothing but the log.
// At most kMaxFiles are kept, those that were written last.
// Threads: one at a time; any number of processes.
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
  static constexpr uint64_t kMaxBytes = uint64_t{4} << 20;  // of one file

  CostCache(const Plan& plan, std::span<const UnitInfo> units);

  // Empty where nothing of use is kept.
  CostTable read() const;
  // That it fails is logged.
  void write(const CostTable& costs) const;

  // Empty where the environment names no folder: then nothing is read or written.
  const std::string& path() const { return path_; }

 private:
  void remove_oldest() const;

  std::string key_;  // one line
  std::string path_;
};

}  // namespace nestrt
