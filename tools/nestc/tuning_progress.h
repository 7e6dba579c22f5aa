// SPDX-License-Identifier: Apache-2.0
// The progress bar for tuning programs of accelerators.
#pragma once

#include <optional>
#include <string>

#include "compiler-lite/codegen/backend.h"
#include "tools/support/text/progress.h"

namespace nestrt::compiler {

class TuningProgress {
 public:
  explicit TuningProgress(size_t num_backends) : num_backends_(num_backends) {}

  // Counts an operator that was offered to a backend.
  void advance(uint32_t num_operators) {
    if (!bar_) bar_.emplace("tune operators", static_cast<int64_t>(num_operators * num_backends_));
    bar_->advance();
  }

 private:
  size_t num_backends_;
  std::optional<tools::Progress> bar_;
};

}  // namespace nestrt::compiler
