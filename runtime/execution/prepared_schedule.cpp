// SPDX-License-Identifier: Apache-2.0
#include "runtime/execution/prepared_schedule.h"

#include <algorithm>

#include "nestrt/driver/plan_tables.h"
#include "runtime/core/channel_blocks.h"
#include "runtime/costs/unit_key.h"
#include "runtime/execution/check_schedule.h"
#include "runtime/plan/queries/extents.h"

namespace nestrt {
namespace {

using plan_verify::Extent;
using plan_verify::Extents;

std::optional<uint32_t> host_of(const UnitList& units) {
  for (uint32_t unit = 0; unit < units.size(); ++unit)
    if (units[unit]->info().is_host) return unit;
  return std::nullopt;
}

// Returns nullopt if the host cannot run the branch.
std::optional<uint32_t> kernels_of(const plan::Branch& branch) {
  const auto& programs = branch.programs;
  for (uint32_t program = 0; program < programs.size(); ++program)
    if (programs[program].kind == plan::ProgramKind::kKernels) return program;
  return std::nullopt;
}

// Adds the bytes of a range of channels. Rows of complete blocks are contiguous; a partial last block has only its
// valid channels, pixel by pixel.
void add_blocked(const plan::Tensor& tensor, ChannelRange channels, std::vector<WrittenBytes>& results) {
  const Shape& shape = tensor.shape;
  const ChannelBlocks stored = stored_blocks(shape, tensor.layout);
  const auto block = static_cast<uint64_t>(stored.block), blocks = static_cast<uint64_t>(stored.blocks());
  const auto all = static_cast<uint64_t>(stored.channels), pixels = static_cast<uint64_t>(stored.pixels);
  const uint64_t row = shape.rank() > 3 ? static_cast<uint64_t>(shape.product(3, shape.rank())) : 1;
  const uint64_t vector = block * static_cast<uint64_t>(size_bytes(tensor.type));
  // Offsets are counted in vectors (one pixel of one channel block). Complete blocks end at `whole`.
  const uint64_t whole = all / block * pixels;
  const uint64_t begin = channels.begin / block * pixels + channels.begin_row * row;
  const uint64_t end =
      channels.all() ? blocks * pixels : (channels.end + block - 1) / block * pixels + channels.end_row * row;
  for (uint64_t image = 0; image < static_cast<uint64_t>(shape[0]); ++image) {
    const uint64_t start = tensor.offset + image * blocks * pixels * vector;
    if (begin < std::min(end, whole))
      results.push_back({tensor.buffer, start + begin * vector, (std::min(end, whole) - begin) * vector});
    if (const uint64_t first = std::max(begin, whole); first < end)
      results.push_back({tensor.buffer, start + first * vector, all % block * vector / block, end - first, vector});
  }
}

// Adds the part of `bytes` that the branch computes; views may alias memory that other branches write. A block of
// channels belongs to one operator.
void add_computed(const WrittenBytes& bytes, const Extents& computed, std::vector<WrittenBytes>& results) {
  const Extent all{bytes.buffer, bytes.offset, bytes.offset + (bytes.count - 1) * bytes.stride + bytes.size};
  if (holds(computed, all)) return results.push_back(bytes);
  if (bytes.count > 1) return;
  for (const Extent& part : intersection({all}, computed))
    results.push_back({part.buffer, part.begin, part.end - part.begin});
}

// Returns the tensors written by a program of instructions, or the outputs of all operators for other programs.
std::vector<int32_t> written_by(const plan::Tables& tables, const Step& step) {
  const plan::Branch& branch = tables.branches[step.branch];
  const plan::Program& program = branch.programs[step.program];
  std::vector<int32_t> written;
  if (program.kind == plan::ProgramKind::kInstructions) {
    for (const plan::ProgramRange& range : program.ranges)
      if (range.tensor >= 0 && range.access != plan::RangeAccess::kRead) written.push_back(range.tensor);
  } else {
    for (const uint32_t op : branch.operators)
      for (const int32_t output : tables.operators[op].outputs) written.push_back(output);
  }
  return written;
}

std::vector<WrittenBytes> outputs_of(const Plan& plan, const Step& step) {
  const plan::Tables& tables = plan.tables();
  std::vector<WrittenBytes> results;
  for (const int32_t index : written_by(tables, step)) {
    const plan::Tensor& tensor = tables.tensors[static_cast<size_t>(index)];
    // All bytes of a folded image are written.
    if (tensor.layout != Layout::kPlain && !is_folded(tensor.layout)) {
      add_blocked(tensor, step.channels, results);
      continue;
    }
    const auto bytes = static_cast<uint64_t>(storage_bytes(tensor.type, tensor.shape, tensor.layout));
    results.push_back({tensor.buffer, tensor.offset, bytes});
  }
  return results;
}

std::vector<WrittenBytes> results_of(const Plan& plan, const Step& step, const Extents& computed) {
  std::vector<WrittenBytes> results;
  for (const WrittenBytes& bytes : outputs_of(plan, step)) add_computed(bytes, computed, results);
  return results;
}

// Returns the buffers that the step computes completely.
std::vector<uint32_t> whole_results_of(const Plan& plan, const Step& step, const Extents& computed) {
  const plan::Tables& tables = plan.tables();
  std::vector<uint32_t> buffers;
  if (!step.channels.all()) return buffers;
  for (uint32_t op : tables.branches[step.branch].operators) {
    for (int32_t index : tables.operators[op].outputs) {
      const plan::Tensor& tensor = tables.tensors[static_cast<uint32_t>(index)];
      if (holds(computed, {tensor.buffer, 0, tables.buffers[tensor.buffer].size})) buffers.push_back(tensor.buffer);
    }
  }
  return buffers;
}

// Returns, per lane, its index among the lanes of the host.
std::vector<int> shares_of(const Schedule& schedule, std::optional<uint32_t> host) {
  std::vector<int> shares;
  int next = 0;
  for (const Lane& lane : schedule.lanes) shares.push_back(lane.unit == host ? next++ : 0);
  return shares;
}

float known(const std::atomic<float>& mean) { return mean.load(std::memory_order_relaxed); }

}  // namespace

StepTimes PreparedStep::times() const {
  const double unit = is_steady ? std::max(unit_us, double{known(measured_us)}) : 0;
  return {unit, step.predicted_us, on_host_us(), rest_us};
}

double PreparedStep::on_host_us() const {
  const float measured = known(on_host ? measured_us : fallback_us);
  return measured > 0 ? measured : on_host ? step.predicted_us : host_us;
}

PreparedSchedule::PreparedSchedule(Schedule schedule, KernelNumbers kernels)
    : schedule_(std::move(schedule)), kernels_(std::move(kernels)), is_file_order_(nestrt::is_file_order(schedule_)) {}

Result<std::unique_ptr<PreparedSchedule>> PreparedSchedule::create(const Plan& plan, const UnitList& units,
                                                                   Schedule schedule, Executables& executables,
                                                                   KernelNumbers kernels) {
  std::unique_ptr<PreparedSchedule> prepared(new PreparedSchedule(std::move(schedule), std::move(kernels)));
  const std::vector<int> shares = shares_of(prepared->schedule_, host_of(units));
  prepared->lanes_.resize(prepared->schedule_.lanes.size());
  prepared->find_threads(units);
  for (const Step& step : prepared->schedule_.steps) {
    PreparedStep& added = prepared->steps_.emplace_back();
    added.index = static_cast<uint32_t>(prepared->steps_.size() - 1);
    added.step = step;
    added.unit = prepared->schedule_.lanes[step.lane].unit;
    added.thread = prepared->thread_of_[step.lane];
    added.share = shares[step.lane];
    NESTRT_RETURN_IF_ERROR(prepared->prepare_step(plan, units, added, executables));
    prepared->lanes_[step.lane].steps.push_back(&added);
    if (added.thread == 0) prepared->add_to_section(added);
  }
  prepared->predict_unit_use();
  NESTRT_RETURN_IF_ERROR(prepared->allocate_scratch());
  return prepared;
}

void PreparedSchedule::find_threads(const UnitList& units) {
  const std::optional<uint32_t> host = host_of(units);
  for (uint32_t lane = 0; lane < schedule_.lanes.size(); ++lane) {
    const bool is_callers = lane == 0 || schedule_.lanes[lane].unit == host;
    if (!is_callers) unit_lanes_.push_back(lane);
    thread_of_.push_back(is_callers ? 0 : unit_lanes_.size());
  }
  if (!schedule_.lanes.empty()) host_ = units[schedule_.lanes[0].unit]->host();
}

void PreparedSchedule::add_to_section(PreparedStep& step) {
  const bool shares_cores = step.share > 0 || step.step.threads > 0;
  if (sections_.empty() || sections_.back().shares_cores != shares_cores) sections_.push_back({shares_cores, {}, {}});
  Section& section = sections_.back();
  section.steps.push_back(&step);
  const auto share = static_cast<size_t>(step.share);
  if (section.lanes.size() <= share) section.lanes.resize(share + 1);
  section.lanes[share].push_back(&step);
}

void PreparedSchedule::predict_unit_use() {
  for (PreparedLane& lane : lanes_) {
    double use_us = 0;
    for (auto step = lane.steps.rbegin(); step != lane.steps.rend(); ++step) {
      use_us += (*step)->step.predicted_us;
      (*step)->use_us = use_us;
      if (!(*step)->step.waits.empty()) use_us = 0;
    }
  }
}

Status PreparedSchedule::prepare_step(const Plan& plan, const UnitList& units, PreparedStep& step,
                                      Executables& executables) {
  const Step& what = step.step;
  NESTRT_ASSIGN_OR_RETURN(step.executable,
                          executables.get(step.unit, what.branch, what.program, what.channels, kernels_));
  const std::optional<uint32_t> host = host_of(units);
  step.on_host = step.unit == host;
  step.is_steady = units[step.unit]->info().is_steady;
  if (step.on_host) return {};
  NESTRT_ASSIGN_OR_RETURN(const auto computed, executables.computed());
  step.is_exact = plan.tables().branches[what.branch].programs[what.program].kind != plan::ProgramKind::kBlob;
  step.results = results_of(plan, what, computed[what.branch]);
  step.whole_results = whole_results_of(plan, what, computed[what.branch]);
  if (!host) return {};
  const std::optional<uint32_t> kernels = kernels_of(plan.tables().branches[what.branch]);
  if (!kernels) return {};
  NESTRT_ASSIGN_OR_RETURN(step.fallback, executables.get(*host, what.branch, *kernels, what.channels, kernels_));
  return {};
}

void PreparedSchedule::set_costs(const Plan& plan, const UnitList& units, const CostTable& costs,
                                 const CostTable& measured) {
  const std::optional<uint32_t> host = host_of(units);
  for (PreparedStep& step : steps_) {
    if (step.on_host || !host) continue;
    const Step& what = step.step;
    const auto on_unit =
        branch_cost(measured, plan, what.branch, what.program, key_of(units[step.unit]->info()), what.channels);
    if (on_unit && on_unit->source == CostSource::kMeasured) step.unit_us = on_unit->microseconds;
    const std::optional<uint32_t> kernels = kernels_of(plan.tables().branches[what.branch]);
    if (!kernels) continue;
    const auto on_host = branch_cost(costs, plan, what.branch, *kernels, key_of(units[*host]->info()), what.channels);
    if (on_host) step.host_us = on_host->microseconds;
  }
}

SteadyClock::duration PreparedSchedule::update_rest_times() {
  double rest_us = 0;
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    step->rest_us = rest_us;
    rest_us += step->on_host_us();
  }
  return std::chrono::duration_cast<SteadyClock::duration>(std::chrono::duration<double, std::micro>(rest_us));
}

Status PreparedSchedule::allocate_scratch() {
  for (PreparedLane& lane : lanes_) {
    size_t bytes = 0;
    for (const PreparedStep* step : lane.steps) {
      bytes = std::max(bytes, step->executable->scratch_bytes());
      if (step->fallback != nullptr) bytes = std::max(bytes, step->fallback->scratch_bytes());
    }
    NESTRT_ASSIGN_OR_RETURN(lane.scratch, AlignedMemory::allocate(bytes, "scratch memory"));
  }
  return {};
}

bool PreparedSchedule::shares_cores() const {
  return std::any_of(sections_.begin(), sections_.end(),
                     [](const Section& section) { return section.lanes.size() > 1; });
}

size_t PreparedSchedule::scratch_bytes() const {
  size_t bytes = 0;
  for (const PreparedLane& lane : lanes_) bytes += lane.scratch.size();
  return bytes;
}

}  // namespace nestrt
