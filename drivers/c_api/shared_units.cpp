// SPDX-License-Identifier: Apache-2.0
#include "drivers/c_api/shared_units.h"

#include <map>
#include <tuple>
#include <utility>

#include "nestrt/driver/mutex.h"
#include "runtime/platform/fork_origin.h"

namespace nestrt::c_api {
namespace {

class Pools {
 public:
  Result<std::shared_ptr<const UnitList>> open(const std::string& spec, const UnitOptions& options) {
    const MutexLock lock(mutex_);
    std::erase_if(lists_, [](const auto& entry) { return entry.second.expired(); });
    const Key key(spec, options.num_threads, options.plugin, options.isolate, forks_so_far());
    if (const auto found = lists_.find(key); found != lists_.end())
      if (auto alive = found->second.lock()) return alive;
    NESTRT_ASSIGN_OR_RETURN(UnitList opened, open_units(spec, options));
    std::shared_ptr<const UnitList> units = std::make_shared<const UnitList>(std::move(opened));
    lists_[key] = units;
    return units;
  }

 private:
  // Contains the fork count: a child does not share units with its parent, because the parent's threads do not exist
  // there.
  using Key = std::tuple<std::string, int, std::string, bool, uint32_t>;

  Mutex mutex_;
  std::map<Key, std::weak_ptr<const UnitList>> lists_ NESTRT_GUARDED_BY(mutex_);
};

}  // namespace

Result<std::shared_ptr<const UnitList>> shared_units(const std::string& spec, const UnitOptions& options) {
  static Pools pools;
  return pools.open(spec, options);
}

}  // namespace nestrt::c_api
