// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/evta/tuning/cached_tuner.h"

#include <fmt/core.h>

#include <utility>

#include "compiler-lite/codegen/evta/tuning/tuner.h"
#include "drivers/evta/checker/program_checker.h"
#include "drivers/evta/cycles/cycle_model.h"

namespace nestrt::compiler::evta {
namespace {

// Increment whenever tiling costs or the set of tried tilings change.
constexpr int kTunerVersion = 3;

// Excludes the clock, which does not affect cycle counts.
std::string key_of(const isa::CycleProfile& p) {
  const isa::CycleProfile::Tokens& t = p.tokens;
  std::string text;
  for (const int number : {p.bus_bytes,
                           p.burst_beats,
                           int{p.aligned_bursts},
                           p.read_latency,
                           p.write_latency,
                           p.write_response,
                           int{p.separate_writes},
                           int{p.overlapped_latency},
                           p.reads_ahead,
                           p.uop_bus_bytes,
                           p.launch,
                           p.dispatch,
                           p.queue_depth,
                           p.fetch_block,
                           int{p.streamed_fetch},
                           int{p.pads_by_beat},
                           p.pad_latency,
                           p.store_gap,
                           t.load_and_compute,
                           t.to_store,
                           t.from_store})
    text += fmt::format("{} ", number);
  for (const isa::CycleProfile::Transfer& of : {p.load_uop, p.load_inp, p.load_wgt, p.load_acc, p.store})
    text += fmt::format("{} {} {} {} {} ", of.per_instruction, of.before_row, of.after_row, of.cycles_per_beat,
                        of.long_row);
  for (const isa::CycleProfile::Unit& unit : {p.gemm, p.gemm_reset, p.alu_immediate, p.alu_tensor})
    text += fmt::format("{} {} ", unit.per_micro_op, unit.per_instruction);
  return text;
}

}  // namespace

CachedTuner::CachedTuner(const isa::Configuration& configuration, const isa::CycleProfile& profile,
                         std::shared_ptr<TuningCache> cache, ParallelRunner& parallel)
    : profile_(profile),
      cache_(std::move(cache)),
      parallel_(parallel),
      key_(fmt::format("tuner {}, {}, {}", kTunerVersion, configuration.name, key_of(profile))) {}

Result<EncodedProgram> CachedTuner::program(const LayerGenerator& generator, size_t programs) {
  const std::string key = fmt::format("{}, best of {}, {}", key_, programs, generator.cost_key());
  if (const auto known = cache_->find(key))
    if (auto program = checked_program(generator, *known)) return program;
  NESTRT_ASSIGN_OR_RETURN(Tiling tiling, search(generator, programs, false));
  Result<EncodedProgram> program = checked_program(generator, tiling);
  // Checking every measured program would take longer. The checker rejects only a few programs, those that exceed its
  // limits.
  if (!program) {
    NESTRT_ASSIGN_OR_RETURN(tiling, search(generator, programs, true));
    program = checked_program(generator, tiling);
  }
  if (program) cache_->add(key, tiling);
  return program;
}

Result<EncodedProgram> CachedTuner::checked_program(const LayerGenerator& generator, const Tiling& tiling) const {
  NESTRT_ASSIGN_OR_RETURN(EncodedProgram program, generator.generate(tiling));
  NESTRT_RETURN_IF_ERROR(isa::check_program(program.program()));
  return program;
}

// If `checks` is set, never chooses a program that the checker rejects.
Result<Tiling> CachedTuner::search(const LayerGenerator& generator, size_t programs, bool checks) const {
  TuneOptions options;
  options.cost = [this, checks](const isa::Program& program) -> uint64_t {
    if (checks && !isa::check_program(program).ok()) return 0;
    const auto count = isa::count_cycles(program, profile_);
    return count ? count->cycles : 0;
  };
  options.most_programs = programs;
  options.parallel = &parallel_;
  options.profile = &profile_;
  NESTRT_ASSIGN_OR_RETURN(const TunedTiling tuned, tune(generator, options));
  return tuned.tiling;
}

}  // namespace nestrt::compiler::evta
