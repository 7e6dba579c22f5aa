// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/emit/assemble.h"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "compiler-lite/emit/version.h"
#include "runtime/plan/format/format.h"
#include "runtime/platform/aligned_memory.h"

namespace nestrt::compiler {
namespace {

class Assembler {
 public:
  Assembler(const Graph& graph, const Storage& storage) : graph_(graph), storage_(storage) {}

  AssembledPlan run(const Placement& placement, const std::vector<BranchPrograms>& programs, const Backends& backends) {
    tables().producer = std::string("nestc ") + kVersion;
    tables().model_name = graph_.name;
    for (const auto& backend : backends)
      tables().targets.push_back({backend->unit(), backend->configuration(), static_cast<float>(backend->clock_mhz()),
                                  0, static_cast<float>(backend->launch_us())});
    add_buffers();
    add_interface();
    add_operators();
    for (size_t i = 0; i < placement.branches.size(); ++i) add_branch(placement.branches[i], programs[i]);
    for (size_t i = 0; i < backends.size(); ++i)
      if (widens(tables().targets[i].unit))
        tables().targets[i].widen_mb_per_s = static_cast<float>(backends[i]->widen_mb_per_s());
    return std::move(plan_);
  }

 private:
  plan::Tables& tables() { return plan_.tables; }

  // Returns true if a program for the unit writes accumulator bytes.
  bool widens(const std::string& unit) {
    const auto is_its = [&](const plan::Program& program) {
      return program.unit == unit && widened_bytes(program) > 0;
    };
    return std::ranges::any_of(
        tables().branches, [&](const plan::Branch& branch) { return std::ranges::any_of(branch.programs, is_its); });
  }

  void add_buffers() {
    for (const BufferUse& use : storage_.buffers) {
      if (use.kind == plan::BufferKind::kConstant) {
        add_constant(graph_.value(use.value).constant);
        continue;
      }
      plan::Buffer buffer;
      buffer.kind = use.kind;
      buffer.size = use.size;
      if (use.kind == plan::BufferKind::kArena) {
        buffer.first_use = use.users.front();
        buffer.last_use = use.users.back();
      }
      tables().buffers.push_back(buffer);
    }
  }

  // Adds a constant buffer with these bytes and returns its index.
  uint32_t add_constant(std::shared_ptr<const Bytes> bytes) {
    const auto index = static_cast<uint32_t>(tables().buffers.size());
    plan::Buffer buffer;
    buffer.kind = plan::BufferKind::kConstant;
    buffer.size = bytes->size();
    buffer.data_offset = plan_.data_bytes;
    plan_.data_bytes = align_up(plan_.data_bytes + bytes->size(), plan_format::kSegmentAlignment);
    tables().buffers.push_back(buffer);
    plan_.constants.push_back({index, std::move(bytes), buffer.data_offset});
    return index;
  }

  // Returns the plan's index of a value; adds the tensor on first use.
  uint32_t tensor(ValueId id) {
    const Place& place = storage_.places[static_cast<size_t>(id)];
    return tensor(id, place.buffer, place.offset);
  }

  uint32_t tensor(ValueId id, uint32_t buffer, uint64_t offset) {
    const auto [found, is_new] = tensors_.try_emplace(id, static_cast<uint32_t>(tables().tensors.size()));
    if (is_new) {
      const Value& value = graph_.value(id);
      tables().tensors.push_back(
          {value.name, value.type, value.shape, value.layout, value.packing, buffer, offset, value.quantization});
    }
    return found->second;
  }

  // Returns the plan's index of a constant that no operator of the graph reads, such as packed weights.
  uint32_t constant_tensor(ValueId id) {
    const auto known = tensors_.find(id);
    return known != tensors_.end() ? known->second : tensor(id, add_constant(graph_.value(id).constant), 0);
  }

  void add_interface() {
    for (const GraphInput& input : graph_.inputs) tables().inputs.push_back({tensor(input.value), input.preprocessing});
    for (const ValueId id : graph_.outputs) tables().outputs.push_back(tensor(id));
  }

  void add_operators() {
    for (const auto& node : graph_.nodes()) {
      plan::Operator op{node->name, node->attributes, {}, {}};
      for (const ValueId id : node->inputs) op.inputs.push_back(id == kNoValue ? -1 : static_cast<int32_t>(tensor(id)));
      for (const ValueId id : node->outputs) op.outputs.push_back(static_cast<int32_t>(tensor(id)));
      tables().operators.push_back(std::move(op));
    }
  }

  void add_branch(const PlacedBranch& placed, const BranchPrograms& programs) {
    plan::Branch branch;
    for (size_t i = 0; i < placed.count; ++i) branch.operators.push_back(static_cast<uint32_t>(placed.first + i));
    for (const BranchPrograms::Entry& entry : programs.entries)
      branch.programs.push_back(program(*entry.backend, entry.program));
    tables().branches.push_back(std::move(branch));
  }

  plan::Program program(const Backend& backend, const UnitProgram& source) {
    plan::Program result;
    result.unit = backend.unit();
    result.kind = source.kind;
    result.configuration = backend.program_configuration();
    result.channels = source.channels;
    for (const SelectedKernels& selected : source.selections) result.selections.push_back(selection(selected));
    for (const auto& bytes : source.segments) result.segments.push_back(segment(bytes));
    for (const UnitProgram::Range& range : source.ranges) {
      const int32_t there = range.value == kNoValue ? -1 : static_cast<int32_t>(tensor(range.value));
      result.ranges.push_back(
          {range.address, range.size, range.access, there, range.segment, range.layout, range.offset});
    }
    result.vendor = source.vendor;
    if (source.microseconds > 0) result.costs.push_back({static_cast<float>(source.microseconds), source.cost_origin});
    return result;
  }

  plan::KernelSelection selection(const SelectedKernels& source) {
    plan::KernelSelection result;
    result.instruction_set = name(source.instruction_set);
    for (const std::string& kernel : source.kernels) result.kernels.push_back(kernel_name(kernel));
    const bool differ =
        std::any_of(source.weights.begin(), source.weights.end(), [](ValueId weights) { return weights != kNoValue; });
    for (const ValueId weights : source.weights)
      if (differ) result.weights.push_back(weights_tensor(weights));
    for (const AlternativeKernel& other : source.alternatives)
      result.alternatives.push_back({other.op, kernel_name(other.kernel), weights_tensor(other.weights)});
    return result;
  }

  int32_t weights_tensor(ValueId id) { return id == kNoValue ? -1 : static_cast<int32_t>(constant_tensor(id)); }

  uint32_t kernel_name(const std::string& name) {
    const auto [found, is_new] = kernel_names_.try_emplace(name, static_cast<uint32_t>(tables().kernel_names.size()));
    if (is_new) tables().kernel_names.push_back(name);
    return found->second;
  }

  // Returns the buffer of a segment. Equal segments share one buffer.
  uint32_t segment(const std::shared_ptr<const Bytes>& bytes) {
    const size_t hash = std::hash<std::string_view>()({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
    const auto [begin, end] = segments_.equal_range(hash);
    const auto same =
        std::find_if(begin, end, [&](const auto& entry) { return *plan_.constants[entry.second].bytes == *bytes; });
    if (same != end) return plan_.constants[same->second].buffer;
    segments_.emplace(hash, plan_.constants.size());
    return add_constant(bytes);
  }

  const Graph& graph_;
  const Storage& storage_;
  AssembledPlan plan_;
  std::unordered_map<ValueId, uint32_t> tensors_;
  std::unordered_map<std::string, uint32_t> kernel_names_;
  std::unordered_multimap<size_t, size_t> segments_;  // hash to index in constants
};

}  // namespace

AssembledPlan assemble(const Graph& graph, const Storage& storage, const Placement& placement,
                       const std::vector<BranchPrograms>& programs, const Backends& backends) {
  return Assembler(graph, storage).run(placement, programs, backends);
}

}  // namespace nestrt::compiler
