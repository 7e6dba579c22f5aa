// SPDX-License-Identifier: Apache-2.0
#include "runtime/costs/measurement/measure_costs.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <thread>

#include "nestrt/driver/plan_tables.h"
#include "runtime/core/host.h"
#include "runtime/costs/measurement/plan_memory.h"
#include "runtime/costs/measurement/sample_statistics.h"
#include "runtime/costs/unit_key.h"
#include "runtime/plan/queries/channels.h"
#include "runtime/plan/queries/program_for.h"
#include "runtime/plan/queries/views.h"
#include "runtime/platform/guard.h"
#include "runtime/platform/named_thread.h"

namespace nestrt {
namespace {

double microseconds(SteadyClock::duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

double median_of(std::vector<double> samples) {
  return samples.empty() ? 0 : std::max(0.0, describe_samples(std::move(samples)).median);
}

// Measures the time from a signal by one thread until a sleeping thread continues.
Result<double> measure_wake_up() {
  constexpr int kRepetitions = 40;
  Event ping, pong;
  std::vector<double> samples;
  samples.reserve(kRepetitions);  // nothing may fail while the other thread waits
  uint64_t ping_generation = ping.arm(), pong_generation = 0;
  const auto answer = [&] {
    for (int i = 0; i < kRepetitions; ++i) {
      const Status status = ping.wait();
      samples.back() = microseconds(SteadyClock::now().time_since_epoch()) - samples.back();
      ping_generation = ping.arm();
      pong.signal(pong_generation, status);
    }
  };
  NESTRT_ASSIGN_OR_RETURN(NamedThread other, start_named_thread("nestrt-measure", answer));
  for (int i = 0; i < kRepetitions; ++i) {
    pong_generation = pong.arm();
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    samples.push_back(microseconds(SteadyClock::now().time_since_epoch()));
    ping.signal(ping_generation);
    if (!pong.wait().ok()) break;
  }
  other.join();
  return median_of(std::move(samples));
}

// Measures the time from one lane of the host to another: half of a round trip between adjacent lanes. Uses the best of
// several attempts, because the system sometimes wakes a worker on the caller's core and migrates it later. Returns 0
// for a host without lanes.
double measure_lanes(Unit& unit) {
  Host* const host = unit.host();
  if (host == nullptr) return 0;
  constexpr int kBeginnings = 16, kRepetitions = 24;
  double best = std::numeric_limits<double>::infinity();
  for (int beginning = 0; beginning < kBeginnings; ++beginning) {
    std::vector<double> samples;
    for (int i = 0; i < kRepetitions; ++i) {
      const SteadyClock::time_point start = SteadyClock::now();
      const bool has_run = host->run_lanes(2, [](int) {});  // false if another session uses the lanes
      if (has_run) samples.push_back(microseconds(SteadyClock::now() - start) / 2);
    }
    best = std::min(best, median_of(std::move(samples)));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // lets workers fall asleep
  }
  return best;
}

// The times of one submission.
class Recorder final : public RunObserver {
 public:
  void operator_done(uint32_t operator_index, Time start, Time end) override {
    if (times_.empty()) start_ = start;
    times_.emplace_back(operator_index, end - start);
    end_ = end;
  }
  void reserve(size_t operators) { times_.reserve(operators); }
  void reset() { times_.clear(); }

  std::span<const std::pair<uint32_t, SteadyClock::duration>> times() const { return times_; }
  SteadyClock::duration total() const { return times_.empty() ? SteadyClock::duration() : end_ - start_; }
  Time start() const { return start_; }
  Time end() const { return end_; }

 private:
  std::vector<std::pair<uint32_t, SteadyClock::duration>> times_;
  Time start_, end_;
};

// The samples of one work item on one unit.
struct Series {
  WorkTimes times;
  std::vector<double> samples;
};

// A branch, or some of its channels, in a measured inference.
struct Piece {
  Executable* executable = nullptr;
  uint32_t branch = 0;
  Unit* unit = nullptr;         // the accelerator; null: the host
  std::vector<Series*> series;  // per operator on the host, otherwise one; null or empty: not recorded
};

// One way to run the plan.
struct Variant {
  int threads = 0;
  const Unit* unit = nullptr;  // the measured accelerator; null: none
  std::vector<Piece> pieces = {};
  int runs = 0;
  int next_check = 0;  // number of runs after which the precision is checked
  bool is_warm = false;
  bool is_over = false;
};

class Measurement {
 public:
  Measurement(std::shared_ptr<const Plan> plan, const MeasureOptions& options)
      : plan_(std::move(plan)), branches_(plan_->tables().branches), options_(options) {}

  Status prepare(const UnitList& units) {
    units_ = units;
    NESTRT_RETURN_IF_ERROR(choose_units());
    NESTRT_RETURN_IF_ERROR(choose_threads());
    NESTRT_ASSIGN_OR_RETURN(memory_, PlanMemory::create(*plan_, units));
    recorder_.reserve(plan_->tables().operators.size());
    NESTRT_RETURN_IF_ERROR(prepare_alone());
    NESTRT_RETURN_IF_ERROR(prepare_host());
    for (Unit* unit : others_) {
      NESTRT_RETURN_IF_ERROR(prepare_whole(*unit));
      NESTRT_RETURN_IF_ERROR(prepare_parts(*unit));
    }
    return {};
  }

  // Variants alternate, so that a temporary slowdown of the machine affects all of them.
  Status run(FunctionRef<void(int64_t, int64_t)> progress) {
    const auto variants = static_cast<int64_t>(variants_.size());
    const int64_t most = variants * (options_.warmup + options_.max_runs);
    last_end_ = SteadyClock::now() + options_.total_limit;
    for (Variant& variant : variants_) {
      NESTRT_RETURN_IF_ERROR(warm_up(variant));
      progress(inferences_done(), most);
    }
    end_ = std::min(SteadyClock::now() + options_.limit * variants, last_end_);
    while (!std::ranges::all_of(variants_, &Variant::is_over)) {
      for (Variant& variant : variants_) {
        if (variant.is_over) continue;
        NESTRT_RETURN_IF_ERROR(run_once(variant, true));
        ++variant.runs;
        variant.is_over = variant.is_over || has_enough_runs(variant);
        progress(inferences_done(), most);
      }
    }
    return {};
  }

  Result<MeasuredCosts> result() {
    MeasuredCosts result;
    for (Series* series : order_) {
      if (series->samples.empty()) continue;
      describe(*series);
      result.costs.set(series->times.unit, series->times.work, {series->times.median_us, CostSource::kMeasured});
      result.works.push_back(series->times);
    }
    result.failed = failed_;
    NESTRT_ASSIGN_OR_RETURN(const double wake_up, measure_wake_up());
    const double lane = measure_lanes(*host_);
    for (int threads : threads_) result.costs.set_overhead(host_key(threads), {wake_up, 0, 0, lane});
    for (const auto& [key, overheads] : overheads_)
      result.costs.set_overhead(key, {wake_up + median_of(overheads.start), median_of(overheads.finish)});
    return result;
  }

 private:
  struct OverheadSamples {
    std::vector<double> start, finish;
  };

  Status choose_units() {
    for (const std::shared_ptr<Unit>& unit : units_) {
      if (unit == nullptr) return Status(Code::kInvalidArgument, "a unit to measure is null");
      if (unit->info().is_host) {
        if (host_ == nullptr) host_ = unit.get();
        continue;
      }
      const bool known = std::any_of(others_.begin(), others_.end(),
                                     [&](const Unit* other) { return are_alike(other->info(), unit->info()); });
      if (!known) others_.push_back(unit.get());
    }
    if (host_ != nullptr) return {};
    return Status(Code::kInvalidArgument, "measuring costs runs whole inferences and requires a unit 'cpu'");
  }

  Status choose_threads() {
    const int all = host_->info().num_threads;
    threads_ = options_.threads;
    if (threads_.empty()) {
      for (int threads = 1; threads < all; threads *= 2) threads_.push_back(threads);
      threads_.push_back(all);
    }
    for (int threads : threads_)
      if (threads < 1 || threads > all)
        return Status(Code::kInvalidArgument, fmt::format("cannot measure {} threads: the CPU has {}", threads, all));
    return {};
  }

  UnitKey host_key(int threads) const { return key_of(host_->info(), threads); }

  Result<Executable*> prepare(Unit& unit, uint32_t branch, const plan::Program& program, ChannelRange channels) {
    NESTRT_ASSIGN_OR_RETURN(auto executable, unit.prepare({plan_, branch, &program, channels}));
    NESTRT_RETURN_IF_ERROR(memory_.reserve_scratch(*executable));
    NESTRT_RETURN_IF_ERROR(executable->bind(memory_.bindings().buffers));
    return executables_.emplace_back(std::move(executable)).get();
  }

  const plan::Program* host_program(uint32_t branch) const { return program_for(branches_[branch], host_->info()); }

  // Prepares branches without host kernels. Such a branch runs on its unit in every inference and is measured there.
  Status prepare_alone() {
    alone_.resize(branches_.size());
    for (uint32_t branch = 0; branch < branches_.size(); ++branch) {
      if (host_program(branch) != nullptr) continue;
      const auto can_compute = [&](const Unit* unit) {
        return program_index_for(branches_[branch], unit->info()).has_value();
      };
      const auto unit = std::ranges::find_if(others_, can_compute);
      if (unit == others_.end())
        return Status(
            Code::kIncompatible,
            fmt::format("cannot measure the costs of branch {}: it has no program for any of these units", branch));
      const uint32_t program = *program_index_for(branches_[branch], (*unit)->info());
      NESTRT_ASSIGN_OR_RETURN(Executable* const executable,
                              prepare(**unit, branch, branches_[branch].programs[program], {}));
      alone_[branch] = unit_piece(executable, branch, program, **unit);
    }
    return {};
  }

  // Prepares every branch on the host, with each number of threads.
  Status prepare_host() {
    host_executables_.resize(branches_.size());
    for (uint32_t branch = 0; branch < branches_.size(); ++branch) {
      if (alone_[branch].unit != nullptr) continue;
      NESTRT_ASSIGN_OR_RETURN(host_executables_[branch], prepare(*host_, branch, *host_program(branch), {}));
    }
    for (int threads : threads_) {
      Variant& variant = variants_.emplace_back(Variant{.threads = threads});
      for (uint32_t branch = 0; branch < branches_.size(); ++branch)
        variant.pieces.push_back(alone_[branch].unit != nullptr
                                     ? alone_[branch]
                                     : host_piece(host_executables_[branch], branch, threads, {}));
    }
    return {};
  }

  // Returns the piece that runs a branch while another unit or slice is measured.
  Piece aside(uint32_t branch) const {
    return alone_[branch].unit != nullptr ? alone_[branch] : Piece{host_executables_[branch], branch, nullptr, {}};
  }

  // Prepares the branches that an accelerator supports, on that accelerator.
  Status prepare_whole(Unit& unit) {
    Variant variant{.threads = threads_.back(), .unit = &unit};
    UnitInfo info = unit.info();
    info.refused = options_.rejected;
    bool any = false;
    for (uint32_t branch = 0; branch < branches_.size(); ++branch) {
      const std::optional<uint32_t> program = program_index_for(branches_[branch], info);
      if (!program || alone_[branch].unit != nullptr) {
        variant.pieces.push_back(aside(branch));
        continue;
      }
      NESTRT_ASSIGN_OR_RETURN(Executable* const executable,
                              prepare(unit, branch, branches_[branch].programs[*program], {}));
      variant.pieces.push_back(unit_piece(executable, branch, *program, unit));
      any = true;
    }
    if (any) variants_.push_back(std::move(variant));
    return {};
  }

  // Returns whether the program is measured: only slices that start at the first channel are, because the others are
  // equally fast.
  static bool is_measured(const plan::Program& part) { return !part.channels.all() && part.channels.is_first(); }

  // Prepares the n-th way to split every divisible operator.
  Status prepare_parts(Unit& unit) {
    std::vector<std::vector<uint32_t>> parts(branches_.size());
    size_t most = 0;
    for (uint32_t branch = 0; branch < branches_.size(); ++branch) {
      const std::vector<plan::Program>& programs = branches_[branch].programs;
      for (uint32_t program = 0; program < programs.size(); ++program)
        if (can_run(programs[program], unit.info()) && is_measured(programs[program])) parts[branch].push_back(program);
      most = std::max(most, parts[branch].size());
    }
    for (size_t way = 0; way < most; ++way) NESTRT_RETURN_IF_ERROR(prepare_part(unit, parts, way));
    return {};
  }

  struct Division {
    Executable* first = nullptr;  // null: the branch is not split
    Executable* rest = nullptr;
    uint32_t first_program = 0;
    ChannelRange rest_channels;
  };

  Status prepare_part(Unit& unit, const std::vector<std::vector<uint32_t>>& parts, size_t way) {
    std::vector<Division> divisions(branches_.size());
    for (uint32_t branch = 0; branch < branches_.size(); ++branch) {
      if (way >= parts[branch].size()) continue;
      NESTRT_ASSIGN_OR_RETURN(divisions[branch], divide(unit, branch, parts[branch][way]));
    }
    for (int threads : threads_) {
      Variant& variant = variants_.emplace_back(Variant{.threads = threads, .unit = &unit});
      for (uint32_t branch = 0; branch < branches_.size(); ++branch) {
        const Division& division = divisions[branch];
        if (division.first == nullptr) {
          variant.pieces.push_back(aside(branch));
          continue;
        }
        variant.pieces.push_back(host_piece(division.rest, branch, threads, division.rest_channels));
        variant.pieces.push_back(unit_piece(division.first, branch, division.first_program, unit));
      }
    }
    return {};
  }

  Result<Division> divide(Unit& unit, uint32_t branch, uint32_t program_index) {
    const plan::Program& program = branches_[branch].programs[program_index];
    Division division;
    division.first_program = program_index;
    division.rest_channels = {program.channels.end, divisible_channels(plan_->tables(), branches_[branch]),
                              program.channels.end_row, 0};
    NESTRT_ASSIGN_OR_RETURN(division.first, prepare(unit, branch, program, program.channels));
    NESTRT_ASSIGN_OR_RETURN(division.rest, prepare(*host_, branch, *host_program(branch), division.rest_channels));
    return division;
  }

  Piece host_piece(Executable* executable, uint32_t branch, int threads, ChannelRange channels) {
    Piece piece{executable, branch, nullptr, {}};
    for (uint32_t op : branches_[branch].operators) {
      const bool view = is_view(plan_->tables(), plan_->tables().operators[op]);
      piece.series.push_back(view ? nullptr
                                  : series_for(host_key(threads), work_name(*plan_, op, host_key(threads), channels),
                                               op, branch, channels));
    }
    return piece;
  }

  Piece unit_piece(Executable* executable, uint32_t branch, uint32_t program, Unit& unit) {
    const uint32_t first = branches_[branch].operators[0];
    const ChannelRange channels = branches_[branch].programs[program].channels;
    return {executable,
            branch,
            &unit,
            {series_for(key_of(unit.info()), program_work_name(*plan_, branch, program), first, branch, channels)}};
  }

  // Returns the samples for a work item. Branches with the same work share them.
  Series* series_for(const UnitKey& unit, const std::string& work, uint32_t op, uint32_t branch,
                     ChannelRange channels) {
    Series& series = series_[{unit, work}];
    if (series.times.work.empty()) {
      series.times = {unit, work, plan_->tables().operators[op].name, branch, channels};
      order_.push_back(&series);
    }
    return &series;
  }

  Status warm_up(Variant& variant) {
    variant.next_check = std::max(1, options_.min_runs);
    variant.is_warm = true;
    for (int i = 0; i < options_.warmup && !variant.is_over && SteadyClock::now() < last_end_; ++i)
      NESTRT_RETURN_IF_ERROR(run_once(variant, false));
    return {};
  }

  // Returns the number of inferences that have run or been skipped.
  int64_t inferences_done() const {
    int64_t done = 0;
    for (const Variant& variant : variants_)
      if (variant.is_warm) done += options_.warmup + (variant.is_over ? options_.max_runs : variant.runs);
    return done;
  }

  bool has_enough_runs(Variant& variant) const {
    if (variant.runs >= options_.max_runs || SteadyClock::now() >= last_end_) return true;
    if (variant.runs < variant.next_check) return false;
    variant.next_check = variant.runs + std::max(1, variant.runs / 4);
    return is_precise(variant) || SteadyClock::now() >= end_;
  }

  Status run_once(const Variant& variant, bool counts) {
    for (const Piece& piece : variant.pieces) {
      const Status status = run_piece(variant, piece, counts);
      if (status.ok()) continue;
      const bool is_needed = piece.unit == nullptr || alone_[piece.branch].unit != nullptr;
      return is_needed ? status : give_up(*piece.unit, status);
    }
    return {};
  }

  // Omits the unit from now on: the times of a unit that fails intermittently are meaningless.
  Status give_up(const Unit& unit, const Status& why) {
    if (!memory_.is_safe()) return why;
    for (Variant& variant : variants_) variant.is_over |= variant.unit == &unit;
    for (Series* series : order_)
      if (series->times.unit == key_of(unit.info())) series->samples.clear();
    overheads_.erase(key_of(unit.info()));
    const auto place = std::ranges::find(units_, &unit, &std::shared_ptr<Unit>::get) - units_.begin();
    failed_.push_back({static_cast<uint32_t>(place), why});
    return {};
  }

  Status run_piece(const Variant& variant, const Piece& piece, bool counts) {
    recorder_.reset();
    const CoreShare cores{.threads = variant.threads};
    Submission submission;
    submission.bindings = memory_.bindings();
    submission.observer = &recorder_;
    submission.cores = &cores;
    const SteadyClock::time_point submitted = SteadyClock::now();
    submission.submitter_waits = true;
    if (piece.unit != nullptr) submission.unit_deadline = submitted + options_.unit_timeout;
    NESTRT_RETURN_IF_ERROR(nestrt::run(*piece.executable, submission));
    if (counts && !piece.series.empty()) record(piece, submitted, SteadyClock::now());
    return {};
  }

  void record(const Piece& piece, SteadyClock::time_point submitted, SteadyClock::time_point completed) {
    if (piece.unit != nullptr) {
      piece.series[0]->samples.push_back(microseconds(recorder_.total()));
      OverheadSamples& overheads = overheads_[key_of(piece.unit->info())];
      overheads.start.push_back(microseconds(recorder_.start() - submitted));
      overheads.finish.push_back(microseconds(completed - recorder_.end()));
      return;
    }
    const uint32_t first = branches_[piece.branch].operators[0];  // the other operators follow this one
    for (const auto& [op, time] : recorder_.times())
      if (Series* series = piece.series[op - first]) series->samples.push_back(microseconds(time));
  }

  bool is_precise(const Variant& variant) const {
    constexpr double kSmallest = 1;  // microseconds; about the error of clock and observer
    std::set<const Series*> seen;    // equal operators share one series
    for (const Piece& piece : variant.pieces) {
      for (const Series* series : piece.series) {
        if (series == nullptr || series->samples.empty() || !seen.insert(series).second) continue;
        const SampleStatistics statistics = describe_samples(series->samples);
        if (statistics.error > std::max(kSmallest, options_.precision * statistics.median)) return false;
      }
    }
    return true;
  }

  static void describe(Series& series) {
    const SampleStatistics statistics = describe_samples(series.samples);
    series.times.runs = static_cast<int>(series.samples.size());
    series.times.outliers = statistics.outliers;
    series.times.median_us = statistics.median;
    series.times.first_quartile_us = statistics.first_quartile;
    series.times.third_quartile_us = statistics.third_quartile;
    series.times.error_us = statistics.error;
  }

  const std::shared_ptr<const Plan> plan_;
  const std::vector<plan::Branch>& branches_;
  const MeasureOptions options_;
  UnitList units_;
  Unit* host_ = nullptr;
  std::vector<Unit*> others_;
  std::vector<int> threads_;
  PlanMemory memory_;
  std::vector<std::unique_ptr<Executable>> executables_;
  std::vector<Piece> alone_;                   // per branch, if the host has no kernels; otherwise without a unit
  std::vector<Executable*> host_executables_;  // per branch, if the host has kernels
  std::vector<Variant> variants_;
  std::map<std::pair<UnitKey, std::string>, Series> series_;
  std::vector<Series*> order_;
  std::map<UnitKey, OverheadSamples> overheads_;
  std::vector<FailedUnit> failed_;
  Recorder recorder_;
  SteadyClock::time_point end_;       // time limit for reaching the precision
  SteadyClock::time_point last_end_;  // time limit for everything except one run of each variant
};

}  // namespace

Result<MeasuredCosts> measure_costs(std::shared_ptr<const Plan> plan, const UnitList& units,
                                    const MeasureOptions& options, FunctionRef<void(int64_t, int64_t)> progress) {
  return guarded([&]() -> Result<MeasuredCosts> {
    Measurement measurement(std::move(plan), options);
    NESTRT_RETURN_IF_ERROR(measurement.prepare(units));
    NESTRT_RETURN_IF_ERROR(measurement.run(progress));
    return measurement.result();
  });
}

}  // namespace nestrt
