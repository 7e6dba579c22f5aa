#include "compiler-lite/backends/evta/evta_backend.h"

#include <map>

#include "compiler-lite/backends/evta/legal.h"
#include "compiler-lite/backends/evta/stem.h"
#include "compiler-lite/backends/evta/tuner.h"
#include "drivers/evta/cycles/cycle_model.h"

namespace nestrt::compiler::evta {
namespace {

constexpr std::string_view kProfile = "zcu102";

// The geometry of a layer and what follows its sums, as text.
class Key {
 public:
  explicit Key(const NodeLayer& node) {
    std::visit([this](const auto& layer) { add_layer(layer); }, node.layer);
  }
  const std::string& text() const { return text_; }

 private:
  void add(int64_t number) { text_ += std::to_string(number) + " "; }
  void add(const LayerAxis& axis) {
    for (const int64_t number : {axis.input, axis.kernel, axis.stride, axis.pad_begin, axis.pad_end}) add(number);
  }
  void add_layer(const ConvLayer& layer) {
    for (const int64_t number : {layer.images, layer.in_channels, layer.out_channels, layer.groups}) add(number);
    add(layer.y);
    add(layer.x);
    add(layer.is_identity());
    add(layer.bias.empty());
    add(static_cast<int64_t>(layer.rounding));
    for (const uint8_t shift : layer.shifts) add(shift);
    for (const int32_t bound : {layer.bounds.low, layer.bounds.high}) add(bound);
    if (layer.residual)
      for (const int shift : {layer.residual->left_a, layer.residual->left_b, layer.residual->right}) add(shift);
  }
  void add_layer(const MaxPoolLayer& layer) {
    text_ = "max-pool ";
    for (const int64_t number : {layer.images, layer.channels}) add(number);
    add(layer.y);
    add(layer.x);
  }

  std::string text_;
};

// The compiler has laid activations out for the CPU: in blocks of 16 channels, or as rows of a matrix.
Status check_layout(const Value& value, const std::string& what, int64_t block) {
  if (value.layout == Layout::kBlocked16) return {};
  if (value.shape.rank() == 2 && value.shape[1] % block == 0) return {};  // [M, K] is [M][K / block][1][1][block]
  return Status(Code::kUnsupported, what + " is not in blocks of channels");
}

bool is_picture(const Value& value) { return value.layout == Layout::kPlain && value.shape.rank() == 4; }

template <typename T>
std::shared_ptr<const Bytes> bytes_of(const std::vector<T>& elements) {
  const auto* begin = reinterpret_cast<const std::byte*>(elements.data());
  return std::make_shared<const Bytes>(begin, begin + elements.size() * sizeof(T));
}

class EvtaBackend final : public Backend {
 public:
  EvtaBackend(const isa::Instances& instances, const isa::CycleProfile& profile, bool clock_is_stated)
      : instances_(instances), configuration_(*instances.configuration), profile_(profile),
        clock_is_stated_(clock_is_stated) {}

  std::string unit() const override { return "evta"; }
  std::string fingerprint() const override { return std::string(configuration_.name); }
  std::string configuration() const override { return isa::to_text(instances_); }

  Result<Offer> offer(const Graph& graph, const Node& node) override {
    auto program = make(graph, node);
    if (program) return Offer{std::move(*program), {}};
    const Code code = program.error().code();  // kInvalidArgument: sizes beyond what a layer may have
    if (code != Code::kUnsupported && code != Code::kInvalidArgument)
      return program.error().with_context("node '" + node.name + "'");
    return Offer{std::nullopt, std::string(program.error().message())};
  }

 private:
  Result<UnitProgram> make(const Graph& graph, const Node& node) {
    NESTRT_ASSIGN_OR_RETURN(NodeLayer layer, layer_of(graph, node));
    NESTRT_RETURN_IF_ERROR(take_input(graph.value(layer.input), &layer));
    NESTRT_RETURN_IF_ERROR(check_layout(graph.value(node.outputs[0]), "its output", configuration_.block()));
    NESTRT_ASSIGN_OR_RETURN(const auto generator, generator_of(configuration_, layer));
    NESTRT_ASSIGN_OR_RETURN(const GeneratedProgram generated, generate(*generator, Key(layer).text()));
    return unit_program(graph, generated, layer, node.outputs[0]);
  }

  // A convolution may read a plain picture.
  Status take_input(const Value& input, NodeLayer* node) const {
    auto* const layer = std::get_if<ConvLayer>(&node->layer);
    if (!is_picture(input) || layer == nullptr) return check_layout(input, "its input", configuration_.block());
    NESTRT_ASSIGN_OR_RETURN(Stem stem, make_stem(*layer, configuration_.block()));
    *layer = std::move(stem.layer);
    return {};
  }

  // Layers of one geometry share the search, unless their constants take different room on chip.
  Result<GeneratedProgram> generate(const LayerGenerator& generator, const std::string& key) {
    if (const auto known = schedules_.find(key); known != schedules_.end())
      if (auto program = generator.generate(known->second)) return program;
    NESTRT_ASSIGN_OR_RETURN(const Schedule schedule, best_schedule(generator));
    schedules_.insert_or_assign(key, schedule);
    return generator.generate(schedule);
  }

  Result<Schedule> best_schedule(const LayerGenerator& generator) const {
    TuneOptions options;
    options.cost = [this](const isa::Program& program) {
      const auto count = isa::count_cycles(program, profile_);
      return count ? count->cycles : 0;
    };
    options.bus_bytes = profile_.bus_bytes;
    options.least_micro_ops = {1, 16, 64};  // loops cost time in HLS
    NESTRT_ASSIGN_OR_RETURN(const TunedSchedule tuned, tune(generator, options));
    return tuned.schedule;
  }

  // What the driver has to bring a value's bytes to.
  Layout layout_there(const Value& value) const {
    if (!is_picture(value) && value.layout != Layout::kBlocked16) return Layout::kPlain;
    const Layout blocks = configuration_.block() == 32 ? Layout::kBlocked32 : Layout::kBlocked16;
    return blocks == value.layout ? Layout::kPlain : blocks;
  }

  Result<UnitProgram> unit_program(const Graph& graph, const GeneratedProgram& generated, const NodeLayer& layer,
                                   ValueId output) const {
    UnitProgram result;
    result.segments = {bytes_of(generated.instructions), bytes_of(*generated.weights),
                       std::make_shared<const Bytes>(generated.constants)};
    const auto add = [&](Buffer buffer, plan::RangeAccess access, ValueId value, uint32_t segment) {
      const isa::MemoryRange& range = generated.range(buffer);
      if (range.size == 0) return;
      const Layout layout = value == kNoValue ? Layout::kPlain : layout_there(graph.value(value));
      result.ranges.push_back({range.address, range.size, access, value, segment, layout});
    };
    add(Buffer::kWeights, plan::RangeAccess::read, kNoValue, 1);
    add(Buffer::kInput, plan::RangeAccess::read, layer.input, 0);
    add(Buffer::kResidual, plan::RangeAccess::read, layer.residual, 0);
    add(Buffer::kOutput, plan::RangeAccess::write, output, 0);
    add(Buffer::kConstants, plan::RangeAccess::read, kNoValue, 2);
    NESTRT_ASSIGN_OR_RETURN(const isa::CycleCount count, isa::count_cycles(generated.program(), profile_));
    result.cycles = count.cycles;
    result.moved_bytes = count.total_bytes();
    result.occupancy = count.gemm_occupancy();
    if (clock_is_stated_) result.microseconds = profile_.seconds(static_cast<double>(count.cycles)) * 1e6;
    return result;
  }

  const isa::Instances instances_;
  const isa::Configuration& configuration_;  // theirs
  const isa::CycleProfile profile_;
  const bool clock_is_stated_;
  std::map<std::string, Schedule> schedules_;
};

}  // namespace

Result<std::shared_ptr<Backend>> make_evta_backend(const TargetUnit& unit) {
  NESTRT_ASSIGN_OR_RETURN(isa::Instances instances, isa::parse_instances(unit.configuration));
  instances.count = static_cast<int>(unit.instances);
  isa::CycleProfile profile = *isa::find_cycle_profile(kProfile);
  if (unit.clock_mhz > 0) profile.clock_hz = unit.clock_mhz * 1e6;
  if (unit.bus_bits > 0) profile.bus_bytes = static_cast<int>(unit.bus_bits / 8);
  return std::shared_ptr<Backend>(std::make_shared<EvtaBackend>(instances, profile, unit.clock_mhz > 0));
}

}  // namespace nestrt::compiler::evta
