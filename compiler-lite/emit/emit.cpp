#include "compiler-lite/emit/emit.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <unordered_map>

#include "compiler-lite/emit/version.h"
#include "compiler-lite/graph/bound_operator.h"
#include "compiler-lite/memory/planner.h"
#include "compiler-lite/memory/storage.h"
#include "kernels/common/simd.h"
#include "kernels/registry.h"
#include "nestrt/plan.h"
#include "runtime/core/aligned_memory.h"
#include "runtime/plan/digest.h"
#include "runtime/plan/format.h"

namespace nestrt::compiler {
namespace {

// Builds the tables, collecting the constants that go to the data area on the way.
class Emitter {
 public:
  explicit Emitter(const Graph& graph) : graph_(graph), storage_(assign_storage(graph)) {}

  Status build() {
    plan_.producer = std::string("nestc ") + kVersion;
    plan_.model_name = graph_.name;
    auto target = std::make_unique<plan::TargetT>();
    target->unit = "cpu";
    target->configuration = kernels::name(kernels::current_isa());
    plan_.targets.push_back(std::move(target));
    add_buffers();
    add_face();
    NESTRT_RETURN_IF_ERROR(add_operators());
    add_memory_plans();
    add_branch();
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
    for (size_t i = 0; i < storage_.buffers.size(); ++i) {
      if (storage_.buffers[i].kind != plan::BufferKind::constant) continue;
      const Bytes& elements = *graph_.value(storage_.buffers[i].value).constant;
      std::copy(elements.begin(), elements.end(), bytes.data() + header.data_offset + plan_.buffers[i]->data_offset);
    }
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
        buffer->data_offset = data_bytes_;
        data_bytes_ = align_up(data_bytes_ + use.size, plan_format::kSegmentAlignment);
      }
      if (use.kind == plan::BufferKind::arena) {
        buffer->first_use = use.users.front();
        buffer->last_use = use.users.back();
      }
      plan_.buffers.push_back(std::move(buffer));
    }
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
      plan_.memory_plans.push_back(std::move(memory));
    };
    add(plan::MemoryPlanKind::sequential, plan_sequential(storage_, graph_.nodes().size()));
    add(plan::MemoryPlanKind::any_schedule, plan_any_schedule(storage_, graph_));
  }

  void add_branch() {
    auto selection = std::make_unique<plan::KernelSelectionT>();
    selection->instruction_set = kernels::name(kernels::current_isa());
    selection->kernels = kernels_;
    auto program = std::make_unique<plan::ProgramT>();
    program->unit = "cpu";
    program->kind = plan::ProgramKind::kernels;
    program->selections.push_back(std::move(selection));
    auto branch = std::make_unique<plan::BranchT>();
    for (uint32_t i = 0; i < plan_.operators.size(); ++i) branch->operators.push_back(i);
    branch->programs.push_back(std::move(program));
    plan_.branches.push_back(std::move(branch));
    plan_.regions.push_back(std::make_unique<plan::RegionT>());
  }

  const Graph& graph_;
  Storage storage_;
  plan::PlanT plan_;
  std::unordered_map<ValueId, uint32_t> tensors_;
  std::unordered_map<std::string, uint32_t> kernel_names_;
  std::vector<uint32_t> kernels_;  // by operator
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

Result<PlanBytes> emit_plan(Graph& graph) {
  graph.tidy();
  NESTRT_RETURN_IF_ERROR(legalize_outputs(graph));
  Emitter emitter(graph);
  NESTRT_RETURN_IF_ERROR(emitter.build());
  NESTRT_ASSIGN_OR_RETURN(PlanBytes bytes, emitter.write());
  auto plan = Plan::from_memory(bytes.span(), Verification::kComplete);
  if (!plan) return Status(Code::kInternal, "the emitted plan fails verification: " + plan.error().to_string());
  return bytes;
}

}  // namespace nestrt::compiler
