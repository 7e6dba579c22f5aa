// SPDX-License-Identifier: Apache-2.0
#include "scheduler/multi_session/concurrent_sessions.h"

#include <algorithm>
#include <limits>

#include "scheduler/search/bounds.h"
#include "scheduler/search/solve.h"

namespace nestrt::scheduler {
namespace {

using Inferences = std::vector<VirtualInference>;

// The measured interval of a simulation: from the end of the last warm-up to the first end of a session.
struct Window {
  double begin_us = 0;
  double end_us = std::numeric_limits<double>::infinity();

  bool has(const VirtualInference& inference) const {
    return inference.begin_us >= begin_us && inference.end_us <= end_us;
  }
};

Window window_of(const std::vector<Inferences>& all, size_t inferences) {
  Window window;
  for (const Inferences& session : all) {
    window.begin_us = std::max(window.begin_us, session[inferences / 10].end_us);
    window.end_us = std::min(window.end_us, session.back().end_us);
  }
  return window;
}

Result<double> alone_us(const VirtualSession& session) {
  constexpr size_t kUntilSteady = 3;
  NESTRT_ASSIGN_OR_RETURN(const std::vector<Inferences> alone,
                          run_in_virtual_time(std::span(&session, 1), kUntilSteady));
  return alone[0].back().end_us - alone[0].back().begin_us;
}

SessionFigures figures_of(const Inferences& inferences, const Window& window) {
  std::vector<double> latencies;
  for (const VirtualInference& inference : inferences)
    if (window.has(inference)) latencies.push_back(inference.end_us - inference.begin_us);
  SessionFigures figures;
  if (latencies.empty()) return figures;
  std::sort(latencies.begin(), latencies.end());
  figures.median_us = latencies[latencies.size() / 2];
  figures.p99_us = latencies[latencies.size() * 99 / 100];
  figures.longest_us = latencies.back();
  figures.per_second = 1e6 * static_cast<double>(latencies.size()) / (window.end_us - window.begin_us);
  return figures;
}

// Returns the load of the busiest unit in one round.
double busiest_us(std::span<const RoundPart> parts, const std::vector<Solution>& solutions) {
  std::vector<double> loads(parts[0].problem.units.size(), 0);
  for (size_t i = 0; i < parts.size(); ++i) {
    const Problem& problem = parts[i].problem;
    for (const Decision& decision : solutions[i].order)
      for (const Part& part : problem.tasks[decision.task].choices[decision.choice].parts)
        loads[problem.lanes[part.lane].unit] += part.us * part.unit_share * parts[i].inferences;
  }
  return *std::max_element(loads.begin(), loads.end());
}

// Splits the solution of a round into one solution per network.
std::vector<Solution> solutions_of(std::span<const RoundPart> parts, const Solution& round) {
  std::vector<Solution> solutions;
  uint32_t first = 0;
  for (const RoundPart& part : parts) {
    const auto end = first + static_cast<uint32_t>(part.problem.tasks.size());
    std::vector<Decision> order;
    for (const Decision& decision : round.order)
      if (decision.task >= first && decision.task < end)
        order.push_back({decision.task - first, decision.choice, decision.after_previous});
    solutions.push_back(evaluate(part.problem, order));
    first = end;
  }
  return solutions;
}

}  // namespace

Result<ConcurrentRun> run_concurrently(std::span<const VirtualSession> sessions, size_t inferences) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<Inferences> all, run_in_virtual_time(sessions, inferences));
  const Window window = window_of(all, inferences);
  ConcurrentRun result;
  std::vector<RoundPart> second;
  for (size_t i = 0; i < sessions.size(); ++i) {
    SessionFigures& figures = result.sessions.emplace_back(figures_of(all[i], window));
    NESTRT_ASSIGN_OR_RETURN(figures.alone_us, alone_us(sessions[i]));
    second.push_back({sessions[i].problem, figures.per_second});
  }
  result.bound_fraction = load_bound_us(round_problem(second)) / 1e6;
  return result;
}

Problem round_problem(std::span<const RoundPart> parts) {
  Problem round = parts[0].problem;
  round.tasks.clear();
  for (const RoundPart& network : parts) {
    const auto first = static_cast<uint32_t>(round.tasks.size());
    for (Task task : network.problem.tasks) {
      for (TaskInput& input : task.inputs) input.task += first;
      for (Choice& choice : task.choices)
        for (Part& part : choice.parts) part.us *= network.inferences;
      round.tasks.push_back(std::move(task));
    }
  }
  return round;
}

std::vector<Solution> balance_together(std::span<const RoundPart> parts, std::chrono::microseconds budget) {
  const auto share = budget / static_cast<int64_t>(parts.size() + 1);
  std::vector<Solution> each;
  for (const RoundPart& part : parts) each.push_back(solve(part.problem, ScheduleMethod::kThroughput, share).solution);
  const Solution round = solve(round_problem(parts), ScheduleMethod::kThroughput, share).solution;
  std::vector<Solution> together = solutions_of(parts, round);
  return busiest_us(parts, together) <= busiest_us(parts, each) ? together : each;
}

}  // namespace nestrt::scheduler
