#include "compiler-lite/emit/emit.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <unordered_map>

#include "compiler-lite/emit/branches.h"
#include "compiler-lite/emit/version.h"
#include "compiler-lite/graph/bound_operator.h"
#include "compiler-lite/memory/planner.h"
#include "compiler-lite/memory/storage.h"
#include "kernels/common/simd.h"
#include "kernels/registry.h"
#include "nestrt/plan.h"
#include "runtime/core/aligned_memory.h"
#include "runtime/plan/channel_order.h"
#include "runtime/plan/digest.h"
#include "runtime/plan/format.h"

namespace nestrt::compiler {
namespace {

// Builds the tables, collecting the constants that go to the data area on the way.
class Emitter {
 public:
  Emitter(const Graph& graph, const Backends& backends, const OfferObserver& observer)
      : graph_(graph), backends_(backends), observer_(observer), storage_(assign_storage(graph)) {}

  Status build() {
    plan_.producer = std::string("nestc ") + kVersion;
    plan_.model_name = graph_.name;
    add_target("cpu", std::string(kernels::name(kernels::current_isa())));
    for (const auto& backend : backends_) add_target(backend->unit(), backend->configuration());
    add_buffers();
    add_face();
    NESTRT_RETURN_IF_ERROR(add_operators());
    NESTRT_RETURN_IF_ERROR(add_branches());
    plan_.regions = region_tree(graph_, branch_of_, static_cast<uint32_t>(plan_.branches.size()));
    add_memory_plans();
    return {};
  }

  Result<PlanBytes> write() const {
    flatbuffers::FlatBufferBuilder builder(1 << 16);
    builder.Finish(plan::Plan::Pack(builder, &plan_), plan::PlanIdentifier());
    plan_format::Header header{};
    std::memcpy(header.magic, plan_format::kMagic, sizeof header.magic);
    header.version_major = plan_format::kVersionMajor;
    header.version_minor = plan_format::kVersionMinor;
    header.features = features();
    header.tables_bytes = builder.GetSize();
    header.data_offset = align_up(sizeof header + header.tables_bytes, plan_format::kDataAlignment);
    header.data_bytes = data_bytes_;

    PlanBytes bytes(header.data_offset + header.data_bytes);
    std::memcpy(bytes.data() + sizeof header, builder.GetBufferPointer(), builder.GetSize());
    for (const auto& [buffer, constant] : constants_)
      std::copy(constant->begin(), constant->end(),
                bytes.data() + header.data_offset + plan_.buffers[buffer]->data_offset);
    std::memcpy(bytes.data(), &header, sizeof header);
    plan_format::write_digests({bytes.data(), bytes.span().size()});
    return bytes;
  }

 private:
  uint32_t features() const {
    const bool quantized = std::any_of(plan_.tensors.begin(), plan_.tensors.end(),
                                       [](const auto& tensor) { return tensor->quantization != nullptr; });
    return quantized ? plan_format::kFeatureS8 : 0;
  }

  void add_buffers() {
    for (const BufferUse& use : storage_.buffers) {
      auto buffer = std::make_unique<plan::BufferT>();
      buffer->kind = use.kind;
      buffer->size = use.size;
      if (use.kind == plan::BufferKind::constant) {
        add_constant(graph_.value(use.value).constant);
        continue;
      }
      if (use.kind == plan::BufferKind::arena) {
        buffer->first_use = use.users.front();
        buffer->last_use = use.users.back();
      }
      plan_.buffers.push_back(std::move(buffer));
    }
  }

  // A constant buffer of these bytes.
  uint32_t add_constant(std::shared_ptr<const Bytes> bytes) {
    const auto index = static_cast<uint32_t>(plan_.buffers.size());
    auto buffer = std::make_unique<plan::BufferT>();
    buffer->kind = plan::BufferKind::constant;
    buffer->size = bytes->size();
    buffer->data_offset = data_bytes_;
    data_bytes_ = align_up(data_bytes_ + bytes->size(), plan_format::kSegmentAlignment);
    plan_.buffers.push_back(std::move(buffer));
    constants_.emplace_back(index, std::move(bytes));
    return index;
  }

  // The plan's index of a value, which is written down on first use.
  uint32_t tensor(ValueId id) {
    const auto [found, is_new] = tensors_.try_emplace(id, static_cast<uint32_t>(plan_.tensors.size()));
    if (is_new) {
      const Value& value = graph_.value(id);
      auto tensor = std::make_unique<plan::TensorT>();
      tensor->name = value.name;
      tensor->type = static_cast<plan::DataType>(value.type);
      tensor->shape.assign(value.shape.begin(), value.shape.end());
      tensor->layout = static_cast<plan::Layout>(value.layout);
      tensor->packing = value.packing;
      if (value.quantization) tensor->quantization = std::make_unique<plan::QuantizationT>(*value.quantization);
      tensor->buffer = storage_.places[static_cast<size_t>(id)].buffer;
      tensor->offset = storage_.places[static_cast<size_t>(id)].offset;
      plan_.tensors.push_back(std::move(tensor));
    }
    return found->second;
  }

  void add_face() {
    for (const GraphInput& graph_input : graph_.inputs) {
      auto input = std::make_unique<plan::InputT>();
      input->tensor = tensor(graph_input.value);
      if (graph_input.preprocessing) {
        input->preprocessing = std::make_unique<plan::PreprocessingT>();
        input->preprocessing->mean = graph_input.preprocessing->mean;
        input->preprocessing->scale = graph_input.preprocessing->scale;
        input->preprocessing->resize = graph_input.preprocessing->resize;
        input->preprocessing->bgr = graph_input.preprocessing->bgr;
      }
      plan_.inputs.push_back(std::move(input));
    }
    for (ValueId id : graph_.outputs) plan_.outputs.push_back(tensor(id));
  }

  Status add_operators() {
    for (const auto& node : graph_.nodes()) {
      auto op = std::make_unique<plan::OperatorT>();
      op->name = node->name;
      op->attributes = node->attributes;
      for (ValueId id : node->inputs) op->inputs.push_back(id == kNoValue ? -1 : static_cast<int32_t>(tensor(id)));
      for (ValueId id : node->outputs) op->outputs.push_back(static_cast<int32_t>(tensor(id)));
      plan_.operators.push_back(std::move(op));
      NESTRT_RETURN_IF_ERROR(choose_kernel(*node));
    }
    return {};
  }

  void add_target(std::string unit, std::string configuration) {
    auto target = std::make_unique<plan::TargetT>();
    target->unit = std::move(unit);
    target->configuration = std::move(configuration);
    plan_.targets.push_back(std::move(target));
  }

  Status choose_kernel(const Node& node) {
    const BoundOperator bound(graph_, node);
    const KernelVariant* variant = kernels::registry().select(bound.spec());
    if (variant == nullptr) {
      return Status(Code::kUnsupported, "node '" + node.name + "' (" + plan::EnumNameAttributes(node.kind()) +
                                            "): no kernel takes its types and layouts");
    }
    NESTRT_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel, variant->prepare(bound.spec()));
    const ScratchSize scratch = kernel->scratch(1);
    plan_.scratch_bytes = std::max<uint64_t>(plan_.scratch_bytes, scratch.shared + scratch.per_thread);
    const auto [name, is_new] =
        kernel_names_.try_emplace(std::string(variant->name), static_cast<uint32_t>(plan_.kernel_names.size()));
    if (is_new) plan_.kernel_names.push_back(name->first);
    kernels_.push_back(name->second);
    return {};
  }

  void add_memory_plans() {
    const auto add = [&](plan::MemoryPlanKind kind, const MemoryLayout& layout) {
      auto memory = std::make_unique<plan::MemoryPlanT>();
      memory->kind = kind;
      memory->arena_bytes = layout.arena_bytes;
      memory->lower_bound_bytes = layout.lower_bound_bytes;
      memory->offsets = layout.offsets;
      memory->offsets.resize(plan_.buffers.size(), 0);  // programs' segments have no place in the arena
      plan_.memory_plans.push_back(std::move(memory));
    };
    add(plan::MemoryPlanKind::sequential, plan_sequential(storage_, graph_.nodes().size()));
    add(plan::MemoryPlanKind::any_schedule, plan_any_schedule(storage_, graph_, overlapped()));
  }

  // By operator, the one that it may be computed beside, channel by channel.
  std::vector<uint32_t> overlapped() const {
    flatbuffers::FlatBufferBuilder builder(1 << 16);
    builder.Finish(plan::Plan::Pack(builder, &plan_));
    const std::vector<uint32_t> before =
        channel_readers(*flatbuffers::GetRoot<plan::Plan>(builder.GetBufferPointer()));
    std::vector<uint32_t> result;
    for (const uint32_t branch : branch_of_)
      result.push_back(before[branch] == kNoBranch ? kNoBranch : plan_.branches[before[branch]]->operators[0]);
    return result;
  }

  // Branches begin and end with chains, and where another unit has a program.
  Status add_branches() {
    const std::vector<bool> links = chain_links(graph_);
    bool open = false;  // the last branch may grow
    for (uint32_t op = 0; op < plan_.operators.size(); ++op) {
      std::vector<std::unique_ptr<plan::ProgramT>> programs;
      for (const auto& backend : backends_) {
        NESTRT_ASSIGN_OR_RETURN(const Offer offer, backend->offer(graph_, *graph_.nodes()[op]));
        if (observer_) observer_(op, static_cast<uint32_t>(plan_.operators.size()), *backend, offer);
        if (offer.program) programs.push_back(unit_program(*backend, *offer.program));
        for (const UnitProgram& piece : offer.pieces) programs.push_back(unit_program(*backend, piece));
      }
      if (!open || !links[op] || !programs.empty()) add_branch();
      open = programs.empty();
      branch_of_.push_back(static_cast<uint32_t>(plan_.branches.size() - 1));
      plan::BranchT& branch = *plan_.branches.back();
      branch.operators.push_back(op);
      branch.programs[0]->selections[0]->kernels.push_back(kernels_[op]);
      for (auto& program : programs) branch.programs.push_back(std::move(program));
    }
    for (const auto& backend : backends_) backend->finish();
    return {};
  }

  // An empty one, with its program for the CPU.
  void add_branch() {
    auto selection = std::make_unique<plan::KernelSelectionT>();
    selection->instruction_set = kernels::name(kernels::current_isa());
    auto program = std::make_unique<plan::ProgramT>();
    program->unit = "cpu";
    program->kind = plan::ProgramKind::kernels;
    program->selections.push_back(std::move(selection));
    auto branch = std::make_unique<plan::BranchT>();
    branch->programs.push_back(std::move(program));
    plan_.branches.push_back(std::move(branch));
  }

  std::unique_ptr<plan::ProgramT> unit_program(const Backend& backend, const UnitProgram& source) {
    auto program = std::make_unique<plan::ProgramT>();
    program->unit = backend.unit();
    program->kind = plan::ProgramKind::instructions;
    program->fingerprint = backend.fingerprint();
    program->channels = source.channels;
    for (const auto& bytes : source.segments) program->segments.push_back(segment(bytes));
    for (const UnitProgram::Range& from : source.ranges) {
      auto range = std::make_unique<plan::ProgramRangeT>();
      range->address = from.address;
      range->size = from.size;
      range->access = from.access;
      if (from.value != kNoValue) range->tensor = static_cast<int32_t>(tensor(from.value));
      range->segment = from.segment;
      range->layout = static_cast<plan::Layout>(from.layout);
      program->ranges.push_back(std::move(range));
    }
    if (source.microseconds > 0) {
      auto cost = std::make_unique<plan::CostT>();
      cost->microseconds = static_cast<float>(source.microseconds);
      cost->origin = plan::CostOrigin::modelled;
      program->costs.push_back(std::move(cost));
    }
    return program;
  }

  // The buffer of a segment; equal ones are written once.
  uint32_t segment(const std::shared_ptr<const Bytes>& bytes) {
    const size_t hash = std::hash<std::string_view>()({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
    const auto [begin, end] = segments_.equal_range(hash);
    const auto same =
        std::find_if(begin, end, [&](const auto& entry) { return *constants_[entry.second].second == *bytes; });
    if (same != end) return constants_[same->second].first;
    segments_.emplace(hash, constants_.size());
    return add_constant(bytes);
  }

  const Graph& graph_;
  const Backends& backends_;
  const OfferObserver& observer_;
  Storage storage_;
  plan::PlanT plan_;
  std::unordered_map<ValueId, uint32_t> tensors_;
  std::unordered_map<std::string, uint32_t> kernel_names_;
  std::vector<uint32_t> kernels_;    // by operator
  std::vector<uint32_t> branch_of_;  // by operator
  std::vector<std::pair<uint32_t, std::shared_ptr<const Bytes>>> constants_;  // with the index of the buffer
  std::unordered_multimap<size_t, size_t> segments_;                          // by hash, index in constants_
  uint64_t data_bytes_ = 0;
};

}  // namespace

PlanBytes::PlanBytes(size_t size) : size_(size) {
  const size_t padded = align_up(size, plan_format::kDataAlignment);
  data_.reset(static_cast<std::byte*>(std::aligned_alloc(plan_format::kDataAlignment, padded)));
  if (data_ == nullptr) throw std::bad_alloc();
  std::memset(data_.get(), 0, padded);
}

void PlanBytes::Free::operator()(std::byte* data) const { std::free(data); }

Result<PlanBytes> emit_plan(Graph& graph, const Backends& backends, const OfferObserver& observer) {
  graph.tidy();
  NESTRT_RETURN_IF_ERROR(legalize_outputs(graph));
  Emitter emitter(graph, backends, observer);
  NESTRT_RETURN_IF_ERROR(emitter.build());
  NESTRT_ASSIGN_OR_RETURN(PlanBytes bytes, emitter.write());
  auto plan = Plan::from_memory(bytes.span(), Verification::kComplete);
  if (!plan) return Status(Code::kInternal, "the emitted plan fails verification: " + plan.error().to_string());
  return bytes;
}

}  // namespace nestrt::compiler
