// SPDX-License-Identifier: Apache-2.0
#include "scheduler/search/search.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "scheduler/problem/invalid_index.h"
#include "scheduler/search/search_states.h"

namespace nestrt::scheduler {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr size_t kFirstWidth = 4;
constexpr size_t kWiden = 8;

// A state extended by one decision.
struct Candidate {
  double bound = 0;
  double work = 0;  // the bound from the work alone; the tie-break for states with equal bounds
  uint32_t parent = 0;
  Decision decision;
};

bool is_better(const Candidate& a, const Candidate& b) {
  return a.bound != b.bound ? a.bound < b.bound : a.work < b.work;
}

uint64_t scramble(uint64_t value) {
  value = (value + 1) * 0x9E3779B97F4A7C15;
  value = (value ^ value >> 32) * 0xD6E8FEB86659FD93;
  return value ^ value >> 32;
}

// Numbers each task's choices by where their results are: choices with the same results in the same places share a
// number.
std::vector<std::vector<uint32_t>> places_of(const Problem& problem) {
  std::vector<std::vector<uint32_t>> places(problem.tasks.size());
  for (size_t task = 0; task < places.size(); ++task) {
    std::map<std::vector<std::pair<uint32_t, ChannelRange>>, uint32_t> known;
    for (const Choice& choice : problem.tasks[task].choices) {
      std::vector<std::pair<uint32_t, ChannelRange>> place;
      for (const Part& part : choice.parts) place.emplace_back(part.lane, part.channels);
      places[task].push_back(known.emplace(std::move(place), static_cast<uint32_t>(known.size())).first->second);
    }
  }
  return places;
}

// For each task, returns the number of bytes that each reader reads, if all readers read the whole output in equal
// amounts.
std::vector<std::optional<double>> bytes_read_of(const Problem& problem, const Bounds& bounds) {
  std::vector<std::optional<double>> bytes(problem.tasks.size());
  for (uint32_t task = 0; task < bytes.size(); ++task) {
    const std::vector<TaskInput>& readers = bounds.readers_of(task);
    const auto is_like_first = [&](const TaskInput& reader) {
      return !reader.by_channel && reader.bytes == readers.front().bytes;
    };
    if (!readers.empty() && std::all_of(readers.begin(), readers.end(), is_like_first)) bytes[task] = readers[0].bytes;
  }
  return bytes;
}

class Search {
 public:
  Search(const Problem& problem, const Bounds& bounds, const SearchOptions& options, Solution known)
      : problem_(problem),
        bounds_(bounds),
        options_(options),
        places_(places_of(problem)),
        bytes_read_(bytes_read_of(problem, bounds)),
        seen_(problem.tasks.size(), 0),
        result_{std::move(known), bounds.total_us()} {
    for (uint32_t task = 0; task < problem.tasks.size(); ++task)
      if (problem.tasks[task].inputs.empty()) sources_.push_back(task);
    work_after_.assign(problem.tasks.size() + 1, 0);
    for (size_t task = problem.tasks.size(); task-- > 0;) work_after_[task] = work_after_[task + 1] + fastest(task);
  }

  SearchResult run() && {
    for (size_t width = std::min(kFirstWidth, options_.max_width); !is_optimal();) {
      const Clock::time_point start = Clock::now();
      if (!pass(width)) break;
      if (min_dropped_bound_ == kInfinity) result_.lower_bound_us = result_.best.makespan_us;
      result_.lower_bound_us = std::max(result_.lower_bound_us, std::min(min_dropped_bound_, result_.best.makespan_us));
      is_first_ = false;
      const size_t next = next_width(width, Clock::now() - start);
      if (next < 2 * width) break;
      width = next;
    }
    result_.lower_bound_us = std::min(result_.lower_bound_us, result_.best.makespan_us);
    return std::move(result_);
  }

 private:
  double fastest(size_t task) const {
    double least = kInfinity;
    for (const Choice& choice : problem_.tasks[task].choices) {
      double longest = 0;
      for (const Part& part : choice.parts) longest = std::max(longest, part.us);
      least = std::min(least, longest);
    }
    return least;
  }

  // Ignores smaller improvements, because rounding changes the last digits of sums of the same times.
  double limit() const { return result_.best.makespan_us * (1 - 1e-12); }
  bool is_optimal() const { return result_.lower_bound_us >= limit(); }

  // Returns the largest width for which time remains, assuming that the time is proportional to the width. Returns 0 if
  // too little time remains.
  size_t next_width(size_t width, Clock::duration last_pass) const {
    const size_t widest = std::min(width * kWiden, options_.max_width);
    if (options_.deadline == Clock::time_point::max()) return widest;
    const double remaining = std::chrono::duration<double>(options_.deadline - Clock::now()).count();
    const double times = 0.8 * remaining / std::max(1e-6, std::chrono::duration<double>(last_pass).count());
    return times < 2 ? 0 : std::min(widest, static_cast<size_t>(times * static_cast<double>(width)));
  }

  // Returns when the first pass must end. It may overrun the deadline, because its result is worth the time. The
  // overrun is limited if a solution is known, because thousands of tasks may be ready at the same time.
  Clock::time_point end_of_first_pass() const {
    const bool is_limited =
        options_.deadline < Clock::time_point::max() - kMaxFirstPassOverrun && !result_.best.order.empty();
    return is_limited ? options_.deadline + kMaxFirstPassOverrun : Clock::time_point::max();
  }

  // Runs one pass over all sizes. Returns false if time ran out.
  bool pass(size_t width) {
    min_dropped_bound_ = kInfinity;
    history_.assign(1, {});
    current_.clear(1);
    current_.add(root());
    for (uint32_t size = 0; size < problem_.tasks.size(); ++size) {
      if (Clock::now() >= (is_first_ ? end_of_first_pass() : options_.deadline)) return false;
      expand(size);
      keep(width, size + 1);
      std::swap(current_, next_);
      if (current_.size() == 0) return true;
      std::vector<std::pair<uint32_t, Decision>>& steps = history_.emplace_back();
      for (const SearchState& state : current_.states()) steps.emplace_back(state.parent, state.decision);
    }
    take_best();
    return true;
  }

  SearchState root() const {
    SearchState root;
    root.free.assign(problem_.lanes.size(), 0);
    root.done.assign((problem_.tasks.size() + 63) / 64, 0);
    root.bound = bounds_.total_us();
    root.work_left = bounds_.stretches().empty() ? 0 : bounds_.stretches()[0].work_us;
    return root;
  }

  void expand(uint32_t size) {
    candidates_.clear();
    for (uint32_t index = 0; index < current_.size(); ++index) {
      const SearchState& state = current_.states()[index];
      if (state.bound >= limit()) continue;
      if (options_.one_at_a_time) {
        add_candidates(index, size);
        continue;
      }
      ++visit_;
      for (uint32_t task : sources_) add_if_ready(index, task);
      for (const LiveResult& live : state.live)
        for (const TaskInput& reader : bounds_.readers_of(live.task)) add_if_ready(index, reader.task);
    }
  }

  void add_if_ready(uint32_t index, uint32_t task) {
    const SearchState& state = current_.states()[index];
    if (std::exchange(seen_[task], visit_) == visit_ || state.has(task)) return;
    for (const TaskInput& input : problem_.tasks[task].inputs)
      if (!state.has(input.task)) return;
    add_candidates(index, task);
  }

  void add_candidates(uint32_t index, uint32_t task) {
    const std::vector<Choice>& choices = problem_.tasks[task].choices;
    for (uint32_t choice = 0; choice < choices.size(); ++choice) {
      if (!is_possible(current_.states()[index], task, choices[choice])) continue;
      const Candidate candidate = try_choice(index, {task, choice, options_.one_at_a_time});
      if (candidate.bound < limit()) candidates_.push_back(candidate);
    }
  }

  bool is_possible(const SearchState& state, uint32_t task, const Choice& choice) const {
    if (choice.sharing == kAnySharing) return true;
    const uint32_t sharing = bounds_.is_barrier(task) ? 0 : state.sharing;
    if (sharing != kAnySharing && sharing != choice.sharing) return false;
    const auto has_twin = [&](const Part& part) { return is_like_the_lane_before(state, choice.sharing, part.lane); };
    return std::none_of(choice.parts.begin(), choice.parts.end(), has_twin);
  }

  // Returns whether the lane is equivalent to the previous one. Of equivalent host lanes, only the first is tried. Lane
  // 0 differs, because barriers run on it.
  bool is_like_the_lane_before(const SearchState& state, uint32_t sharing, uint32_t lane) const {
    const std::vector<double>& shares = problem_.sharings[sharing];
    if (lane < 2 || lane >= shares.size() || shares[lane] != shares[lane - 1]) return false;
    if (state.free[lane] != state.free[lane - 1]) return false;
    return std::none_of(state.live.begin(), state.live.end(), [&](const LiveResult& live) {
      const std::vector<Part>& parts = problem_.tasks[live.task].choices[live.choice].parts;
      return std::any_of(parts.begin(), parts.end(),
                         [&](const Part& part) { return part.lane == lane || part.lane == lane - 1; });
    });
  }

  // Returns the end of the part if it is appended to a lane that becomes free at time `free`.
  double end_of(const SearchState& state, double free, uint32_t task, const Part& part) const {
    double start = std::max(free, fetch_us(problem_, problem_.tasks[task], part));
    for (const TaskInput& input : problem_.tasks[task].inputs) start = std::max(start, arrival_us(state, input, part));
    if (options_.one_at_a_time && task > 0) start = std::max(start, arrival_us(state, {task - 1}, part));
    return start + part.us;
  }

  double arrival_us(const SearchState& state, const TaskInput& input, const Part& part) const {
    const LiveResult& live = *std::find_if(state.live.begin(), state.live.end(),
                                           [&](const LiveResult& result) { return result.task == input.task; });
    if (live.place == LiveResult::kAnywhere) return live.times[part.lane];
    return arrival_us(live, input, part);
  }

  // Returns when a result arrives, given the end times of its parts.
  double arrival_us(const LiveResult& live, const TaskInput& input, const Part& part) const {
    const std::vector<Part>& parts = problem_.tasks[live.task].choices[live.choice].parts;
    double arrival = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (!reads(input, part, parts[i])) continue;
      const double transfer = transfer_us(problem_, parts[i].lane, part.lane, input.bytes * parts[i].output_share);
      arrival = std::max(arrival, live.times[i] + transfer);
    }
    return arrival;
  }

  static Part on_lane(uint32_t lane) {
    Part part;
    part.lane = lane;
    return part;
  }

  // Replaces the location of a result by its arrival times if only these matter.
  void forget_place(LiveResult& result) const {
    const std::optional<double>& bytes = bytes_read_[result.task];
    if (!bytes || options_.one_at_a_time || problem_.lanes.size() > LiveResult::kMaxTimes) return;
    std::array<double, LiveResult::kMaxTimes> arrivals{};
    for (uint32_t lane = 0; lane < problem_.lanes.size(); ++lane)
      arrivals[lane] = arrival_us(result, {result.task, *bytes}, on_lane(lane));
    result.times = arrivals;
    result.place = LiveResult::kAnywhere;
  }

  Candidate try_choice(uint32_t index, Decision decision) {
    const SearchState& state = current_.states()[index];
    const Choice& choice = problem_.tasks[decision.task].choices[decision.choice];
    Candidate candidate{state.bound, 0, index, decision};
    free_ = state.free;
    double latest = 0;
    for (uint32_t i = 0; i < choice.parts.size(); ++i) {
      double& free = free_[choice.parts[i].lane];
      const double end = free = end_of(state, free, decision.task, choice.parts[i]);
      latest = std::max(latest, end);
      candidate.bound = std::max(candidate.bound, end + bounds_.tail_us(decision.task, decision.choice, i));
    }
    if (options_.one_at_a_time) {
      candidate.work = latest + work_after_[decision.task + 1];
    } else {
      const uint32_t sharing = choice.sharing == kAnySharing ? state.sharing : choice.sharing;
      candidate.work = bounds_.is_barrier(decision.task) ? candidate.bound : work_bound(state, decision.task, sharing);
    }
    candidate.bound = std::max(candidate.bound, candidate.work);
    return candidate;
  }

  // Returns the work bound after the task has been placed and the lanes become free at free_.
  double work_bound(const SearchState& state, uint32_t task, uint32_t sharing) const {
    const Stretch& stretch = bounds_.stretches()[state.stretch];
    double bound = state.work_left - bounds_.work_of(task) + bounds_.tail_from_end(state.stretch);
    double host_least = kInfinity, host_weight = 0;
    for (uint32_t lane = 0; lane < problem_.lanes.size(); ++lane) {
      const uint32_t unit = problem_.lanes[lane].unit;
      if (!problem_.units[unit].is_host) {
        bound += stretch.weights[unit] * free_[lane];
      } else if (sharing == kAnySharing) {
        host_weight = stretch.weights[unit];
        host_least = std::min(host_least, free_[lane]);
      } else if (lane < problem_.sharings[sharing].size()) {
        bound += stretch.weights[unit] * problem_.sharings[sharing][lane] * free_[lane];
      }
    }
    return host_weight > 0 ? bound + host_weight * host_least : bound;
  }

  // Keeps the best candidates. `size`: the number of tasks in each.
  void keep(size_t width, uint32_t size) {
    const size_t considered = std::min(candidates_.size(), 4 * width);
    if (considered < candidates_.size()) {
      const auto middle = candidates_.begin() + static_cast<std::ptrdiff_t>(considered);
      std::nth_element(candidates_.begin(), middle, candidates_.end(), is_better);
      min_dropped_bound_ = std::min(min_dropped_bound_, middle->bound);
      candidates_.resize(considered);
    }
    std::sort(candidates_.begin(), candidates_.end(), is_better);
    next_.clear(width);
    for (const Candidate& candidate : candidates_) {
      if (next_.size() == width) {
        min_dropped_bound_ = std::min(min_dropped_bound_, candidate.bound);
        break;
      }
      make(candidate);
      if (size == bounds_.stretches()[made_.stretch].end) pass_separator();
      if (options_.one_at_a_time) std::fill(made_.free.begin(), made_.free.end(), 0);
      next_.add(made_);
    }
  }

  // Sets made_ to the state that results from the candidate.
  void make(const Candidate& candidate) {
    const SearchState& parent = current_.states()[candidate.parent];
    const uint32_t task = candidate.decision.task, choice = candidate.decision.choice;
    const std::vector<Part>& parts = problem_.tasks[task].choices[choice].parts;
    made_ = parent;
    made_.parent = candidate.parent;
    made_.decision = candidate.decision;
    made_.bound = candidate.bound;
    made_.done[task / 64] |= uint64_t{1} << (task % 64);
    made_.done_hash ^= scramble(task);
    LiveResult result{task, choice, places_[task][choice], {}};
    for (size_t i = 0; i < parts.size(); ++i) {
      double& free = made_.free[parts[i].lane];
      result.times[i] = free = end_of(parent, free, task, parts[i]);
      made_.makespan = std::max(made_.makespan, result.times[i] + deliver_us(problem_, problem_.tasks[task], parts[i]));
    }
    const uint32_t sharing = problem_.tasks[task].choices[choice].sharing;
    if (sharing != kAnySharing) made_.sharing = sharing;
    made_.work_left -= bounds_.work_of(task);
    forget_place(result);
    update_live(result);
  }

  void update_live(const LiveResult& result) {
    std::erase_if(made_.live, [&](const LiveResult& live) { return !is_read(live.task); });
    const bool matters = options_.one_at_a_time || is_read(result.task);
    if (!matters) return;
    const auto at = std::find_if(made_.live.begin(), made_.live.end(),
                                 [&](const LiveResult& live) { return live.task > result.task; });
    made_.live.insert(at, result);
  }

  bool is_read(uint32_t task) const {
    const std::vector<TaskInput>& readers = bounds_.readers_of(task);
    return std::any_of(readers.begin(), readers.end(),
                       [&](const TaskInput& reader) { return !made_.has(reader.task); });
  }

  void pass_separator() {
    const double start = earliest_after(bounds_.stretches()[made_.stretch]);
    for (double& free : made_.free) free = std::max(free, start);
    made_.sharing = kAnySharing;
    ++made_.stretch;
    made_.work_left = made_.stretch < bounds_.stretches().size() ? bounds_.stretches()[made_.stretch].work_us : 0;
  }

  // Returns the earliest possible start after a stretch: the time at which its last results have arrived at some lane.
  double earliest_after(const Stretch& stretch) const {
    double earliest = kInfinity;
    for (uint32_t lane = 0; lane < problem_.lanes.size(); ++lane) {
      double arrival = 0;
      for (const LiveResult& live : made_.live)
        if (std::find(stretch.last.begin(), stretch.last.end(), live.task) != stretch.last.end())
          arrival = std::max(arrival, arrival_us(made_, {live.task}, on_lane(lane)));
      earliest = std::min(earliest, arrival);
    }
    return earliest;
  }

  void take_best() {
    const auto states = current_.states();
    const auto best = std::min_element(states.begin(), states.end(), [](const SearchState& a, const SearchState& b) {
      return a.makespan < b.makespan;
    });
    if (best->makespan >= result_.best.makespan_us) return;
    result_.best = {std::vector<Decision>(problem_.tasks.size()), best->makespan};
    auto at = static_cast<uint32_t>(best - states.begin());
    for (size_t size = problem_.tasks.size(); size > 0; --size) {
      result_.best.order[size - 1] = history_[size][at].second;
      at = history_[size][at].first;
    }
  }

  const Problem& problem_;
  const Bounds& bounds_;
  const SearchOptions options_;
  const std::vector<std::vector<uint32_t>> places_;
  const std::vector<std::optional<double>> bytes_read_;  // by task
  std::vector<uint32_t> sources_;
  std::vector<double> work_after_;  // by task: lower bound for it and all later ones, one at a time
  std::vector<uint32_t> seen_;      // by task: the last state that considered it
  uint32_t visit_ = 0;
  SearchResult result_;
  bool is_first_ = true;
  double min_dropped_bound_ = kInfinity;                             // smallest bound of the states that a pass dropped
  std::vector<std::vector<std::pair<uint32_t, Decision>>> history_;  // by size and state: its parent and decision
  SearchLayer current_, next_;
  std::vector<Candidate> candidates_;
  SearchState made_;
  std::vector<double> free_;
};

}  // namespace

SearchResult search(const Problem& problem, const Bounds& bounds, const SearchOptions& options, Solution known) {
  return Search(problem, bounds, options, std::move(known)).run();
}

}  // namespace nestrt::scheduler
