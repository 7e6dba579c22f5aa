// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/format/decode.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "runtime/core/budget.h"
#include "runtime/core/function_ref.h"
#include "runtime/kernel/packing.h"
#include "runtime/plan/format/operator_codec.h"
#include "runtime/plan/format/plan_error.h"

namespace nestrt {
namespace {

using plan_format::field_offset;

constexpr uint32_t kMaxTableDepth = 16;
// memory budget for structs: a base amount, and an amount per byte of the tables
constexpr uint64_t kFreeBytes = uint64_t{192} << 20, kBytesOfByte = 12;

// Returns the description of a field. Called only on failure, because formatting costs more than all checks together.
using What = FunctionRef<std::string()>;

// Decodes values and keeps the first error. After an error it returns empty values, which the caller discards.
class Decoder {
 public:
  explicit Decoder(Budget budget) : budget_(budget) {}

  Status status() const { return status_; }

  template <typename T, typename Wire>
  std::vector<T> list(const flatbuffers::Vector<Wire>* source) {
    static_assert(sizeof(T) == sizeof(Wire));
    if (source == nullptr || !charge(uint64_t{source->size()} * sizeof(T))) return {};
    std::vector<T> result(source->size());
    // The FlatBuffers verifier aligns vectors to 4 bytes only.
    if (!result.empty()) std::memcpy(result.data(), source->Data(), result.size() * sizeof(T));
    return result;
  }

  std::string string(const flatbuffers::String* source) {
    if (source == nullptr || !charge(source->size())) return {};
    return std::string(source->data(), source->size());
  }

  // Also charges the references, because several tables may share a list of empty strings.
  std::vector<std::string> strings(const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>* source) {
    std::vector<std::string> result;
    if (source == nullptr || !charge(uint64_t{source->size()} * sizeof(flatbuffers::uoffset_t))) return result;
    result.reserve(source->size());
    for (const flatbuffers::String* text : *source) result.push_back(string(text));
    return result;
  }

  // Checks an enumeration's value. `what` names the field in the error: "tensor 3: type".
  template <typename Enum, typename Wire>
  Enum enumerator(Wire value, What what) {
    const auto result = static_cast<Enum>(value);
    if (name(result).empty()) fail(fmt::format("{} {} is unknown", what(), static_cast<int>(value)));
    return result;
  }

  // Charges a table's size to the budget. The size in the vtable is untrusted, because the FlatBuffers verifier checks
  // only the declared fields. Every table therefore counts as at least its own offset field and the offset that points
  // to it.
  template <typename Table>
  bool charge_table(const Table& table) {
    using flatbuffers::voffset_t;
    const uint8_t* const vtable = reinterpret_cast<const flatbuffers::Table&>(table).GetVTable();
    if (flatbuffers::ReadScalar<voffset_t>(vtable) < 2 * sizeof(voffset_t)) {
      fail("a table has no size");
      return false;
    }
    const uint64_t size = flatbuffers::ReadScalar<voffset_t>(vtable + sizeof(voffset_t));
    return charge(std::max<uint64_t>(size, sizeof(flatbuffers::soffset_t)) + sizeof(flatbuffers::uoffset_t));
  }

  void fail(std::string what) {
    if (status_.ok()) status_ = damaged_plan(std::move(what));
  }

 private:
  // Charges bytes to the budget. In a file without shared data, every byte of the tables is used once and the budget
  // suffices. A reference to a nested table is counted with both tables; this is offset by the lengths of lists, which
  // are not counted.
  bool charge(uint64_t bytes) {
    if (status_.ok() && budget_.charge(bytes)) return true;
    fail("the tables refer to more entries than fit into them");
    return false;
  }

  Budget budget_;
  Status status_;
};

class AttributeReader {
 public:
  AttributeReader(Decoder& decoder, const flatbuffers::Table& table, What op)
      : decoder_(decoder), table_(table), op_(op) {}

  template <typename T>
  void operator()(std::string_view field, T& member) {
    const auto at = field_offset(index_++);
    if constexpr (plan_format::kIsList<T>) {
      member = decoder_.list<typename T::value_type>(
          table_.GetPointer<const flatbuffers::Vector<typename T::value_type>*>(at));
    } else if constexpr (std::is_same_v<T, ops::Activation>) {
      if (const auto* const source = table_.GetStruct<const wire::Activation*>(at))
        member = {decoder_.enumerator<ops::ActivationKind>(source->kind(),
                                                           [&] { return fmt::format("{}: activation =", op_()); }),
                  source->alpha(), source->beta()};
    } else if constexpr (std::is_enum_v<T>) {
      const auto value = table_.GetField<uint8_t>(at, static_cast<uint8_t>(member));
      member = decoder_.enumerator<T>(value, [&] { return fmt::format("{}: {} =", op_(), field); });
    } else if constexpr (std::is_same_v<T, bool>) {
      member = table_.GetField<uint8_t>(at, member ? 1 : 0) != 0;
    } else {
      member = table_.GetField<T>(at, member);
    }
  }

 private:
  Decoder& decoder_;
  const flatbuffers::Table& table_;
  const What op_;
  size_t index_ = 0;
};

template <typename Op>
ops::Attributes read_attributes(Decoder& decoder, const flatbuffers::Table& table, What op) {
  Op result;
  ops::for_each_field(result, AttributeReader(decoder, table, op));
  return result;
}

ops::Attributes attributes_of(Decoder& decoder, const wire::Operator& op, uint32_t index) {
  using Read = ops::Attributes (*)(Decoder&, const flatbuffers::Table&, What);
  static constexpr Read kReaders[] = {nullptr,
#define NESTRT_READER(Op) read_attributes<ops::Op>,
                                      NESTRT_FOR_EACH_OPERATOR(NESTRT_READER)
#undef NESTRT_READER
  };
  const auto kind = static_cast<size_t>(op.attributes_type());
  const auto* const table = static_cast<const flatbuffers::Table*>(op.attributes());
  const std::string_view op_name = op.name() == nullptr ? std::string_view() : op.name()->string_view();
  const auto where = [&] {
    return fmt::format("operator {}{}", index, op_name.empty() ? "" : fmt::format(" '{}'", op_name));
  };
  if (kind == 0 || kind >= std::size(kReaders) || table == nullptr) {
    decoder.fail(fmt::format("{}: operator kind {} is unknown", where(), kind));
    return {};
  }
  if (!decoder.charge_table(*table)) return {};
  const auto label = [&] { return fmt::format("{} ({})", where(), ops::name(static_cast<ops::Kind>(kind))); };
  return kReaders[kind](decoder, *table, label);
}

// --- The other tables ----------------------------------------------------------------------------------------------

class TablesDecoder {
 public:
  explicit TablesDecoder(uint64_t tables_bytes)
      : decoder_(Budget(tables_bytes)), structs_(Budget::of_file(kFreeBytes, kBytesOfByte, tables_bytes)) {}

  Result<plan::Tables> decode(const wire::Plan& source) {
    plan::Tables result = tables(source);
    each(source.shapes(), result.shapes, &TablesDecoder::shape);
    NESTRT_RETURN_IF_ERROR(decoder_.status());
    return result;
  }

 private:
  plan::Tables shape(const wire::Plan& source, uint32_t index) {
    if (source.shapes() != nullptr) decoder_.fail(fmt::format("shape {} has nested shapes", index + 1));
    return tables(source);
  }

  // Decodes everything except the other shapes.
  plan::Tables tables(const wire::Plan& source) {
    plan::Tables tables;
    tables.producer = decoder_.string(source.producer());
    tables.model_name = decoder_.string(source.model_name());
    each(source.targets(), tables.targets, &TablesDecoder::target);
    each(source.buffers(), tables.buffers, &TablesDecoder::buffer);
    each(source.tensors(), tables.tensors, &TablesDecoder::tensor);
    each(source.operators(), tables.operators, &TablesDecoder::operation);
    each(source.inputs(), tables.inputs, &TablesDecoder::input);
    tables.outputs = decoder_.list<uint32_t>(source.outputs());
    each(source.memory_plans(), tables.memory_plans, &TablesDecoder::memory_plan);
    each(source.branches(), tables.branches, &TablesDecoder::branch);
    tables.kernel_names = decoder_.strings(source.kernel_names());
    each(source.host_costs(), tables.host_costs, &TablesDecoder::host_costs);
    each(source.overheads(), tables.overheads, &TablesDecoder::overhead);
    return tables;
  }

  template <typename Wire, typename Plain>
  void each(const flatbuffers::Vector<flatbuffers::Offset<Wire>>* source, std::vector<Plain>& result,
            Plain (TablesDecoder::*decode)(const Wire&, uint32_t)) {
    if (source == nullptr) return;
    // An empty table of eight bytes becomes a struct of hundreds of bytes.
    if (!structs_.charge(uint64_t{source->size()} * sizeof(Plain))) return decoder_.fail("there are too many tables");
    result.reserve(source->size());
    for (uint32_t index = 0; index < source->size() && decoder_.status().ok(); ++index)
      if (decoder_.charge_table(*source->Get(index))) result.push_back((this->*decode)(*source->Get(index), index));
  }

  plan::Target target(const wire::Target& source, uint32_t) {
    return {decoder_.string(source.unit()), decoder_.string(source.configuration()), source.clock_mhz(),
            source.widen_mb_per_s(), source.launch_us()};
  }

  plan::Buffer buffer(const wire::Buffer& source, uint32_t index) {
    return {decoder_.enumerator<plan::BufferKind>(source.kind(), [&] { return fmt::format("buffer {}: kind", index); }),
            source.size(), source.data_offset(), source.first_use(), source.last_use()};
  }

  plan::Tensor tensor(const wire::Tensor& source, uint32_t index) {
    plan::Tensor result;
    result.name = decoder_.string(source.name());
    result.type = decoder_.enumerator<DataType>(source.type(), [&] { return fmt::format("tensor {}: type", index); });
    const std::vector<int64_t> dims = decoder_.list<int64_t>(source.shape());
    if (dims.size() > static_cast<size_t>(Shape::kMaxRank))
      decoder_.fail(fmt::format("tensor {}: rank {} exceeds {}", index, dims.size(), Shape::kMaxRank));
    else
      result.shape = Shape(dims);
    result.layout =
        decoder_.enumerator<Layout>(source.layout(), [&] { return fmt::format("tensor {}: layout", index); });
    result.packing =
        decoder_.enumerator<Packing>(source.packing(), [&] { return fmt::format("tensor {}: packing", index); });
    result.buffer = source.buffer();
    result.offset = source.offset();
    if (const wire::Quantization* const quantization = source.quantization();
        quantization != nullptr && decoder_.charge_table(*quantization))
      result.quantization = {decoder_.list<int8_t>(quantization->exponents()),
                             decoder_.list<float>(quantization->scales()),
                             decoder_.list<int32_t>(quantization->zero_points()), quantization->axis()};
    return result;
  }

  plan::Operator operation(const wire::Operator& source, uint32_t index) {
    return {decoder_.string(source.name()), attributes_of(decoder_, source, index),
            decoder_.list<int32_t>(source.inputs()), decoder_.list<int32_t>(source.outputs())};
  }

  plan::Input input(const wire::Input& source, uint32_t) {
    plan::Input result{source.tensor(), std::nullopt};
    if (const wire::Preprocessing* const preprocessing = source.preprocessing();
        preprocessing != nullptr && decoder_.charge_table(*preprocessing))
      result.preprocessing = {decoder_.list<float>(preprocessing->mean()),
                              decoder_.list<float>(preprocessing->scale()),
                              preprocessing->resize(),
                              preprocessing->bgr(),
                              preprocessing->letterbox(),
                              preprocessing->pad(),
                              preprocessing->antialias()};
    return result;
  }

  plan::MemoryPlan memory_plan(const wire::MemoryPlan& source, uint32_t index) {
    return {decoder_.enumerator<plan::MemoryPlanKind>(source.kind(),
                                                      [&] { return fmt::format("memory plan {}: kind", index); }),
            source.arena_bytes(), source.lower_bound_bytes(), decoder_.list<uint64_t>(source.offsets())};
  }

  plan::Branch branch(const wire::Branch& source, uint32_t index) {
    plan::Branch result;
    result.operators = decoder_.list<uint32_t>(source.operators());
    branch_ = index;
    each(source.programs(), result.programs, &TablesDecoder::program);
    return result;
  }

  plan::Program program(const wire::Program& source, uint32_t) {
    plan::Program result;
    result.unit = decoder_.string(source.unit());
    result.kind = decoder_.enumerator<plan::ProgramKind>(
        source.kind(), [&] { return fmt::format("branch {}: a program's kind", branch_); });
    result.configuration = decoder_.string(source.configuration());
    each(source.selections(), result.selections, &TablesDecoder::selection);
    result.segments = decoder_.list<uint32_t>(source.segments());
    each(source.costs(), result.costs, &TablesDecoder::cost);
    each(source.ranges(), result.ranges, &TablesDecoder::range);
    result.channels = {source.begin_channel(), source.channels(), source.begin_row(), source.end_row()};
    if (const wire::VendorFacts* const vendor = source.vendor(); vendor != nullptr && decoder_.charge_table(*vendor))
      result.vendor = vendor_facts(*vendor);
    return result;
  }

  plan::VendorFacts vendor_facts(const wire::VendorFacts& source) {
    plan::VendorFacts result;
    result.port_names = decoder_.strings(source.port_names());
    each(source.files(), result.files, &TablesDecoder::vendor_file);
    result.npu_share = source.npu_share();
    result.on_cpu = decoder_.string(source.on_cpu());
    return result;
  }

  plan::VendorFacts::File vendor_file(const wire::VendorFile& source, uint32_t) {
    return {decoder_.string(source.name()), source.offset(), source.size()};
  }

  plan::KernelSelection selection(const wire::KernelSelection& source, uint32_t) {
    plan::KernelSelection result{decoder_.string(source.instruction_set()), decoder_.list<uint32_t>(source.kernels()),
                                 decoder_.list<int32_t>(source.weights())};
    each(source.alternatives(), result.alternatives, &TablesDecoder::alternative);
    return result;
  }

  plan::KernelAlternative alternative(const wire::KernelAlternative& source, uint32_t) {
    return {source.op(), source.kernel(), source.weights()};
  }

  plan::HostCosts host_costs(const wire::HostCosts& source, uint32_t) {
    return {decoder_.string(source.configuration()), source.threads(), decoder_.list<float>(source.microseconds())};
  }

  plan::Overhead overhead(const wire::Overhead& source, uint32_t) {
    return {decoder_.string(source.unit()),
            decoder_.string(source.configuration()),
            source.threads(),
            source.start_us(),
            source.finish_us(),
            source.mb_per_s(),
            source.lane_us()};
  }

  plan::Cost cost(const wire::Cost& source, uint32_t) {
    return {source.microseconds(), decoder_.enumerator<plan::CostOrigin>(source.origin(), [&] {
              return fmt::format("branch {}: a cost's origin", branch_);
            })};
  }

  plan::ProgramRange range(const wire::ProgramRange& source, uint32_t) {
    return {source.address(),
            source.size(),
            decoder_.enumerator<plan::RangeAccess>(source.access(),
                                                   [&] { return fmt::format("branch {}: a range's access", branch_); }),
            source.tensor(),
            source.segment(),
            decoder_.enumerator<plan::RangeLayout>(source.layout(),
                                                   [&] { return fmt::format("branch {}: a range's layout", branch_); }),
            source.offset()};
  }

  Decoder decoder_;
  Budget structs_;
  uint32_t branch_ = 0;  // the branch whose programs are decoded
};

}  // namespace

Result<plan::Tables> decode_tables(std::span<const std::byte> tables) {
  const auto* const data = reinterpret_cast<const uint8_t*>(tables.data());
  flatbuffers::Verifier::Options options;
  options.max_depth = kMaxTableDepth;
  // A table occupies at least four bytes. A larger number means that tables are shared, which nestc never does.
  options.max_tables = static_cast<flatbuffers::uoffset_t>(tables.size() / 4 + 1);
  flatbuffers::Verifier verifier(data, tables.size(), options);
  if (!wire::VerifyPlanBuffer(verifier)) return damaged_plan("the tables are malformed");
  return TablesDecoder(tables.size()).decode(*wire::GetPlan(data));
}

}  // namespace nestrt
