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

double transfer_us(const Problem& problem, uint32_t from_unit, uint32_t to_unit, double bytes) {
  if (from_unit == to_unit) return 0;
  const ProblemUnit& from = problem.units[from_unit];
  const ProblemUnit& to = problem.units[to_unit];
  return from.overhead.finish_us + to.overhead.start_us + copy_us(from, bytes) + copy_us(to, bytes);
}

double fetch_us(const Problem& problem, const Task& task, const Part& part) {
  const ProblemUnit& unit = problem.unit_of(part);
  if (!task.reads_caller || unit.is_cpu) return 0;
  return unit.overhead.start_us + copy_us(unit, task.caller_bytes);
}

double deliver_us(const Problem& problem, const Task& task, const Part& part) {
  const ProblemUnit& unit = problem.unit_of(part);
  if (!task.is_result || unit.is_cpu) return 0;
  return unit.overhead.finish_us + copy_us(unit, task.result_bytes * part.output_share);
}

}  // namespace nestrt::scheduler
