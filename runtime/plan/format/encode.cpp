// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/format/encode.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <variant>

#include "runtime/plan/format/format.h"
#include "runtime/plan/format/kernel_alternatives.h"
#include "runtime/plan/format/operator_codec.h"

namespace nestrt {
namespace {

using flatbuffers::FlatBufferBuilder;
using plan_format::field_offset;

wire::Activation in_wire(const ops::Activation& activation) {
  return {static_cast<wire::ActivationKind>(activation.kind), activation.alpha, activation.beta};
}

// Writes the fields of one operator that differ from their defaults. Lists precede the table, and wide members precede
// narrow ones, so that no padding is needed.
template <typename Op>
class AttributeWriter {
 public:
  AttributeWriter(FlatBufferBuilder& builder, const Op& op) : builder_(builder), op_(op) {}

  flatbuffers::Offset<void> write() {
    visit([&](size_t index, const auto& member, const auto&) {
      using T = std::remove_cvref_t<decltype(member)>;
      if constexpr (plan_format::kIsList<T>)
        if (!member.empty()) lists_[index] = builder_.CreateVector(member).o;
    });
    const flatbuffers::uoffset_t start = builder_.StartTable();
    for (const bool wide : {true, false})
      visit([&](size_t index, const auto& member, const auto& standard) {
        if ((sizeof member >= sizeof(int32_t)) == wide) add(index, member, standard);
      });
    return builder_.EndTable(start);
  }

 private:
  static constexpr size_t kFields = std::tuple_size_v<decltype(Op::fields())>;

  // visit(index, member, default value of the member)
  template <typename Visitor>
  void visit(Visitor&& visitor) const {
    const Op standard;
    size_t index = 0;
    std::apply([&](const auto&... field) { (visitor(index++, op_.*(field.member), standard.*(field.member)), ...); },
               Op::fields());
  }

  template <typename T>
  void add(size_t index, const T& member, const T& standard) {
    const auto at = field_offset(index);
    if constexpr (plan_format::kIsList<T>) {
      if (lists_[index] != 0) builder_.AddOffset(at, flatbuffers::Offset<void>(lists_[index]));
    } else if constexpr (std::is_same_v<T, ops::Activation>) {
      const wire::Activation activation = in_wire(member);
      if (!(member == standard)) builder_.AddStruct(at, &activation);
    } else if constexpr (std::is_enum_v<T> || std::is_same_v<T, bool>) {
      builder_.AddElement<uint8_t>(at, static_cast<uint8_t>(member), static_cast<uint8_t>(standard));
    } else {
      builder_.AddElement<T>(at, member, standard);
    }
  }

  FlatBufferBuilder& builder_;
  const Op& op_;
  std::array<flatbuffers::uoffset_t, kFields + 1> lists_{};
};

class TablesEncoder {
 public:
  std::vector<std::byte> encode(const plan::Tables& tables) {
    builder_.Finish(plan(tables), wire::PlanIdentifier());
    const auto* const bytes = reinterpret_cast<const std::byte*>(builder_.GetBufferPointer());
    return {bytes, bytes + builder_.GetSize()};
  }

 private:
  flatbuffers::Offset<wire::Plan> plan(const plan::Tables& tables) {
    const auto shapes = each(tables.shapes, &TablesEncoder::plan);
    const auto targets = each(tables.targets, &TablesEncoder::target);
    const auto buffers = each(tables.buffers, &TablesEncoder::buffer);
    const auto tensors = each(tables.tensors, &TablesEncoder::tensor);
    const auto operators = each(tables.operators, &TablesEncoder::operation);
    const auto inputs = each(tables.inputs, &TablesEncoder::input);
    const auto outputs = list(tables.outputs);
    const auto memory_plans = each(tables.memory_plans, &TablesEncoder::memory_plan);
    const auto branches = each(tables.branches, &TablesEncoder::branch);
    const auto kernel_names = tables.kernel_names.empty() ? 0 : builder_.CreateVectorOfStrings(tables.kernel_names);
    const auto producer = string(tables.producer), model_name = string(tables.model_name);
    const auto host_costs = each(tables.host_costs, &TablesEncoder::host_costs);
    const auto overheads = each(tables.overheads, &TablesEncoder::overhead);
    return wire::CreatePlan(builder_, producer, model_name, targets, buffers, tensors, operators, inputs, outputs,
                            memory_plans, branches, kernel_names, host_costs, overheads, shapes);
  }

  flatbuffers::Offset<flatbuffers::String> string(const std::string& text) {
    return text.empty() ? 0 : builder_.CreateString(text);
  }

  template <typename T>
  flatbuffers::Offset<flatbuffers::Vector<T>> list(const std::vector<T>& values) {
    return values.empty() ? 0 : builder_.CreateVector(values);
  }

  template <typename Plain, typename Wire>
  flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<Wire>>> each(
      const std::vector<Plain>& values, flatbuffers::Offset<Wire> (TablesEncoder::*encode)(const Plain&)) {
    std::vector<flatbuffers::Offset<Wire>> offsets;
    for (const Plain& value : values) offsets.push_back((this->*encode)(value));
    return list(offsets);
  }

  flatbuffers::Offset<wire::Target> target(const plan::Target& source) {
    const auto unit = string(source.unit), configuration = string(source.configuration);
    return wire::CreateTarget(builder_, unit, configuration, source.clock_mhz, source.widen_mb_per_s, source.launch_us);
  }

  flatbuffers::Offset<wire::Buffer> buffer(const plan::Buffer& source) {
    return wire::CreateBuffer(builder_, static_cast<wire::BufferKind>(source.kind), source.size, source.data_offset,
                              source.first_use, source.last_use);
  }

  flatbuffers::Offset<wire::Quantization> quantization(const plan::Quantization& source) {
    const auto exponents = list(source.exponents);
    const auto scales = list(source.scales);
    const auto zero_points = list(source.zero_points);
    return wire::CreateQuantization(builder_, exponents, scales, zero_points, source.axis);
  }

  flatbuffers::Offset<wire::Tensor> tensor(const plan::Tensor& source) {
    const auto name = string(source.name);
    const auto shape = list(std::vector<int64_t>(source.shape.begin(), source.shape.end()));
    const auto quantized = source.quantization ? quantization(*source.quantization) : 0;
    return wire::CreateTensor(builder_, name, static_cast<wire::DataType>(source.type), shape,
                              static_cast<wire::Layout>(source.layout), static_cast<uint8_t>(source.packing),
                              source.buffer, source.offset, quantized);
  }

  flatbuffers::Offset<wire::Operator> operation(const plan::Operator& source) {
    const auto name = string(source.name);
    const auto attributes = std::visit(
        [&]<typename Op>(const Op& op) -> flatbuffers::Offset<void> {
          if constexpr (std::is_same_v<Op, std::monostate>)
            return 0;
          else
            return AttributeWriter<Op>(builder_, op).write();
        },
        source.attributes);
    const auto inputs = list(source.inputs), outputs = list(source.outputs);
    return wire::CreateOperator(builder_, name, static_cast<wire::Attributes>(source.kind()), attributes, inputs,
                                outputs);
  }

  flatbuffers::Offset<wire::Input> input(const plan::Input& source) {
    flatbuffers::Offset<wire::Preprocessing> preprocessing = 0;
    if (source.preprocessing) {
      const auto mean = list(source.preprocessing->mean), scale = list(source.preprocessing->scale);
      preprocessing = wire::CreatePreprocessing(builder_, mean, scale, source.preprocessing->resize,
                                                source.preprocessing->bgr, source.preprocessing->letterbox,
                                                source.preprocessing->pad, source.preprocessing->antialias);
    }
    return wire::CreateInput(builder_, source.tensor, preprocessing);
  }

  flatbuffers::Offset<wire::MemoryPlan> memory_plan(const plan::MemoryPlan& source) {
    return wire::CreateMemoryPlan(builder_, static_cast<wire::MemoryPlanKind>(source.kind), source.arena_bytes,
                                  source.lower_bound_bytes, list(source.offsets));
  }

  flatbuffers::Offset<wire::Branch> branch(const plan::Branch& source) {
    const auto operators = list(source.operators);
    const auto programs = each(source.programs, &TablesEncoder::program);
    return wire::CreateBranch(builder_, operators, programs);
  }

  flatbuffers::Offset<wire::Program> program(const plan::Program& source) {
    const auto unit = string(source.unit), configuration = string(source.configuration);
    const auto selections = each(source.selections, &TablesEncoder::selection);
    const auto segments = list(source.segments);
    const auto costs = each(source.costs, &TablesEncoder::cost);
    const auto ranges = each(source.ranges, &TablesEncoder::range);
    const auto vendor = source.vendor ? vendor_facts(*source.vendor) : flatbuffers::Offset<wire::VendorFacts>();
    return wire::CreateProgram(builder_, unit, static_cast<wire::ProgramKind>(source.kind), configuration, selections,
                               segments, costs, ranges, source.channels.end, source.channels.begin,
                               source.channels.begin_row, source.channels.end_row, vendor);
  }

  flatbuffers::Offset<wire::VendorFacts> vendor_facts(const plan::VendorFacts& source) {
    const auto names = source.port_names.empty() ? 0 : builder_.CreateVectorOfStrings(source.port_names);
    const auto files = each(source.files, &TablesEncoder::vendor_file);
    return wire::CreateVendorFacts(builder_, names, files, source.npu_share, string(source.on_cpu));
  }

  flatbuffers::Offset<wire::VendorFile> vendor_file(const plan::VendorFacts::File& source) {
    return wire::CreateVendorFile(builder_, string(source.name), source.offset, source.size);
  }

  flatbuffers::Offset<wire::KernelSelection> selection(const plan::KernelSelection& source) {
    const auto instruction_set = string(source.instruction_set);
    const auto kernels = list(source.kernels);
    const auto weights = list(source.weights);
    const auto alternatives = each(source.alternatives, &TablesEncoder::alternative);
    return wire::CreateKernelSelection(builder_, instruction_set, kernels, weights, alternatives);
  }

  flatbuffers::Offset<wire::KernelAlternative> alternative(const plan::KernelAlternative& source) {
    return wire::CreateKernelAlternative(builder_, source.op, source.kernel, source.weights);
  }

  flatbuffers::Offset<wire::HostCosts> host_costs(const plan::HostCosts& source) {
    const auto configuration = string(source.configuration);
    return wire::CreateHostCosts(builder_, configuration, source.threads, list(source.microseconds));
  }

  flatbuffers::Offset<wire::Overhead> overhead(const plan::Overhead& source) {
    const auto unit = string(source.unit), configuration = string(source.configuration);
    return wire::CreateOverhead(builder_, unit, configuration, source.threads, source.start_us, source.finish_us,
                                source.mb_per_s, source.lane_us);
  }

  flatbuffers::Offset<wire::Cost> cost(const plan::Cost& source) {
    return wire::CreateCost(builder_, source.microseconds, static_cast<wire::CostOrigin>(source.origin));
  }

  flatbuffers::Offset<wire::ProgramRange> range(const plan::ProgramRange& source) {
    return wire::CreateProgramRange(builder_, source.address, source.size,
                                    static_cast<wire::RangeAccess>(source.access), source.tensor, source.segment,
                                    static_cast<wire::RangeLayout>(source.layout), source.offset);
  }

  FlatBufferBuilder builder_{1 << 16};
};

// Returns whether readers of the oldest format version do not know the operator or its kind.
bool is_new(const plan::Operator& op) {
  if (const auto* const unary = op.as<ops::Unary>()) return unary->kind == ops::UnaryKind::kBitwiseNot;
  if (const auto* const binary = op.as<ops::Binary>()) return binary->kind >= ops::BinaryKind::kBitwiseAnd;
  if (const auto* const sum = op.as<ops::CumSum>()) return sum->product;
  return op.kind() > ops::Kind::kOpaque;
}

// Returns whether only readers of the newest format version know the operator or this form of it.
bool is_newest(const plan::Operator& op) {
  if (op.kind() == ops::Kind::kPad) return op.inputs.size() > 1;
  if (op.kind() == ops::Kind::kRecurrent) return op.inputs.size() > 6;
  return op.kind() > ops::Kind::kNonMaxSuppression;
}

bool has_vendor_news(const plan::Branch& branch) {
  return std::ranges::any_of(branch.programs, [](const plan::Program& program) {
    return program.vendor.has_value() || (program.kind == plan::ProgramKind::kBlob && program.segments.size() > 1);
  });
}

bool has_narrow_blocks(const plan::Branch& branch) {
  return std::ranges::any_of(branch.programs, [](const plan::Program& program) {
    return std::ranges::any_of(
        program.ranges, [](const plan::ProgramRange& range) { return range.layout == plan::RangeLayout::kBlocked8; });
  });
}

bool writes_bytes(const plan::Branch& branch) {
  return std::ranges::any_of(branch.programs, [](const plan::Program& program) { return widened_bytes(program) > 0; });
}

// Returns the oldest minor version that supports the tables without their additional shapes.
uint16_t own_minor_version(const plan::Tables& tables) {
  if (std::ranges::any_of(tables.operators, is_newest) || std::ranges::any_of(tables.branches, has_vendor_news) ||
      std::ranges::any_of(tables.branches, has_narrow_blocks))
    return plan_format::kVersionMinor;
  const auto has_more = [](const plan::Target& target) { return target.widen_mb_per_s != 0 || target.launch_us != 0; };
  if (std::ranges::any_of(tables.branches, writes_bytes) || std::ranges::any_of(tables.targets, has_more))
    return plan_format::kMinorBeforeDynamic;
  const auto states_clock = [](const plan::Target& target) { return target.clock_mhz != 0; };
  const bool has_news = !tables.host_costs.empty() || !tables.overheads.empty() || !tables.shapes.empty() ||
                        names_alternatives(tables) || std::ranges::any_of(tables.targets, states_clock) ||
                        std::ranges::any_of(tables.operators, is_new);
  return has_news ? plan_format::kMinorBeforeBytes : plan_format::kOldestMinor;
}

}  // namespace

uint16_t minor_version_of(const plan::Tables& tables) {
  uint16_t newest = own_minor_version(tables);
  for (const plan::Tables& shape : tables.shapes) newest = std::max(newest, minor_version_of(shape));
  return newest;
}

std::vector<std::byte> encode_tables(const plan::Tables& tables) { return TablesEncoder().encode(tables); }

}  // namespace nestrt
