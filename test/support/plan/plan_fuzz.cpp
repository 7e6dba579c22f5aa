// SPDX-License-Identifier: Apache-2.0
#include "test/support/plan/plan_fuzz.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "nestrt/open_units.h"
#include "runtime/plan/queries/channels.h"
#include "runtime/plan/queries/program_for.h"
#include "runtime/platform/aligned_memory.h"
#include "test/support/kernel/guarded_bytes.h"
#include "test/support/kernel/guarded_run.h"
#include "test/support/plan/flat_costs.h"

namespace nestrt::test {

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

void mutate(std::span<std::byte> bytes, std::mt19937& random) {
  const int changes = 1 + static_cast<int>(random() % 4);
  for (int i = 0; i < changes; ++i) {
    const size_t at = random() % bytes.size();
    switch (random() % 4) {
      case 0:
        bytes[at] ^= std::byte{1} << (random() % 8);
        break;
      case 1:
        bytes[at] = static_cast<std::byte>(random());
        break;
      case 2:
        bytes[at] = static_cast<std::byte>(static_cast<int>(bytes[at]) + 1 - 2 * static_cast<int>(random() % 2));
        break;
      default: {
        const size_t width = size_t{1} << (random() % 4);
        const size_t start = at / width * width;
        const uint64_t value = awkward(random);
        std::memcpy(&bytes[start], &value, std::min(width, bytes.size() - start));
      }
    }
  }
}

bool is_within(const RunLimits& limits, const Plan& plan) {
  const auto small = [&](const TensorInfo& info) { return info.shape.num_elements() < limits.elements; };
  return plan.tables().memory_plans[0].arena_bytes <= limits.buffer_bytes &&
         std::all_of(plan.inputs().begin(), plan.inputs().end(), small) &&
         std::all_of(plan.outputs().begin(), plan.outputs().end(), small);
}

namespace {

// The memory of one run of a branch, with guards around every buffer.
class GuardedBuffers {
 public:
  explicit GuardedBuffers(const Plan& plan) {
    const auto& buffers = plan.tables().buffers;
    memory_.reserve(buffers.size());
    for (uint32_t i = 0; i < buffers.size(); ++i)
      addresses_.push_back(buffers[i].kind == plan::BufferKind::kConstant
                               ? const_cast<std::byte*>(plan.constant(i).data())
                               : memory_.emplace_back(buffers[i].size).data());
  }
  std::span<std::byte* const> addresses() const { return addresses_; }
  bool is_intact() const {
    return std::all_of(memory_.begin(), memory_.end(), [](const GuardedBytes& block) { return block.is_intact(); });
  }

 private:
  std::vector<GuardedBytes> memory_;
  std::vector<std::byte*> addresses_;
};

void run_part(const std::shared_ptr<const Plan>& plan, Unit& cpu, uint32_t branch, ChannelRange channels,
              const RunLimits& limits, const GuardedBuffers& buffers) {
  const plan::Program* const program = program_for(plan->tables().branches[branch], cpu.info());
  if (program == nullptr) return;
  const auto executable = cpu.prepare({plan, branch, program, channels});
  if (!executable || (*executable)->scratch_bytes() > limits.buffer_bytes) return;
  const auto scratch = AlignedMemory::allocate((*executable)->scratch_bytes(), "scratch memory");
  if (!scratch) return;
  Submission submission;
  submission.bindings = {buffers.addresses(), scratch->data()};
  static_cast<void>(run(**executable, submission));  // it may fail; only its memory accesses matter
}

}  // namespace

void run_parts(const std::shared_ptr<const Plan>& plan, Unit& cpu, const RunLimits& limits, FuzzResult* result) {
  const auto& buffers = plan->tables().buffers;
  const auto is_large = [&](const plan::Buffer& one) { return one.size > limits.buffer_bytes; };
  if (std::any_of(buffers.begin(), buffers.end(), is_large)) return;
  const auto& branches = plan->tables().branches;
  for (uint32_t branch = 0; branch < branches.size(); ++branch) {
    const uint32_t channels = divisible_channels(plan->tables(), branches[branch]);
    if (channels == 0) continue;
    GuardedBuffers memory(*plan);
    run_part(plan, cpu, branch, {0, kChannelBlock}, limits, memory);
    const uint32_t rows = divisible_rows(plan->tables(), branches[branch]);
    run_part(plan, cpu, branch, {kChannelBlock, channels, rows - 1, 0}, limits, memory);
    ++result->divided;
    result->overran += !memory.is_intact();
  }
}

namespace {

// Calls use(plan) for mutants that load and are within the limits.
template <typename Use>
void for_each_mutant(std::span<const PlanFile> samples, int mutants, uint32_t seed, FuzzResult* result, Use use) {
  std::mt19937 random(seed);
  for (int i = 0; i < mutants; ++i) {
    PlanFile mutant = samples[static_cast<size_t>(i) % samples.size()];
    mutate(mutant.tables(), random);
    mutant.write_digests();
    const auto plan = Plan::from_memory(mutant.bytes(), Verification::kComplete);
    result->refused += !plan;
    if (plan && is_within(RunLimits(), **plan)) use(*plan);
  }
}

void count(const SteadyRun& run, FuzzResult* result) {
  result->ran += run.ran;
  result->overran += run.overran;
  result->unsteady += !run.steady;
}

}  // namespace

FuzzResult fuzz_plans(std::span<const PlanFile> samples, int mutants, uint32_t seed) {
  FuzzResult result;
  const auto units = open_units("cpu", {.num_threads = 1});
  if (!units) return result;
  for_each_mutant(samples, mutants, seed, &result, [&](const std::shared_ptr<const Plan>& plan) {
    count(run_twice(plan, *units), &result);
    run_parts(plan, *units->front(), RunLimits(), &result);
  });
  return result;
}

FuzzResult fuzz_plans_on(const UnitList& units, std::span<const PlanFile> samples, int mutants, uint32_t seed) {
  FuzzResult result;
  for_each_mutant(samples, mutants, seed, &result, [&](const std::shared_ptr<const Plan>& plan) {
    SessionOptions options;
    options.costs.table = flat_costs(*plan, units, [](const UnitInfo&) { return 100; });
    count(run_twice(plan, units, options), &result);
  });
  return result;
}

}  // namespace nestrt::test
