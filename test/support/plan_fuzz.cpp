#include "test/support/plan_fuzz.h"

#include <algorithm>
#include <random>
#include <vector>

#include "nestrt/open_units.h"
#include "nestrt/session.h"
#include "runtime/core/aligned_memory.h"
#include "runtime/plan/channels.h"
#include "runtime/plan/program_for.h"
#include "test/support/guarded_bytes.h"

namespace nestrt::test {
namespace {

constexpr uint64_t kMaxArena = 1 << 24;  // mutants that ask for more are not run: they only test the allocator

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
      case 0:
        tables[at] ^= std::byte{1} << (random() % 8);
        break;
      case 1:
        tables[at] = static_cast<std::byte>(random());
        break;
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

bool is_small(const Plan& plan) {
  const auto small = [](const TensorInfo& info) { return info.shape.num_elements() < 1 << 20; };
  return plan.tables().memory_plans[0].arena_bytes <= kMaxArena &&
         std::all_of(plan.inputs().begin(), plan.inputs().end(), small) &&
         std::all_of(plan.outputs().begin(), plan.outputs().end(), small);
}

void run(const std::shared_ptr<const Plan>& plan, const UnitList& units, FuzzResult& result) {
  const auto session = Session::create(plan, units);
  if (!session) return;
  std::vector<GuardedBytes> memory;
  memory.reserve(plan->inputs().size() + plan->outputs().size());
  std::vector<ConstTensorView> inputs;
  std::vector<TensorView> outputs;
  for (const TensorInfo& info : plan->inputs())
    inputs.emplace_back(info.type, info.shape, memory.emplace_back(info.size_bytes(), std::byte{0}).data());
  for (const TensorInfo& info : plan->outputs())
    outputs.push_back({info.type, info.shape, memory.emplace_back(info.size_bytes(), std::byte{0}).data()});
  result.ran += (*session)->run(inputs, outputs).ok();
  result.overran +=
      !std::all_of(memory.begin(), memory.end(), [](const GuardedBytes& block) { return block.is_intact(); });
}

// The memory of one run of a branch, every buffer with guards of its own.
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
              const GuardedBuffers& buffers) {
  const plan::Program* const program = program_for(plan->tables().branches[branch], cpu.info());
  if (program == nullptr) return;
  const auto executable = cpu.prepare({plan, branch, program, channels});
  if (!executable || (*executable)->scratch_bytes() > kMaxArena) return;
  const auto scratch = AlignedMemory::allocate((*executable)->scratch_bytes(), "scratch memory");
  if (!scratch) return;
  Submission submission;
  submission.bindings = {buffers.addresses(), scratch->data()};
  static_cast<void>(run(**executable, submission));  // it may have failed: what matters is what it touched
}

// The first block of every operator that can be divided, and the others.
void run_parts(const std::shared_ptr<const Plan>& plan, Unit& cpu, FuzzResult& result) {
  const auto& buffers = plan->tables().buffers;
  if (std::any_of(buffers.begin(), buffers.end(), [](const plan::Buffer& one) { return one.size > kMaxArena; })) return;
  const auto& branches = plan->tables().branches;
  for (uint32_t branch = 0; branch < branches.size(); ++branch) {
    const uint32_t channels = divisible_channels(plan->tables(), branches[branch]);
    if (channels == 0) continue;
    GuardedBuffers memory(*plan);
    run_part(plan, cpu, branch, {0, kChannelBlock}, memory);
    run_part(plan, cpu, branch, {kChannelBlock, channels}, memory);
    ++result.divided;
    result.overran += !memory.is_intact();
  }
}

}  // namespace

FuzzResult fuzz_plans(std::span<const PlanFile> samples, int mutants, uint32_t seed) {
  FuzzResult result;
  const auto units = open_units("cpu", {.num_threads = 1});
  if (!units) return result;
  std::mt19937 random(seed);
  for (int i = 0; i < mutants; ++i) {
    PlanFile mutant = samples[static_cast<size_t>(i) % samples.size()];
    mutate(mutant.tables(), random);
    mutant.write_digests();
    const auto plan = Plan::from_memory(mutant.bytes(), Verification::kComplete);
    result.refused += !plan;
    if (!plan || !is_small(**plan)) continue;
    run(*plan, *units, result);
    run_parts(*plan, *units->front(), result);
  }
  return result;
}

}  // namespace nestrt::test
