// TuningCache: tilings that searches have found, in a file that all compilations of a user share.
//
// What a tiling is found under says everything that the search depends on, so that a cached result is the one that
// the search would give. Nothing else is believed of the file: one that is damaged is left aside, and whoever takes a
// tiling from it makes and checks the program as ever.
//
// Threads: one at a time. Processes that write the same file replace it as a whole, with what the others had written.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "compiler-lite/codegen/evta/layer/tiling.h"
#include "nestrt/status.h"

namespace nestrt::compiler::evta {

class TuningCache {
 public:
  // In memory alone where `path` is empty. Reads the file if there is one; a warning is logged where it is damaged.
  explicit TuningCache(std::string path = {});

  std::optional<Tiling> find(const std::string& key) const;
  void add(const std::string& key, const Tiling& tiling);
  // Writes the file, and its folder, where add() was called since. Errors: kIo, kNotFound.
  Status save();

 private:
  Status check_ours() const;
  using Tilings = std::map<std::string, Tiling>;

  Status read(Tilings& tilings) const;

  std::string path_;
  Tilings tilings_;
  bool changed_ = false;
};

// $XDG_CACHE_HOME/nestrt/evta-schedules, or that in ~/.cache; empty where neither folder is known.
std::string default_tuning_cache();

}  // namespace nestrt::compiler::evta
