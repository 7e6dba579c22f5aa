// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/verify/operand_uses.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "runtime/kernel/packing.h"
#include "runtime/plan/format/format.h"
#include "runtime/plan/queries/operator_key.h"
#include "runtime/plan/verify/verify_parts.h"

namespace nestrt {
namespace {

constexpr uint64_t kFreeUses = uint64_t{192} << 20;
constexpr uint64_t kUsesOfByte = 16;
constexpr uint64_t kBytesOfNumber = 8;  // charge per number, because an exponent or a scale is read more than once
constexpr size_t kWeights = 1;          // operand index
constexpr std::string_view kConstantUses = "constants and quantization";
// Limits for instruction streams. Checking a byte takes about 100 times as long as checking a byte of data, and five
// times the memory.
constexpr uint64_t kFreeStreamBytes = uint64_t{2} << 20;
constexpr uint64_t kMinStreamBytes = 4096;  // minimum charge
constexpr uint64_t kUsesOfStreamByte = 1;
constexpr uint64_t kMinRangeBytes = 4096;  // minimum charge: the unit allocates a page per range

// Returns the size of the largest packed form of the weights. Some kernels pack unpacked weights and pad them.
uint64_t most_packed_bytes(const plan::Tensor& weights) {
  int64_t most = storage_bytes(weights.type, weights.shape, weights.layout);
  for (const PackingRow& row : kPackings)
    if (weights.packing == Packing::kNone && row.form != PackedForm::kAny && row.type == weights.type)
      most = std::max(most, packed_size_bytes(row.packing, weights.shape).value_or(0));
  return static_cast<uint64_t>(most);
}

uint64_t bytes_of_constant(const plan::Tables& plan, int32_t operand, bool is_weights) {
  if (operand < 0) return 0;
  const plan::Tensor& tensor = plan.tensors[static_cast<uint32_t>(operand)];
  if (plan.buffers[tensor.buffer].kind != plan::BufferKind::kConstant) return 0;
  if (is_weights) return most_packed_bytes(tensor);
  return static_cast<uint64_t>(storage_bytes(tensor.type, tensor.shape, tensor.layout));
}

// Charges the constants of operators and of the kernels selected for them. Operators with equal keys share a prepared
// kernel, so only the first of them is charged.
class ConstantUses {
 public:
  ConstantUses(const plan::Tables& plan, uint64_t data_bytes) : plan_(plan), uses_(budget_of_uses(data_bytes)) {}

  const Budget& budget() const { return uses_; }

  // Returns false if the operator exceeds the budget. Call it for all operators in order.
  bool charge_operator(const plan::Operator& op) {
    if (!charge_quantization(op)) return false;
    uint32_t& kernel = kernels_.emplace_back(0);
    if (!reads_constants(plan_, op)) return true;
    const auto [entry, is_new] = known_.try_emplace(operator_key(plan_, op), static_cast<uint32_t>(known_.size()));
    kernel = entry->second;
    return !is_new || charge_constants(op);
  }

  // Charges the packed weights that a program selects for an operator. Requires: they are the operator's weights.
  bool charge_weights(uint32_t op, int32_t weights) {
    if (weights < 0) return true;
    const plan::Tensor& tensor = plan_.tensors[static_cast<size_t>(weights)];
    const auto key = std::tuple(kernels_[op], tensor.buffer, tensor.offset, tensor.packing);
    return !selected_.insert(key).second || uses_.charge(most_packed_bytes(tensor));
  }

 private:
  bool charge_quantization(const plan::Operator& op) {
    const auto fits = [&](int32_t operand) {
      return operand < 0 || uses_.charge(bytes_of_quantization(plan_.tensors[static_cast<size_t>(operand)]));
    };
    return std::ranges::all_of(op.inputs, fits) && std::ranges::all_of(op.outputs, fits);
  }

  bool charge_constants(const plan::Operator& op) {
    for (size_t i = 0; i < op.inputs.size(); ++i)
      if (!uses_.charge(bytes_of_constant(plan_, op.inputs[i], i == kWeights))) return false;
    return true;
  }

  const plan::Tables& plan_;
  Budget uses_;
  std::vector<uint32_t> kernels_;  // by operator
  std::unordered_map<std::string, uint32_t> known_;
  std::set<std::tuple<uint32_t, uint32_t, uint64_t, Packing>> selected_;
};

Status refuse(std::string_view what, std::string_view shared, const Budget& uses, uint64_t data_bytes) {
  return Status(
      Code::kInvalidPlan,
      fmt::format("{}: the plan up to this entry uses more than {} bytes of {}, the limit for a data area of {} "
                  "bytes; data that is used in different ways counts once for each; split the model",
                  what, uses.limit(), shared, data_bytes));
}

// Returns false if the kernels selected for a branch exceed the budget.
bool charge_selections(const plan::Branch& branch, ConstantUses& uses) {
  for (const plan::Program& program : branch.programs) {
    for (const plan::KernelSelection& selection : program.selections) {
      for (size_t i = 0; i < selection.weights.size(); ++i)
        if (!uses.charge_weights(branch.operators[i], selection.weights[i])) return false;
      for (const plan::KernelAlternative& other : selection.alternatives)
        if (!uses.charge_weights(branch.operators[other.op], other.weights)) return false;
    }
  }
  return true;
}

// Requires: check_operand_uses() accepts the plan, and verified programs.
Status check_selected_weights(const plan::Tables& plan, uint64_t data_bytes) {
  ConstantUses uses(plan, data_bytes);
  for (const plan::Operator& op : plan.operators) static_cast<void>(uses.charge_operator(op));
  for (uint32_t branch = 0; branch < plan.branches.size(); ++branch)
    if (!charge_selections(plan.branches[branch], uses))
      return refuse(fmt::format("branch {}", branch), kConstantUses, uses.budget(), data_bytes);
  return {};
}

// Counts the bytes that units copy for programs, and the instruction streams that they check.
class ProgramUses {
 public:
  ProgramUses(const plan::Tables& plan, uint64_t data_bytes)
      : plan_(plan), data_bytes_(data_bytes), named_(plan.buffers.size()) {}

  Status add(uint32_t branch, const plan::Program& program) {
    ++programs_;
    const auto name = [&] { return fmt::format("branch {}", branch); };
    if (!charge_stream(program)) return refuse(name(), "streams of instructions", streams_, data_bytes_);
    if (!charge_bytes(program)) return refuse(name(), "segments of programs and their ranges", bytes_, data_bytes_);
    return {};
  }

 private:
  // The last program that uses a buffer, and the number of bytes that it uses.
  struct Named {
    uint64_t program = 0;  // starting at 1
    uint64_t bytes = 0;
  };

  static bool has_stream(const plan::Program& program) {
    return program.kind == plan::ProgramKind::kInstructions && !program.segments.empty();
  }

  bool charge_stream(const plan::Program& program) {
    return !has_stream(program) || streams_.charge(std::max(plan_.buffers[program.segments[0]].size, kMinStreamBytes));
  }

  // Charges the bytes that a program uses. For segments other than the stream, a program of instructions uses at most
  // the bytes that its ranges cover.
  bool charge_bytes(const plan::Program& program) {
    const auto fits_segment = [&](uint32_t segment) { return bytes_.charge(plan_.buffers[segment].size); };
    const auto fits_range = [&](const plan::ProgramRange& range) { return bytes_.charge(copied_bytes(range)); };
    return (has_stream(program) || std::ranges::all_of(program.segments, fits_segment)) &&
           std::ranges::all_of(program.ranges, fits_range);
  }

  // Activations are part of the arena, except the bytes of a program's ranges beyond the size of the buffer: several
  // views of the same bytes, or wider blocks.
  uint64_t copied_bytes(const plan::ProgramRange& range) {
    const uint64_t least = std::max(range.size, kMinRangeBytes);
    if (range.tensor < 0) return least;
    const uint32_t index = plan_.tensors[static_cast<uint32_t>(range.tensor)].buffer;
    const plan::Buffer& buffer = plan_.buffers[index];
    if (buffer.kind == plan::BufferKind::kConstant) return least;
    Named& named = named_[index];
    if (named.program != programs_) named = {programs_, 0};
    const uint64_t left = buffer.size - std::min(buffer.size, named.bytes);
    named.bytes += range.size;
    return range.size - std::min(range.size, left);
  }

  const plan::Tables& plan_;
  const uint64_t data_bytes_;
  Budget bytes_ = budget_of_uses(data_bytes_);
  Budget streams_ = Budget::of_file(kFreeStreamBytes, kUsesOfStreamByte, data_bytes_);
  uint64_t programs_ = 0;
  std::vector<Named> named_;  // per buffer
};

}  // namespace

Budget budget_of_uses(uint64_t data_bytes) { return Budget::of_file(kFreeUses, kUsesOfByte, data_bytes); }

uint64_t bytes_of_quantization(const plan::Tensor& tensor) {
  if (!tensor.quantization) return 0;
  const plan::Quantization& numbers = *tensor.quantization;
  return kBytesOfNumber * (numbers.exponents.size() + numbers.scales.size() + numbers.zero_points.size());
}

Status check_operand_uses(const plan::Tables& plan, uint64_t data_bytes) {
  ConstantUses uses(plan, data_bytes);
  Budget operands(plan_format::kMaxOperands);
  for (uint32_t index = 0; index < plan.operators.size(); ++index) {
    const plan::Operator& op = plan.operators[index];
    if (!operands.charge(op.inputs.size() + op.outputs.size()))
      return Status(Code::kInvalidPlan, fmt::format("{}: the operators up to this one have more than {} operands",
                                                    plan_verify::operator_name(plan, index), operands.limit()));
    if (!uses.charge_operator(op))
      return refuse(plan_verify::operator_name(plan, index), kConstantUses, uses.budget(), data_bytes);
  }
  return {};
}

Status check_program_uses(const plan::Tables& plan, uint64_t data_bytes) {
  NESTRT_RETURN_IF_ERROR(check_selected_weights(plan, data_bytes));
  ProgramUses uses(plan, data_bytes);
  for (uint32_t branch = 0; branch < plan.branches.size(); ++branch)
    for (const plan::Program& program : plan.branches[branch].programs)
      NESTRT_RETURN_IF_ERROR(uses.add(branch, program));
  return {};
}

}  // namespace nestrt
