#include "drivers/c_api/shared_units.h"

#include <map>
#include <utility>

#include "nestrt/mutex.h"
#include "nestrt/open_units.h"

namespace nestrt::c_api {
namespace {

class Pools {
 public:
  Result<std::shared_ptr<const UnitList>> open(const std::string& spec, int32_t num_threads) {
    const MutexLock lock(mutex_);
    std::erase_if(lists_, [](const auto& entry) { return entry.second.expired(); });
    const Key key(spec, num_threads);
    if (const auto found = lists_.find(key); found != lists_.end())
      if (auto alive = found->second.lock()) return alive;
    UnitOptions options;
    options.num_threads = num_threads;
    NESTRT_ASSIGN_OR_RETURN(UnitList opened, open_units(spec, options));
    std::shared_ptr<const UnitList> units = std::make_shared<const UnitList>(std::move(opened));
    lists_[key] = units;
    return units;
  }

 private:
  using Key = std::pair<std::string, int32_t>;

  Mutex mutex_;
  std::map<Key, std::weak_ptr<const UnitList>> lists_ NESTRT_GUARDED_BY(mutex_);
};

}  // namespace

Result<std::shared_ptr<const UnitList>> shared_units(const std::string& spec, int32_t num_threads) {
  static Pools pools;
  return pools.open(spec, num_threads);
}

}  // namespace nestrt::c_api
