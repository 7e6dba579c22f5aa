// SPDX-License-Identifier: Apache-2.0
// TuningCache: results of tiling searches in a file that all compilations of a user share.
// A key contains everything that the search depends on, so a cached result equals the result of a search. Nothing else
// in the file is trusted: a damaged file is ignored, and programs are still generated from a cached tiling and checked.
// Threading: one thread at a time. Processes that write the same file replace it as a whole and keep the entries of the
// others.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "compiler-lite/codegen/evta/layer/tiling.h"
#include "nestrt/status.h"

namespace nestrt::compiler::evta {

class TuningCache {
 public:
  // Keeps entries in memory only if `path` is empty. Otherwise reads the file if it exists; logs a warning if it is
  // damaged.
  explicit TuningCache(std::string path = {});

  std::optional<Tiling> find(const std::string& key) const;
  void add(const std::string& key, const Tiling& tiling);
  // Writes the file, and creates its folder, if add() was called since the last save. Errors: kIo, kNotFound.
  Status save();

 private:
  Status check_ours() const;
  using Tilings = std::map<std::string, Tiling>;

  Status read(Tilings& tilings) const;

  std::string path_;
  Tilings tilings_;
  bool changed_ = false;
};

// Returns $XDG_CACHE_HOME/nestrt/evta-schedules, or the same path in ~/.cache; empty if neither folder is known.
std::string default_tuning_cache();

}  // namespace nestrt::compiler::evta
