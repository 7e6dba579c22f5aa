// Mutated tables with digests that match: what stands between them and the kernels is the verifier alone. Plans that
// pass are run, over guarded memory, on one thread. NESTRT_FUZZ_RUNS in the environment sets the number of mutants.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>

#include "nestrt/session.h"
#include "test/support/sample_plans.h"

namespace nestrt::test {
namespace {

constexpr std::byte kGuard{0xA5};
constexpr size_t kGuardBytes = 256;
constexpr uint64_t kMaxArena = 1 << 24;  // mutants that ask for more are not run: they only test the allocator

int fuzz_runs() {
  const char* wanted = std::getenv("NESTRT_FUZZ_RUNS");
  return wanted != nullptr ? std::atoi(wanted) : 100000;
}

// Values that arithmetic goes wrong with.
uint64_t awkward(std::mt19937& random) {
  static constexpr uint64_t kValues[] = {0,
                                         1,
                                         2,
                                         3,
                                         16,
                                         63,
                                         64,
                                         127,
                                         128,
                                         255,
                                         0x7FFF,
                                         0xFFFF,
                                         0x7FFFFFFF,
                                         0x80000000,
                                         0xFFFFFFFF,
                                         uint64_t{1} << 40,
                                         ~uint64_t{0},
                                         ~uint64_t{0} >> 1};
  return kValues[random() % std::size(kValues)];
}

void mutate(std::span<std::byte> tables, std::mt19937& random) {
  const int changes = 1 + static_cast<int>(random() % 4);
  for (int i = 0; i < changes; ++i) {
    const size_t at = random() % tables.size();
    switch (random() % 4) {
      case 0: tables[at] ^= std::byte{1} << (random() % 8); break;
      case 1: tables[at] = static_cast<std::byte>(random()); break;
      case 2:
        tables[at] = static_cast<std::byte>(static_cast<int>(tables[at]) + 1 - 2 * static_cast<int>(random() % 2));
        break;
      default: {
        const size_t width = size_t{1} << (random() % 4);
        const size_t start = at / width * width;
        const uint64_t value = awkward(random);
        std::memcpy(&tables[start], &value, std::min(width, tables.size() - start));
      }
    }
  }
}

// Memory with guards on both sides.
class Guarded {
 public:
  explicit Guarded(size_t bytes) : bytes_(bytes), storage_(bytes + 2 * kGuardBytes, kGuard) {
    std::fill_n(data(), bytes, std::byte{0});
  }
  std::byte* data() { return storage_.data() + kGuardBytes; }
  bool intact() const {
    const auto is_guard = [](std::byte value) { return value == kGuard; };
    return std::all_of(storage_.begin(), storage_.begin() + kGuardBytes, is_guard) &&
           std::all_of(storage_.begin() + static_cast<ptrdiff_t>(kGuardBytes + bytes_), storage_.end(), is_guard);
  }

 private:
  size_t bytes_;
  std::vector<std::byte> storage_;
};

bool is_small(const Plan& plan) {
  const auto small = [](const TensorInfo& info) { return info.shape.num_elements() < 1 << 20; };
  return plan.tables().memory_plans()->Get(0)->arena_bytes() <= kMaxArena &&
         std::all_of(plan.inputs().begin(), plan.inputs().end(), small) &&
         std::all_of(plan.outputs().begin(), plan.outputs().end(), small);
}

// True where the plan ran.
bool run(const std::shared_ptr<const Plan>& plan, const UnitList& units) {
  const auto session = Session::create(plan, units);
  if (!session) return false;
  std::vector<Guarded> memory;
  memory.reserve(plan->inputs().size() + plan->outputs().size());
  std::vector<ConstTensorView> inputs;
  std::vector<TensorView> outputs;
  for (const TensorInfo& info : plan->inputs())
    inputs.emplace_back(info.type, info.shape, memory.emplace_back(info.size_bytes()).data());
  for (const TensorInfo& info : plan->outputs())
    outputs.push_back({info.type, info.shape, memory.emplace_back(info.size_bytes()).data()});
  const Status status = (*session)->run(inputs, outputs);
  for (const Guarded& block : memory) REQUIRE(block.intact());
  return status.ok();
}

TEST_CASE("Mutated tables are refused or run within their memory") {
  UnitOptions options;
  options.num_threads = 1;
  const auto units = open_units("cpu", options);
  REQUIRE(units);
  const PlanBytes samples[] = {relu_plan().build(), branches_plan().build(), views_plan().build()};
  std::mt19937 random(2024);
  int refused = 0, ran = 0;
  for (int i = 0; i < fuzz_runs(); ++i) {
    PlanBytes mutant = samples[static_cast<size_t>(i) % std::size(samples)];
    mutate(mutant.tables(), random);
    mutant.write_digests();
    const auto plan = Plan::from_memory(mutant.bytes());
    refused += !plan;
    if (plan && is_small(**plan)) ran += run(*plan, *units);
  }
  CHECK(refused > fuzz_runs() / 10);
  CHECK(ran > fuzz_runs() / 100);
}

}  // namespace
}  // namespace nestrt::test
