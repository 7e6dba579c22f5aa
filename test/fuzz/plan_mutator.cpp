// SPDX-License-Identifier: Apache-2.0
#include "test/fuzz/plan_mutator.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "runtime/plan/format/decode.h"
#include "runtime/plan/format/encode.h"
#include "runtime/plan/format/format.h"
#include "test/support/plan/plan_builder.h"
#include "test/support/plan/plan_fuzz.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

namespace nestrt::test {
namespace {

using Random = std::mt19937;
using Bytes = std::vector<std::byte>;

// Changes one field, chosen at random on each level of the structure.
class FieldMutator {
 public:
  explicit FieldMutator(std::mt19937& random) : random_(random) {}

  void change(plan::Tables& one) {
    change_one(one.buffers, one.tensors, one.tensors, one.operators, one.operators, one.inputs, one.outputs,
               one.memory_plans, one.branches, one.host_costs, one.overheads, one.shapes);
  }

 private:
  size_t below(size_t count) { return random_() % count; }

  // --- tables ---
  void change(plan::Quantization& one) { change_one(one.exponents, one.scales, one.zero_points, one.axis); }
  void change(plan::Tensor& one) {
    change_one(one.type, one.shape, one.shape, one.layout, one.packing, one.buffer, one.offset, one.quantization);
  }
  void change(plan::Buffer& one) { change_one(one.kind, one.size, one.data_offset, one.first_use, one.last_use); }
  void change(plan::MemoryPlan& one) { change_one(one.kind, one.arena_bytes, one.lower_bound_bytes, one.offsets); }
  void change(plan::Operator& one) { change_one(one.attributes, one.attributes, one.inputs, one.outputs); }
  void change(plan::KernelAlternative& one) { change_one(one.op, one.kernel, one.weights); }
  void change(plan::KernelSelection& one) { change_one(one.kernels, one.weights, one.alternatives); }
  void change(plan::HostCosts& one) { change_one(one.threads, one.microseconds); }
  void change(plan::Overhead& one) { change_one(one.threads, one.start_us, one.mb_per_s); }
  void change(plan::ProgramRange& one) {
    change_one(one.address, one.size, one.access, one.tensor, one.segment, one.layout, one.offset);
  }
  void change(ChannelRange& one) { change_one(one.begin, one.end, one.begin_row, one.end_row); }
  void change(plan::Program& one) { change_one(one.kind, one.selections, one.segments, one.ranges, one.channels); }
  void change(plan::Branch& one) { change_one(one.operators, one.programs); }
  void change(plan::Input& one) { change(one.tensor); }
  void change(plan::Cost& one) { change(one.microseconds); }

  // --- operators ---
  void change(ops::Attributes& attributes) {
    std::visit([&](auto& op) { change(op); }, static_cast<ops::AnyOperator&>(attributes));
  }
  void change(std::monostate&) {}
  template <typename Op>
  requires requires { Op::fields(); }
  void change(Op& op) {
    constexpr size_t kFields = std::tuple_size_v<decltype(Op::fields())>;
    size_t chosen = below(std::max<size_t>(1, kFields));
    ops::for_each_field(op, [&](std::string_view, auto& field) {
      if (chosen-- == 0) change(field);
    });
  }

  // --- values ---
  void change(Shape& shape) {
    std::vector<int64_t> dims(shape.begin(), shape.end());
    change(dims);
    if (dims.size() <= Shape::kMaxRank) shape = Shape(dims);
  }
  void change(bool& value) { value = !value; }
  void change(float& value) {
    static constexpr float kValues[] = {0, -0.0f, 1, -1, 0.5f, 1e-40f, 3e38f, INFINITY, -INFINITY, NAN};
    value = below(2) == 0 ? kValues[below(std::size(kValues))] : -value * 2;
  }
  template <typename T>
  requires std::is_enum_v<T>
  void change(T& value) { value = static_cast<T>(below(12)); }
  template <typename T>
  requires std::is_integral_v<T>
  void change(T& value) {
    const size_t way = below(4);
    if (way == 0) value = static_cast<T>(awkward(random_));
    if (way == 1) value = static_cast<T>(below(20));
    if (way > 1) value = static_cast<T>(static_cast<uint64_t>(value) + 1 - 2 * below(2));
  }
  template <typename T>
  void change(std::optional<T>& value) {
    if (value && below(8) != 0) return change(*value);
    value = value ? std::nullopt : std::optional<T>(T{});
  }
  template <typename T>
  void change(std::vector<T>& values) {
    if (values.empty()) return values.resize(1);
    const size_t at = below(values.size()), way = below(6);
    const auto place = values.begin() + static_cast<ptrdiff_t>(at);
    if (way == 0) values.insert(place, T(values[at]));
    if (way == 1) values.erase(place);
    if (way == 2) std::swap(values[at], values[below(values.size())]);
    if (way > 2) change(values[at]);
  }
  // Changes one of the values, chosen at random.
  template <typename... T>
  void change_one(T&... values) {
    size_t chosen = below(sizeof...(values));
    ((chosen-- == 0 ? change(values) : void()), ...);
  }

  std::mt19937& random_;
};

// --- The file --------------------------------------------------------------------------------------------------------

// Applies libFuzzer's own mutations, which know the values that the code compares with. `more`: room to grow in bytes.
void mutate_bytes(Bytes& bytes, size_t more) {
  const size_t size = bytes.size();
  bytes.resize(std::max<size_t>(1, size + more));
  bytes.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(bytes.data()), size, bytes.size()));
}

void mutate_fields(Bytes& tables, Random& random) {
  auto decoded = decode_tables(tables);
  if (!decoded) return test::mutate(tables, random);
  FieldMutator mutator(random);
  for (auto changes = 1 + random() % 3; changes > 0; --changes) mutator.change(*decoded);
  tables = encode_tables(*decoded);
}

void mutate_part(Bytes& tables, Bytes& data, Random& random) {
  switch (random() % 8) {
    case 0:
      return data.empty() ? mutate_fields(tables, random) : mutate_bytes(data, 64);
    case 1: {
      const size_t size = tables.size();
      mutate_bytes(tables, 0);
      return tables.resize(size);
    }
    case 2:
    case 3:
      return mutate(std::span(tables), random);
    default:
      return mutate_fields(tables, random);
  }
}

}  // namespace

std::vector<std::byte> mutate_plan(std::span<const std::byte> file, size_t most, std::mt19937& random) {
  plan_format::Header header;
  if (file.size() < sizeof header) return {};
  std::memcpy(&header, file.data(), sizeof header);
  const size_t room = file.size() - sizeof header;
  if (header.tables_bytes == 0 || header.tables_bytes > room || header.data_offset > file.size()) return {};
  const auto begin = file.subspan(sizeof header, header.tables_bytes), area = file.subspan(header.data_offset);
  Bytes tables(begin.begin(), begin.end()), data(area.begin(), area.end());
  mutate_part(tables, data, random);
  const PlanFile mutant = PlanFile::assemble(tables, data);
  if (mutant.bytes().size() > most) return {};
  return {mutant.bytes().begin(), mutant.bytes().end()};
}

}  // namespace nestrt::test

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned int seed) {
  std::mt19937 random(seed);
  const auto mutant = nestrt::test::mutate_plan(std::as_bytes(std::span(data, size)), most, random);
  if (mutant.empty()) return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data, mutant.data(), mutant.size());
  return mutant.size();
}
