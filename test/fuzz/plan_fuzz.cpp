// SPDX-License-Identifier: Apache-2.0
// Runs a plan that passes verification twice, on memory with different contents. It must stay within its memory, and
// its results may depend only on its inputs.
#include "test/support/plan/plan_fuzz.h"

#include <new>

#include "nestrt/open_units.h"
#include "test/fuzz/fuzz_input.h"
#include "test/support/kernel/guarded_run.h"

namespace nestrt::test {
namespace {

constexpr RunLimits kLimits{.buffer_bytes = 1 << 16, .elements = 1 << 12};

// A copy with a plan's alignment, followed by memory that AddressSanitizer guards.
class ExactCopy {
 public:
  explicit ExactCopy(std::span<const std::byte> bytes)
      : data_(static_cast<std::byte*>(::operator new(bytes.size(), kAlignment))), size_(bytes.size()) {
    std::copy(bytes.begin(), bytes.end(), data_);
  }
  ~ExactCopy() { ::operator delete(data_, kAlignment); }
  ExactCopy(const ExactCopy&) = delete;
  ExactCopy& operator=(const ExactCopy&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  static constexpr std::align_val_t kAlignment{64};

  std::byte* data_;
  size_t size_;
};

bool has_program_for(const plan::Tables& tables, std::string_view unit) {
  for (const plan::Branch& branch : tables.branches)
    for (const plan::Program& program : branch.programs)
      if (program.unit == unit) return true;
  return false;
}

void expect_steady(const std::shared_ptr<const Plan>& plan, const UnitList& units, const SessionOptions& options) {
  const SteadyRun run = run_twice(plan, units, options);
  expect(!run.overran, "a run wrote outside its outputs");
  expect(run.steady, "the results of a plan depend on the previous contents of memory");
}

void run_parts_once(const std::shared_ptr<const Plan>& plan, Unit& cpu) {
  FuzzResult result;
  run_parts(plan, cpu, kLimits, &result);
  expect(result.overran == 0, "a part of an operator wrote outside its operands");
}

UnitList open(std::string_view units) {
  auto opened = open_units(units, {.num_threads = 1});
  expect(opened.has_value(), "units cannot be opened");
  return std::move(*opened);
}

void run(const std::shared_ptr<const Plan>& plan) {
  static const UnitList cpu = open("cpu"), cpu_and_evta = open("cpu,evta:sim");
  expect_steady(plan, cpu, {});
  run_parts_once(plan, *cpu.front());
  if (!has_program_for(plan->tables(), "evta")) return;
  SessionOptions in_file_order;
  in_file_order.schedule.method = ScheduleMethod::kFileOrder;
  expect_steady(plan, cpu_and_evta, in_file_order);
}

}  // namespace
}  // namespace nestrt::test

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  nestrt::test::silence_log();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace nestrt;
  const test::ExactCopy file(std::as_bytes(std::span(data, size)));
  const auto plan = Plan::from_memory(file.bytes(), Verification::kComplete);
  if (plan && test::is_within(test::kLimits, **plan)) test::run(*plan);
  return 0;
}
