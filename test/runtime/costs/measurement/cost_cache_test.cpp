// SPDX-License-Identifier: Apache-2.0
// Tests that learned costs persist across processes.
#include "runtime/costs/measurement/cost_cache.h"

#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "runtime/costs/unit_key.h"
#include "test/support/evta/host_and_npu.h"
#include "test/support/plan/sample_plans.h"
#include "test/support/process/quiet.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::test {
namespace {

namespace fs = std::filesystem;

// Sets NESTRT_COST_CACHE to a temporary folder.
class Kept {
 public:
  Kept() : file_(branches_plan().build()), plan(*Plan::from_memory(file_.bytes())) { use(folder_.path()); }
  ~Kept() { use(""); }

  CostCache cache(const UnitInfo& host = kHost) const { return {*plan, std::vector{host, kNpu}}; }
  CostTable costs() const {
    CostTable costs;
    costs.set(key_of(kHost), work_name(*plan, 0, key_of(kHost)), {7, CostSource::kMeasured});
    costs.set(key_of(kHost), work_name(*plan, 1, key_of(kHost)), {8, CostSource::kModelled});
    return costs;
  }
  std::string text() const {
    std::ifstream file(cache().path());
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& text) const { std::ofstream(cache().path()) << text; }
  static void use(const std::string& folder) { setenv("NESTRT_COST_CACHE", folder.c_str(), 1); }

 private:
  const Quiet quiet_;
  const TemporaryFolder folder_;
  PlanFile file_;

 public:
  const std::shared_ptr<const Plan> plan;
};

TEST_CASE("Costs are cached with their source") {
  const Kept kept;
  CHECK(kept.cache().read().empty());
  kept.cache().write(kept.costs());
  const CostTable read = kept.cache().read();
  REQUIRE(read.find(key_of(kHost), work_name(*kept.plan, 0, key_of(kHost))) != nullptr);
  CHECK(read.find(key_of(kHost), work_name(*kept.plan, 0, key_of(kHost)))->microseconds == 7);
  CHECK(read.find(key_of(kHost), work_name(*kept.plan, 0, key_of(kHost)))->source == CostSource::kMeasured);
  REQUIRE(read.find(key_of(kHost), work_name(*kept.plan, 1, key_of(kHost))) != nullptr);
  CHECK(read.find(key_of(kHost), work_name(*kept.plan, 1, key_of(kHost)))->source == CostSource::kModelled);
}

TEST_CASE("Costs of other units, threads or plans are not used") {
  const Kept kept;
  kept.cache().write(kept.costs());
  UnitInfo more = kHost, other = kHost;
  more.num_threads = 4;
  other.configuration = "avx512";
  CHECK(kept.cache(more).read().empty());
  CHECK(kept.cache(other).read().empty());
  const PlanFile file = relu_plan().build();
  CHECK(CostCache(**Plan::from_memory(file.bytes()), std::vector{kHost, kNpu}).read().empty());
}

TEST_CASE("A cache file with the correct name but a different key is not used") {
  const Kept kept;
  UnitInfo more = kHost;
  more.num_threads = 4;
  kept.cache().write(kept.costs());
  fs::copy_file(kept.cache().path(), kept.cache(more).path());
  CHECK(kept.cache(more).read().empty());
}

TEST_CASE("A truncated, changed or foreign cache file is not used") {
  const Kept kept;
  kept.cache().write(kept.costs());
  const std::string whole = kept.text();
  for (size_t size = 0; size < whole.size(); ++size) {
    kept.write(whole.substr(0, size));
    CHECK(kept.cache().read().empty());
  }
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    kept.write(changed);
    CHECK(kept.cache().read().empty());
  }
  kept.write(std::string(CostCache::kMaxBytes + 1, '#'));
  CHECK(kept.cache().read().empty());
  kept.write(whole);
  CHECK_FALSE(kept.cache().read().empty());
}

TEST_CASE("The number of cached files is limited") {
  const Kept kept;
  const fs::path folder = fs::path(kept.cache().path()).parent_path();
  fs::create_directories(folder);
  for (size_t i = 0; i < CostCache::kMaxFiles + 10; ++i) {
    const fs::path old = folder / fmt::format("{:016x}.costs", i);
    std::ofstream(old) << "old";
    fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(1));
  }
  const std::string of_others[] = {folder / "board.costs", folder / "0123456789abcdef.txt"};
  for (const std::string& other : of_others) std::ofstream(other) << "of another program";
  kept.cache().write(kept.costs());
  CHECK(std::distance(fs::directory_iterator(folder), fs::directory_iterator()) == CostCache::kMaxFiles + 2);
  CHECK_FALSE(kept.cache().read().empty());
}

TEST_CASE("An empty NESTRT_COST_CACHE disables the cache") {
  const Kept kept;
  Kept::use("");
  CHECK(kept.cache().path().empty());
  kept.cache().write(kept.costs());
  CHECK(kept.cache().read().empty());
}

TEST_CASE("The default cache is in XDG_CACHE_HOME") {
  const Kept kept;
  const char* const before = std::getenv("XDG_CACHE_HOME");
  const std::string value = before != nullptr ? before : "";
  unsetenv("NESTRT_COST_CACHE");
  setenv("XDG_CACHE_HOME", "/somewhere", 1);
  CHECK(kept.cache().path().starts_with("/somewhere/nestrt/"));
  before != nullptr ? setenv("XDG_CACHE_HOME", value.c_str(), 1) : unsetenv("XDG_CACHE_HOME");
}

}  // namespace
}  // namespace nestrt::test
