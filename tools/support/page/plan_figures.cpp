// SPDX-License-Identifier: Apache-2.0
#include "tools/support/page/plan_figures.h"

#include <fmt/core.h>

#include <numeric>
#include <set>

#include "runtime/plan/queries/dependencies.h"
#include "runtime/plan/queries/describe.h"
#include "runtime/plan/queries/statistics.h"
#include "tools/support/text/printable.h"

namespace nestrt::tools {
namespace {

// Returns the shape of the first output.
std::string shape_of(const plan::Tables& tables, const plan::Operator& op) {
  for (const int32_t output : op.outputs) {
    if (output < 0) continue;
    const plan::Tensor& tensor = tables.tensors[static_cast<uint32_t>(output)];
    return tensor.shape.to_string() + " " + describe_type(tensor);
  }
  return "";
}

PageDetails figures_of(const plan::Tables& tables, const plan::Operator& op) {
  const OperatorStatistics s = statistics(tables, op);
  PageDetails details;
  if (s.macs > 0) details.emplace_back("work", format_count(static_cast<double>(s.macs), "MAC"));
  if (s.weight_bytes > 0) details.emplace_back("weights", format_bytes(s.weight_bytes));
  details.emplace_back("moved", format_bytes(s.bytes()));
  if (s.macs > 0) details.emplace_back("intensity", fmt::format("{:.1f} MAC/B", s.intensity()));
  return details;
}

const plan::MemoryPlan* best_memory_plan(const plan::Tables& tables) {
  const plan::MemoryPlan* best = nullptr;
  for (const plan::MemoryPlan& memory : tables.memory_plans)
    if (best == nullptr || memory.kind == plan::MemoryPlanKind::kAnySchedule) best = &memory;
  return best;
}

// Returns the name of the tensor that fills the buffer, or of the first tensor in it.
std::string name_of_buffer(const plan::Tables& tables, uint32_t buffer) {
  const plan::Tensor* best = nullptr;
  for (const plan::Tensor& tensor : tables.tensors)
    if (tensor.buffer == buffer && (best == nullptr || tensor.shape.num_elements() > best->shape.num_elements()))
      best = &tensor;
  return best == nullptr ? fmt::format("buffer {}", buffer) : best->name;
}

}  // namespace

std::string units_of(const plan::Tables& tables, uint32_t op) {
  std::set<std::string> units;
  const uint32_t branch = branch_of_operators(tables)[op];
  for (const plan::Program& program : tables.branches[branch].programs) units.insert(program.unit);
  std::string text;
  for (const std::string& unit : units) text += (text.empty() ? "" : ", ") + unit;
  return text;
}

void add_operator_graph(Page& page, const std::string& title, const plan::Tables& tables,
                        const std::function<OperatorMark(uint32_t op)>& mark, const std::string& note) {
  std::vector<PageNode> nodes;
  std::vector<PageEdge> edges;
  const Predecessors before = operator_predecessors(tables);
  for (uint32_t i = 0; i < tables.operators.size(); ++i) {
    const plan::Operator& op = tables.operators[i];
    OperatorMark marked = mark(i);
    PageDetails details = figures_of(tables, op);
    details.insert(details.end(), marked.details.begin(), marked.details.end());
    nodes.push_back({op.name, std::string(ops::name(op.kind())), shape_of(tables, op), std::move(marked.group),
                     std::move(details)});
    for (const uint32_t from : before[i]) edges.push_back({from, i});
  }
  page.add_graph(title, nodes, edges, note);
}

std::string placement_of(const plan::Program& program) {
  if (!program.vendor || program.vendor->npu_share < 0) return "";
  const std::string& on_cpu = program.vendor->on_cpu;
  return fmt::format("{:.3g} % of its work on {}{}{}", 100 * program.vendor->npu_share, printable(program.unit),
                     on_cpu.empty() ? "" : "; on the CPU: ", printable(on_cpu));
}

PageDetails vendor_placements(const plan::Tables& tables) {
  PageDetails placements;
  for (const plan::Branch& branch : tables.branches)
    for (const plan::Program& program : branch.programs)
      if (std::string text = placement_of(program); !text.empty())
        placements.emplace_back(printable(tables.operators[branch.operators[0]].name), std::move(text));
  return placements;
}

uint64_t program_bytes(const plan::Tables& tables) {
  std::set<uint32_t> buffers;
  for (const plan::Branch& branch : tables.branches)
    for (const plan::Program& program : branch.programs)
      if (program.kind != plan::ProgramKind::kKernels) buffers.insert(program.segments.begin(), program.segments.end());
  return std::accumulate(buffers.begin(), buffers.end(), uint64_t{0},
                         [&](uint64_t bytes, uint32_t buffer) { return bytes + tables.buffers[buffer].size; });
}

void add_memory_map(Page& page, const plan::Tables& tables) {
  const plan::MemoryPlan* const memory = best_memory_plan(tables);
  if (memory == nullptr) return;
  std::vector<PageBlock> blocks;
  for (uint32_t i = 0; i < tables.buffers.size(); ++i) {
    const plan::Buffer& buffer = tables.buffers[i];
    if (buffer.kind != plan::BufferKind::kArena) continue;
    blocks.push_back(
        {name_of_buffer(tables, i), memory->offsets[i], buffer.size, buffer.first_use, buffer.last_use, "activations"});
  }
  page.add_memory("Memory over time", blocks, static_cast<uint32_t>(tables.operators.size()), memory->arena_bytes,
                  fmt::format("The arena of {} ({}): lifetime of each buffer, in file order, and its offset.",
                              format_bytes(memory->arena_bytes), plan::name(memory->kind)));
}

}  // namespace nestrt::tools
