// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/evta/evta_backend.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "compiler-lite/codegen/evta/layer/layer_generator.h"
#include "compiler-lite/codegen/evta/layer/stem.h"
#include "compiler-lite/codegen/evta/legal.h"
#include "compiler-lite/codegen/evta/partial_programs.h"
#include "compiler-lite/codegen/evta/tuning/cached_tuner.h"
#include "compiler-lite/graph/bound_operator.h"
#include "drivers/evta/cycles/cycle_model.h"
#include "kernels/registry.h"
#include "nestrt/log.h"
#include "runtime/plan/queries/channels.h"
#include "scheduler/thread_pool/thread_pool.h"
#include "tools/support/board/board.h"

namespace nestrt::compiler::evta {
namespace {

// Returns the cycle profile for the cost estimates.
std::string_view profile_of(const isa::Configuration& configuration) {
  return configuration.design == isa::Design::kChisel ? "chisel_16_reads" : "zcu102";
}

constexpr uint32_t kWeightSegment = 1;

// Number of tilings measured for a whole layer, and for each of its many partial programs.
constexpr size_t kPrograms = 24;
constexpr size_t kPartialProgramTilings = 6;

// Checks that `value` has a layout that the driver can convert: blocks of 16 channels, or rows of a matrix.
Status check_layout(const Value& value, const std::string& what, int64_t block) {
  if (value.layout == Layout::kBlocked16) return {};
  if (value.shape.rank() == 2 && value.shape[1] % block == 0) return {};  // [M, K] is [M][K / block][1][1][block]
  return Status(Code::kUnsupported, fmt::format("{} is not in blocks of channels", what));
}

// Returns how many rows the host's kernel computes together: a Winograd tile produces four.
int64_t host_rows(const Node& node) {
  const auto* const conv = std::get_if<ops::Conv>(&node.attributes);
  const bool is_winograd =
      conv != nullptr && conv->kernel == std::vector<int32_t>{3, 3} && conv->stride == std::vector<int32_t>{1, 1};
  return is_winograd ? 4 : 1;
}

// Answers the queries of runtime/plan/queries/channels.h for a node whose weights the host has not packed yet. If the
// unit uses another block size than the host, its values must be converted; they can then be split only at boundaries
// of the larger block, and not by rows.
Divisible divisible_output(const Graph& graph, const Node& node, int64_t block) {
  const BoundOperator bound(graph, node);
  OperatorSpec spec = bound.spec();
  std::vector<TensorSpec> inputs(spec.inputs.begin(), spec.inputs.end());
  spec.inputs = inputs;
  const KernelVariant* const kernel = kernels::operators().select(spec, InstructionSet::kPortable);
  if (kernel != nullptr && kernel->packing != Packing::kNone) inputs[1].packing = kernel->packing;
  const uint32_t channels = divisible_channels(spec);
  return {channels, channels > 0 && block == kChannelBlock ? divisible_rows(spec) : 1,
          std::max<int64_t>(block, kChannelBlock), host_rows(node)};
}

// Returns the byte offset of a part in a tensor with blocks of 16 channels.
uint64_t offset_of(const Value& value, const ChannelRange& part) {
  const Shape& shape = value.shape;
  const auto pixels = static_cast<uint64_t>(shape.product(2, shape.rank()));
  const uint64_t row = shape.rank() > 3 ? static_cast<uint64_t>(shape.product(3, shape.rank())) : 1;
  return (part.begin * pixels + part.begin_row * row * kChannelBlock) * size_bytes(value.type);
}

// Returns true if each part of the layer reads a different part of the input.
bool reads_by_channel(const NodeLayer& node) {
  const auto* const conv = std::get_if<ConvLayer>(&node.layer);
  return conv == nullptr || conv->groups > 1;
}

template <typename T>
std::shared_ptr<const Bytes> shared_bytes(const std::vector<T>& elements) {
  return std::make_shared<const Bytes>(to_bytes(elements));
}

class EvtaBackend final : public Backend {
 public:
  EvtaBackend(const isa::Instances& instances, const isa::CycleProfile& profile, const tools::BoardUnit& unit,
              const EvtaOptions& options, std::unique_ptr<ParallelRunner> parallel)
      : instances_(instances),
        configuration_(*instances.configuration),
        profile_(profile),
        clock_is_stated_(unit.clock_mhz > 0),
        widen_mb_per_s_(unit.widen_mb_per_s),
        launch_us_(unit.launch_us),
        num_partial_programs_(options.num_partial_programs),
        least_divided_us_(options.least_divided_us),
        cache_(std::make_shared<TuningCache>(options.tuning_cache)),
        parallel_(std::move(parallel)),
        tuner_(configuration_, profile_, cache_, *parallel_) {}

  std::string unit() const override { return "evta"; }
  std::string program_configuration() const override { return std::string(configuration_.name); }
  std::string configuration() const override { return isa::to_text(instances_); }
  double clock_mhz() const override { return clock_is_stated_ ? profile_.clock_hz / 1e6 : 0; }
  double widen_mb_per_s() const override { return widen_mb_per_s_; }
  double launch_us() const override { return clock_is_stated_ ? launch_us_ : 0; }

  // Blocks of channels if the shapes allow it. A convolution's input may also be folded if that is faster.
  std::vector<LayoutOption> layouts(const Graph& graph, const Node& node) override {
    const Result<NodeLayer> layer = layer_of(graph, node);
    if (!layer) return {};
    std::vector<LayoutOption> options(1);
    for (const ValueId id : node.inputs) options[0].inputs.push_back(wanted_layout(graph, id));
    options[0].output = wanted_layout(graph, node.outputs[0]);
    const auto* const conv = std::get_if<ConvLayer>(&layer->layer);
    if (conv == nullptr || graph.value(layer->input).shape.rank() != 4 || !check(*conv).ok()) return options;
    const Layout folded = stem_layout(*conv, configuration_.block());
    if (!is_folded(folded)) return options;
    options.push_back(options[0]);
    for (size_t i = 0; i < node.inputs.size(); ++i)
      if (node.inputs[i] == layer->input) options[1].inputs[i] = folded;
    return options;
  }

  Status accepts(const Graph& graph, Subgraph nodes) override {
    if (nodes.size() != 1) return Status(Code::kUnsupported, "an EVTA program computes only one operator");
    return prepare(graph, *nodes[0]).error();
  }

  Result<Offer> lower(Graph& graph, Subgraph nodes) override {
    auto made = make(graph, *nodes[0]);
    if (made) return std::move(*made);
    const Code code = made.error().code();  // kInvalidArgument means that sizes exceed the limits of a layer
    if (code != Code::kUnsupported && code != Code::kInvalidArgument)
      return made.error().with_context(fmt::format("node '{}'", nodes[0]->name));
    return Offer{std::nullopt, std::string(made.error().message())};
  }

  void finish() override {
    if (const Status status = cache_->save(); !status.ok())
      log(LogLevel::kWarning, fmt::format("the next compilation must tune again: {}", status.to_string()));
  }

 private:
  // A node in layouts that a program can read and write.
  struct Prepared {
    NodeLayer layer;
    std::unique_ptr<LayerGenerator> generator;
  };

  static Layout wanted_layout(const Graph& graph, ValueId id) {
    const bool has_blocked_operands =
        id != kNoValue && !graph.value(id).is_constant() && graph.value(id).shape.rank() > 2;
    return has_blocked_operands ? Layout::kBlocked16 : Layout::kPlain;
  }

  Result<Prepared> prepare(const Graph& graph, const Node& node) const {
    NESTRT_ASSIGN_OR_RETURN(NodeLayer layer, layer_of(graph, node));
    NESTRT_RETURN_IF_ERROR(take_input(graph.value(layer.input), &layer));
    if (const auto* const conv = std::get_if<ConvLayer>(&layer.layer);
        conv != nullptr && conv->wide && configuration_.block() < static_cast<int>(kChannelBlock))
      return Status(Code::kUnsupported,
                    fmt::format("its result stays in f32, which needs blocks of {} channels or more, and "
                                "configuration {} has {}",
                                kChannelBlock, configuration_.name, configuration_.block()));
    NESTRT_RETURN_IF_ERROR(check_layout(graph.value(node.outputs[0]), "its output", configuration_.block()));
    NESTRT_ASSIGN_OR_RETURN(auto generator, generator_of(configuration_, layer));
    return Prepared{std::move(layer), std::move(generator)};
  }

  Result<Offer> make(const Graph& graph, const Node& node) {
    NESTRT_ASSIGN_OR_RETURN(const Prepared prepared, prepare(graph, node));
    const NodeLayer& layer = prepared.layer;
    NESTRT_ASSIGN_OR_RETURN(const EncodedProgram generated, tuner_.program(*prepared.generator, kPrograms));
    Offer offer;
    NESTRT_ASSIGN_OR_RETURN(offer.program, unit_program(graph, generated, layer, node.outputs[0], {}, false));
    if (!pays(*offer.program)) return offer;
    const Divisible divisible = divisible_output(graph, node, configuration_.block());
    for (const ChannelRange& part : partial_ranges(divisible, num_partial_programs_, instances_.count))
      NESTRT_RETURN_IF_ERROR(add_partial_program(graph, node, layer, part, offer));
    return offer;
  }

  // Accepts folded images as the input of convolutions.
  Status take_input(const Value& input, NodeLayer* node) const {
    auto* const layer = std::get_if<ConvLayer>(&node->layer);
    const int64_t fold = fold_of(input.layout);
    if (fold == 1 || layer == nullptr) return check_layout(input, "its input", configuration_.block());
    NESTRT_RETURN_IF_ERROR(check(*layer));
    if (layer->groups != 1 || layer->y.stride != fold || layer->x.stride != fold)
      return Status(Code::kUnsupported, "its input is folded for another stride");
    *layer = folded_stem(*layer, fold);
    return {};
  }

  bool pays(const UnitProgram& program) const {
    return profile_.seconds(static_cast<double>(program.cycles)) * 1e6 >= least_divided_us_;
  }

  // The best tiling of a partial program that starts or ends within a block may exceed the micro-op limit of a program.
  static bool is_too_large(Code code) { return code == Code::kUnsupported || code == Code::kInvalidPlan; }

  // Adds the partial program unless it is no faster than the whole layer.
  Status add_partial_program(const Graph& graph, const Node& node, const NodeLayer& whole, const ChannelRange& part,
                             Offer& offer) {
    const NodeLayer layer = part_of(whole, part, configuration_.block());
    NESTRT_ASSIGN_OR_RETURN(const auto generator, generator_of(configuration_, layer));
    const Result<EncodedProgram> made = tuner_.program(*generator, kPartialProgramTilings);
    if (!made && is_too_large(made.error().code())) return {};
    if (!made) return made.error();
    const EncodedProgram& generated = *made;
    NESTRT_ASSIGN_OR_RETURN(UnitProgram partial,
                            unit_program(graph, generated, layer, node.outputs[0], part, reads_by_channel(whole)));
    share_weights(*offer.program, generator->shape(), partial);
    if (partial.cycles < offer.program->cycles) offer.partial_programs.push_back(std::move(partial));
    return {};
  }

  // Makes the partial program refer to the whole layer's weights, which follow the identity weights. Does nothing if
  // the weights differ because groups that do not fill blocks were merged differently.
  static void share_weights(const UnitProgram& whole, const LayerShape& shape, UnitProgram& partial) {
    const auto& all = whole.segments[kWeightSegment];
    auto& some = partial.segments[kWeightSegment];
    const auto element = static_cast<size_t>(shape.block * shape.block);
    const size_t own = static_cast<size_t>(shape.weight_elements()) * element, identities = some->size() - own;
    const size_t begin =
        partial.channels.begin / static_cast<size_t>(shape.block) * own / static_cast<size_t>(shape.out_blocks());
    const auto is_same = [&](size_t at, size_t size, size_t there) {
      return there + size <= all->size() &&
             std::equal(some->begin() + static_cast<ptrdiff_t>(at), some->begin() + static_cast<ptrdiff_t>(at + size),
                        all->begin() + static_cast<ptrdiff_t>(there));
    };
    if (!is_same(0, identities, 0) || !is_same(identities, own, identities + begin)) return;
    some = all;
    UnitProgram::Range& range = partial.ranges[0];
    if (begin == 0) return;
    if (identities > 0) {
      UnitProgram::Range first = range;
      first.size = identities;
      range.address += identities;
      range.size -= identities;
      range.offset = identities + begin;
      partial.ranges.insert(partial.ranges.begin(), first);
    } else {
      range.offset = begin;
    }
  }

  // Returns the layout to which the driver converts a value.
  plan::RangeLayout layout_there(const Value& value) const {
    if (block_size(value.layout) != 16) return plan::RangeLayout::kPlain;
    const bool has_wider_blocks = configuration_.block() == 32;
    if (value.type == DataType::kF32)
      return has_wider_blocks ? plan::RangeLayout::kBytes32 : plan::RangeLayout::kBytes16;
    if (configuration_.block() == 8) return plan::RangeLayout::kBlocked8;
    return has_wider_blocks ? plan::RangeLayout::kBlocked32 : plan::RangeLayout::kPlain;
  }

  Result<UnitProgram> unit_program(const Graph& graph, const EncodedProgram& generated, const NodeLayer& layer,
                                   ValueId output, const ChannelRange& part, bool cuts_input) const {
    UnitProgram result(plan::ProgramKind::kInstructions);
    result.channels = part;
    result.segments = {shared_bytes(generated.instructions), shared_bytes(*generated.weights),
                       shared_bytes(generated.constants)};
    const auto add = [&](Buffer buffer, plan::RangeAccess access, ValueId value, uint32_t segment, bool is_cut) {
      const isa::MemoryRange& range = generated.range(buffer);
      if (range.size == 0) return;
      const auto layout = value == kNoValue ? plan::RangeLayout::kPlain : layout_there(graph.value(value));
      const uint64_t offset = is_cut && !part.all() ? offset_of(graph.value(value), part) : 0;
      result.ranges.push_back({range.address, range.size, access, value, segment, layout, offset});
    };
    add(Buffer::kWeights, plan::RangeAccess::kRead, kNoValue, kWeightSegment, false);
    add(Buffer::kInput, plan::RangeAccess::kRead, layer.input, 0, cuts_input);
    add(Buffer::kResidual, plan::RangeAccess::kRead, layer.residual, 0, true);
    add(Buffer::kOutput, plan::RangeAccess::kWrite, output, 0, true);
    add(Buffer::kConstants, plan::RangeAccess::kRead, kNoValue, 2, false);
    NESTRT_ASSIGN_OR_RETURN(const isa::CycleCount count, isa::count_cycles(generated.program(), profile_));
    result.cycles = count.cycles;
    result.moved_bytes = count.total_bytes();
    result.occupancy = count.gemm_occupancy();
    if (clock_is_stated_)
      result.microseconds =
          profile_.seconds(static_cast<double>(count.cycles)) * 1e6 + widening_us(result) + launch_us_;
    return result;
  }

  // Returns the time that the driver needs to convert accumulator bytes before the result can be read.
  double widening_us(const UnitProgram& program) const {
    return widen_mb_per_s_ > 0 ? static_cast<double>(plan::widened_bytes(program)) / widen_mb_per_s_ : 0;
  }

  const isa::Instances instances_;
  const isa::Configuration& configuration_;
  const isa::CycleProfile profile_;
  const bool clock_is_stated_;
  const double widen_mb_per_s_;
  const double launch_us_;
  const int num_partial_programs_;
  const double least_divided_us_;
  const std::shared_ptr<TuningCache> cache_;
  const std::unique_ptr<ParallelRunner> parallel_;
  CachedTuner tuner_;
};

}  // namespace

Result<std::shared_ptr<Backend>> make_evta_backend(const tools::BoardUnit& unit, const EvtaOptions& options) {
  NESTRT_ASSIGN_OR_RETURN(isa::Instances instances, isa::parse_instances(unit.configuration));
  instances.count = static_cast<int>(unit.instances);
  isa::CycleProfile profile = *isa::find_cycle_profile(profile_of(*instances.configuration));
  if (unit.clock_mhz > 0) profile.clock_hz = unit.clock_mhz * 1e6;
  if (unit.bus_bits > 0) profile.bus_bytes = static_cast<int>(unit.bus_bits / 8);
  NESTRT_ASSIGN_OR_RETURN(std::unique_ptr<ParallelRunner> cores, scheduler::ThreadPool::create());
  return std::shared_ptr<Backend>(std::make_shared<EvtaBackend>(instances, profile, unit, options, std::move(cores)));
}

}  // namespace nestrt::compiler::evta
