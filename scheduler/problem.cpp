#include "scheduler/problem.h"

namespace nestrt::scheduler {
namespace {

// One megabyte per second is one byte per microsecond.
double copy_us(const ProblemUnit& unit, double bytes) {
  return unit.is_cpu || unit.overhead.mb_per_s <= 0 ? 0 : bytes / unit.overhead.mb_per_s;
}

}  // namespace

Predecessors predecessors_of(const Problem& problem) {
  Predecessors predecessors(problem.tasks.size());
  for (uint32_t task = 0; task < problem.tasks.size(); ++task)
    for (const TaskInput& input : problem.tasks[task].inputs) predecessors[task].push_back(input.task);
  return predecessors;
}

double transfer_us(const Problem& problem, uint32_t from_lane, uint32_t to_lane, double bytes) {
  if (from_lane == to_lane) return 0;
  const uint32_t from = problem.lanes[from_lane].unit, to = problem.lanes[to_lane].unit;
  if (from == to) return problem.units[from].overhead.lane_us;
  return transfer_us(problem.units[from], problem.units[to], bytes);
}

double transfer_us(const ProblemUnit& from, const ProblemUnit& to, double bytes) {
  return from.overhead.finish_us + to.overhead.start_us + copy_us(from, bytes) + copy_us(to, bytes);
}

double fetch_us(const Problem& problem, const Task& task, const Part& part) {
  const ProblemUnit& unit = problem.unit_of(part);
  if (!task.reads_caller) return 0;
  if (unit.is_cpu) return transfer_us(problem, 0, part.lane, 0);
  return unit.overhead.start_us + copy_us(unit, task.caller_bytes);
}

double deliver_us(const Problem& problem, const Task& task, const Part& part) {
  const ProblemUnit& unit = problem.unit_of(part);
  if (!task.is_result) return 0;
  if (unit.is_cpu) return transfer_us(problem, part.lane, 0, 0);
  return unit.overhead.finish_us + copy_us(unit, task.result_bytes * part.output_share);
}

}  // namespace nestrt::scheduler
