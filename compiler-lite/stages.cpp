// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/stages.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "compiler-lite/emit/drop_partial_programs.h"
#include "compiler-lite/emit/emit.h"
#include "compiler-lite/emit/share_blob_bytes.h"
#include "compiler-lite/import/import_model.h"
#include "compiler-lite/import/interface.h"
#include "compiler-lite/memory/planner.h"
#include "compiler-lite/placement/assign_layouts.h"
#include "compiler-lite/quantize/digest.h"
#include "runtime/plan/queries/channel_order.h"
#include "runtime/plan/verify/operand_uses.h"

namespace nestrt::compiler {
namespace {

void tell(const CompileOptions& options, std::string_view what) {
  if (options.progress) options.progress(what);
}

PassOptions pass_options(const CompileOptions& options) {
  PassOptions result = options.passes;
  result.quantizes |= options.quantization.has_value();
  if (!options.progress) return result;
  result.before_pass = [&options](const Pass& pass) { options.progress(pass.summary); };
  return result;
}

// Checks that the profile belongs to this model.
Status require_fit(const std::string& model, const ImportOptions& import, const QuantizationProfile& profile) {
  NESTRT_ASSIGN_OR_RETURN(const std::string digest, model_digest(model, import.bindings));
  return require_model(profile, digest);
}

// Returns true if the model itself is quantized (QDQ or QLinear) and quantize() has not quantized anything.
bool is_already_quantized(const Graph& graph) {
  for (ValueId id = 0; id < static_cast<ValueId>(graph.num_values()); ++id)
    if (graph.value(id).quantization) return true;
  return false;
}

Status require_s8(const Graph& graph, const QuantizationReport& report) {
  if (report.s8_nodes > 0) return {};
  if (is_already_quantized(graph))
    return Status(Code::kInvalidArgument,
                  "--quantize s8: the model is already quantized and keeps its own scales; to use exponents, add "
                  "--requantize pow2, or compile the original floating-point model, which loses less");
  const bool has_vendor =
      std::ranges::any_of(graph.nodes(), [](const auto& node) { return node->kind() == ops::Kind::kOpaque; });
  if (report.kept.empty() && has_vendor)
    return Status(Code::kInvalidArgument,
                  "--quantize s8: the vendor's compiler compiles every Conv and Dense; remove this option");
  const std::string reason = report.kept.empty()
                                 ? "the network has no Conv and no Dense"
                                 : fmt::format("'{}' because {}", report.kept[0].name, report.kept[0].reason);
  return Status(Code::kInvalidArgument, fmt::format("--quantize s8: every operator would stay f32: {}", reason));
}

Status run_import(Compilation& compilation) {
  const CompileOptions& options = compilation.options;
  if (options.quantization)
    NESTRT_RETURN_IF_ERROR(require_fit(compilation.model, options.import, options.quantization->profile));
  NESTRT_ASSIGN_OR_RETURN(compilation.graph, import_model(compilation.model, options.import));
  if (options.preprocessing) NESTRT_RETURN_IF_ERROR(attach_preprocessing(compilation.graph, *options.preprocessing));
  if (options.offload) {
    NESTRT_ASSIGN_OR_RETURN(compilation.backends.emplace_back(), options.offload(compilation.graph));
  }
  for (const std::string& name : options.exposed) NESTRT_RETURN_IF_ERROR(expose(compilation.graph, name));
  return {};
}

Status run_passes(Compilation& compilation) { return optimise(compilation.graph, pass_options(compilation.options)); }

// Quantizes the graph if requested, and runs the passes that follow quantization.
Status run_quantize(Compilation& compilation) {
  if (compilation.options.quantization) {
    const Quantization& quantization = *compilation.options.quantization;
    NESTRT_ASSIGN_OR_RETURN(const QuantizationReport report,
                            quantize(compilation.graph, quantization.profile, quantization.options));
    if (quantization.observer) quantization.observer(report);
    NESTRT_RETURN_IF_ERROR(require_s8(compilation.graph, report));
  }
  return fuse(compilation.graph, pass_options(compilation.options));
}

Status run_placement(Compilation& compilation) {
  Graph& graph = compilation.graph;
  if (!compilation.options.layout.plain) {
    const auto reorders = assign_layouts(graph, compilation.backends);
    if (!reorders) return reorders.error().with_context("choosing layouts");
  }
  graph.tidy();
  NESTRT_RETURN_IF_ERROR(legalize_outputs(graph));
  NESTRT_ASSIGN_OR_RETURN(compilation.placement, place_branches(graph, compilation.backends));
  return {};
}

// Generates the accelerators' programs first, because their backends read unpacked weights.
class CodeGenerator {
 public:
  explicit CodeGenerator(Compilation& compilation) : compilation_(compilation) {
    compilation.programs.assign(compilation.placement.branches.size(), {});
  }

  Status run() {
    const size_t backends = compilation_.backends.size();
    for (size_t branch = 0; branch < compilation_.programs.size(); ++branch)
      for (size_t backend = 1; backend < backends; ++backend) NESTRT_RETURN_IF_ERROR(offer(branch, backend));
    for (size_t branch = 0; branch < compilation_.programs.size(); ++branch)
      NESTRT_RETURN_IF_ERROR(lower_on_host(branch));
    for (const auto& backend : compilation_.backends) backend->finish();
    return {};
  }

 private:
  const PlacedBranch& placed(size_t branch) const { return compilation_.placement.branches[branch]; }
  Subgraph nodes_of(size_t branch) const {
    return Subgraph(compilation_.graph.nodes()).subspan(placed(branch).first, placed(branch).count);
  }

  Status offer(size_t branch, size_t backend) {
    const auto& units = placed(branch).backends;
    if (std::find(units.begin(), units.end(), backend) == units.end()) {
      report_refusals(branch, backend);
      return {};
    }
    Backend& unit = *compilation_.backends[backend];
    NESTRT_ASSIGN_OR_RETURN(Offer made, unit.lower(compilation_.graph, nodes_of(branch)));
    report(placed(branch).first, unit, made);
    auto& entries = compilation_.programs[branch].entries;
    if (made.program) entries.push_back({&unit, std::move(*made.program)});
    for (UnitProgram& partial : made.partial_programs) entries.push_back({&unit, std::move(partial)});
    return {};
  }

  Status lower_on_host(size_t branch) {
    if (placed(branch).backends[0] != 0) return {};
    Backend& host = *compilation_.backends[0];
    NESTRT_ASSIGN_OR_RETURN(Offer made, host.lower(compilation_.graph, nodes_of(branch)));
    auto& entries = compilation_.programs[branch].entries;
    entries.insert(entries.begin(), {&host, std::move(*made.program)});
    return {};
  }

  void report_refusals(size_t branch, size_t backend) const {
    for (size_t node = placed(branch).first; node < placed(branch).first + placed(branch).count; ++node)
      report(node, *compilation_.backends[backend],
             Offer{std::nullopt, compilation_.placement.refusals[backend][node]});
  }

  void report(size_t node, const Backend& backend, const Offer& offer) const {
    if (compilation_.options.offer_observer)
      compilation_.options.offer_observer(static_cast<uint32_t>(node),
                                          static_cast<uint32_t>(compilation_.graph.nodes().size()), backend, offer);
  }

  Compilation& compilation_;
};

Status run_codegen(Compilation& compilation) { return CodeGenerator(compilation).run(); }

// Returns, by operator, the operator with which it may overlap channel by channel, or kNoBranch.
std::vector<uint32_t> overlapped_operators(const plan::Tables& tables) {
  const std::vector<uint32_t> before = channel_readers(tables);
  std::vector<uint32_t> result(tables.operators.size(), kNoBranch);
  for (uint32_t branch = 0; branch < before.size(); ++branch)
    for (const uint32_t op : tables.branches[branch].operators)
      if (before[branch] != kNoBranch) result[op] = tables.branches[before[branch]].operators[0];
  return result;
}

plan::MemoryPlan memory_plan(plan::MemoryPlanKind kind, MemoryLayout layout, size_t num_buffers) {
  layout.offsets.resize(num_buffers, 0);  // segments of programs are not in the arena
  return {kind, layout.arena_bytes, layout.lower_bound_bytes, std::move(layout.offsets)};
}

// Extends the lifetimes of operands to the end of each branch that an accelerator can run, because an accelerator may
// write results before it has read all operands.
void keep_operands(const Graph& graph, const Placement& placement, const std::vector<BranchPrograms>& programs,
                   Storage& storage) {
  for (size_t branch = 0; branch < programs.size(); ++branch) {
    const PlacedBranch& placed = placement.branches[branch];
    if (programs[branch].entries.size() < 2) continue;
    const auto last = static_cast<uint32_t>(placed.first + placed.count - 1);
    const Subgraph nodes = Subgraph(graph.nodes()).subspan(placed.first, placed.count);
    std::unordered_set<const Node*> inside;
    for (const auto& node : nodes) inside.insert(node.get());
    for (const auto& node : nodes) {
      for (const ValueId id : node->inputs) {
        if (id == kNoValue || inside.contains(graph.producer(id))) continue;
        std::vector<uint32_t>& users = storage.buffers[storage.places[static_cast<size_t>(id)].buffer].users;
        if (const auto at = std::ranges::lower_bound(users, last); at == users.end() || *at != last)
          users.insert(at, last);
      }
    }
  }
}

// Drops partial programs until the plan is within the limits that plan readers enforce.
Result<AssembledPlan> assemble_readable(Compilation& compilation, const Storage& storage) {
  const auto refused = [](const Status& uses) { return Status(Code::kInvalidModel, std::string(uses.message())); };
  for (;;) {
    AssembledPlan plan =
        assemble(compilation.graph, storage, compilation.placement, compilation.programs, compilation.backends);
    if (const Status uses = check_operand_uses(plan.tables, plan.data_bytes); !uses.ok()) return refused(uses);
    const Status uses = check_program_uses(plan.tables, plan.data_bytes);
    if (uses.ok()) return plan;
    if (!drop_partial_programs(compilation.programs)) return refused(uses);
  }
}

Status run_memory(Compilation& compilation) {
  const Graph& graph = compilation.graph;
  Storage storage = assign_storage(graph);
  share_blob_bytes(compilation.programs);
  keep_operands(graph, compilation.placement, compilation.programs, storage);
  NESTRT_ASSIGN_OR_RETURN(compilation.plan, assemble_readable(compilation, storage));
  plan::Tables& tables = compilation.plan.tables;
  const auto add = [&](plan::MemoryPlanKind kind, MemoryLayout layout) {
    tables.memory_plans.push_back(memory_plan(kind, std::move(layout), tables.buffers.size()));
  };
  add(plan::MemoryPlanKind::kSequential, plan_sequential(storage, graph.nodes().size()));
  add(plan::MemoryPlanKind::kAnySchedule, plan_any_schedule(storage, graph, overlapped_operators(tables)));
  return {};
}

void state_all_costs(const BoardCosts& costs, const Plan& plan, plan::Tables& tables) {
  state_costs(costs, plan, tables);
  for (size_t shape = 0; shape < tables.shapes.size(); ++shape)
    state_costs(costs, *plan.shapes()[shape + 1], tables.shapes[shape]);
}

Status run_emit(Compilation& compilation) {
  compilation.graph = {};  // the plan contains all of it
  compilation.placement = {};
  compilation.programs.clear();
  const std::optional<BoardCosts>& costs = compilation.options.board_costs;
  Complete complete;
  if (costs) complete = [&](const Plan& plan, plan::Tables& tables) { state_all_costs(*costs, plan, tables); };
  NESTRT_ASSIGN_OR_RETURN(compilation.bytes, emit(std::move(compilation.plan), complete));
  return {};
}

constexpr Stage kStages[] = {
    {"import", "read the model", run_import},
    {"passes", "optimise", run_passes},
    {"quantize", "quantize", run_quantize},
    {"placement", "choose layouts and branches", run_placement},
    {"codegen", "generate programs and pack weights", run_codegen},
    {"memory", "plan the memory", run_memory},
    {"emit", "write the plan", run_emit},
};

}  // namespace

std::span<const Stage> stages() { return kStages; }

Status run_stages(Compilation& compilation, std::string_view first, std::string_view last) {
  bool runs = false;
  for (const Stage& stage : kStages) {
    runs |= stage.name == first;
    if (!runs) continue;
    tell(compilation.options, stage.summary);
    NESTRT_RETURN_IF_ERROR(stage.run(compilation));
    if (stage.name == last) return {};
  }
  return Status(Code::kInternal, fmt::format("no stages from '{}' to '{}'", first, last));
}

}  // namespace nestrt::compiler
