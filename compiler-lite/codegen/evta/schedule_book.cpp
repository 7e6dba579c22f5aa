#include "compiler-lite/codegen/evta/schedule_book.h"

#include <sstream>
#include <utility>

#include "compiler-lite/codegen/evta/tuner.h"
#include "drivers/evta/checker/program_checker.h"
#include "drivers/evta/cycles/cycle_model.h"

namespace nestrt::compiler::evta {
namespace {

// To be raised with every change of what schedules cost or of which are tried.
constexpr int kTunerVersion = 1;
// What instructions of fewer micro-ops cost in HLS, where loops take time.
constexpr uint32_t kLeastMicroOps[] = {1, 16, 64};

// The clock is no part of it: it has no influence on counts of cycles.
std::string key_of(const isa::CycleProfile& p) {
  std::ostringstream text;
  for (const int number : {p.bus_bytes, p.burst_beats, int{p.aligned_bursts}, p.read_latency, p.write_latency,
                           p.write_response, int{p.overlapped_latency}, p.uop_bus_bytes, p.dispatch, p.queue_depth,
                           p.fetch_block, int{p.pads_by_beat}, p.store_gap})
    text << number << ' ';
  for (const isa::CycleProfile::Unit& unit : {p.gemm, p.gemm_reset, p.alu_immediate, p.alu_tensor})
    text << unit.per_micro_op << ' ' << unit.per_iteration << ' ' << unit.per_instruction << ' ';
  return text.str();
}

}  // namespace

ScheduleBook::ScheduleBook(const isa::Configuration& configuration, const isa::CycleProfile& profile,
                           std::shared_ptr<TuningCache> cache)
    : profile_(profile),
      cache_(std::move(cache)),
      key_("tuner " + std::to_string(kTunerVersion) + ", " + std::string(configuration.name) + ", " +
           key_of(profile)) {}

Result<GeneratedProgram> ScheduleBook::program(const LayerGenerator& generator, size_t programs) {
  const std::string key = key_ + ", best of " + std::to_string(programs) + ", " + generator.cost_key();
  if (const auto known = cache_->find(key))
    if (auto program = checked_program(generator, *known)) return program;
  NESTRT_ASSIGN_OR_RETURN(const Schedule schedule, search(generator, programs));
  cache_->add(key, schedule);
  return checked_program(generator, schedule);
}

Result<GeneratedProgram> ScheduleBook::checked_program(const LayerGenerator& generator,
                                                       const Schedule& schedule) const {
  NESTRT_ASSIGN_OR_RETURN(GeneratedProgram program, generator.generate(schedule));
  NESTRT_RETURN_IF_ERROR(isa::check_program(program.program()));
  return program;
}

Result<Schedule> ScheduleBook::search(const LayerGenerator& generator, size_t programs) const {
  TuneOptions options;
  options.cost = [this](const isa::Program& program) {
    const auto count = isa::count_cycles(program, profile_);
    return count ? count->cycles : 0;
  };
  options.most_programs = programs;
  options.bus_bytes = profile_.bus_bytes;
  options.least_micro_ops.assign(std::begin(kLeastMicroOps), std::end(kLeastMicroOps));
  NESTRT_ASSIGN_OR_RETURN(const TunedSchedule tuned, tune(generator, options));
  return tuned.schedule;
}

}  // namespace nestrt::compiler::evta
