// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/board/abandoned_runs.h"

#include <forward_list>
#include <utility>

#include "nestrt/driver/mutex.h"

namespace nestrt::evta {
namespace {

struct AbandonedRuns {
  Mutex mutex;
  std::forward_list<std::shared_ptr<void>> used NESTRT_GUARDED_BY(mutex);
};

}  // namespace

void leak_until_exit(std::shared_ptr<void> used) noexcept {
  // never destroyed: the accelerator does not notice when the process ends
  static auto* const runs = new AbandonedRuns;
  const MutexLock lock(runs->mutex);
  runs->used.push_front(std::move(used));
}

}  // namespace nestrt::evta
