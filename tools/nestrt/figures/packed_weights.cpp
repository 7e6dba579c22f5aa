// SPDX-License-Identifier: Apache-2.0
#include "tools/nestrt/figures/packed_weights.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/common/packing/packing.h"
#include "nestrt/driver/plan_tables.h"
#include "runtime/plan/verify/operand_uses.h"
#include "tools/support/text/printable.h"

namespace nestrt::command {
namespace {

// One use of packed weights.
struct Use {
  uint32_t op = 0;
  uint32_t own = 0;     // tensor of the operator's input
  uint32_t packed = 0;  // tensor that the kernels read
};

class WeightsCheck {
 public:
  explicit WeightsCheck(const Plan& plan) : plan_(plan), compared_(budget_of_uses(plan.bytes().size())) {}

  Status run() {
    for (const plan::Branch& branch : plan_.tables().branches)
      for (const plan::Program& program : branch.programs)
        for (const plan::KernelSelection& selection : program.selections)
          NESTRT_RETURN_IF_ERROR(check_selection(branch, selection));
    return {};
  }

 private:
  Status check_selection(const plan::Branch& branch, const plan::KernelSelection& selection) {
    for (size_t i = 0; i < selection.weights.size(); ++i)
      NESTRT_RETURN_IF_ERROR(check_weights(branch.operators[i], selection.weights[i]));
    for (const plan::KernelAlternative& other : selection.alternatives)
      NESTRT_RETURN_IF_ERROR(check_weights(branch.operators[other.op], other.weights));
    return {};
  }

  Status check_weights(uint32_t op, int32_t weights) {
    if (weights < 0) return {};
    const int32_t own = plan_.tables().operators[op].inputs[1];
    return check({op, static_cast<uint32_t>(own), static_cast<uint32_t>(weights)});
  }

  Status check(const Use& use) {
    if (use.own == use.packed || !known_.insert({use.own, use.packed}).second) return {};
    if (!compared_.charge(2 * bytes_of(tensor(use.own)))) return fail(use, "are used by too many operators to compare");
    const bool is_f32 = tensor(use.own).type == DataType::kF32;
    return (is_f32 ? is_equal<float>(use) : is_equal<int8_t>(use)) ? Status() : fail(use, "have different values");
  }

  Status fail(const Use& use, std::string_view what) const {
    return Status(Code::kInvalidPlan,
                  fmt::format("operator {} '{}': weights '{}', which kernels read instead of '{}', {}", use.op,
                              tools::printable(plan_.tables().operators[use.op].name),
                              tools::printable(tensor(use.packed).name), tools::printable(tensor(use.own).name), what));
  }

  const plan::Tensor& tensor(uint32_t index) const { return plan_.tables().tensors[index]; }

  static uint64_t bytes_of(const plan::Tensor& tensor) {
    return static_cast<uint64_t>(storage_bytes(tensor.type, tensor.shape, tensor.layout));
  }

  // Returns the weights in the model's order, as elements of T. The loaded plan guarantees that types and shapes match
  // their packings.
  template <typename T>
  std::vector<T> numbers(const plan::Tensor& weights) const {
    const auto* elements = reinterpret_cast<const T*>(plan_.constant(weights.buffer).data() + weights.offset);
    if (weights.packing == Packing::kNone) return {elements, elements + bytes_of(weights) / sizeof(T)};
    std::vector<T> plain(static_cast<size_t>(weights.shape.num_elements()));
    kernels::unpack_weights(weights.packing, weights.shape, elements, plain.data());
    return plain;
  }

  template <typename T>
  bool is_equal(const Use& use) const {
    const std::vector<T> own = numbers<T>(tensor(use.own)), packed = numbers<T>(tensor(use.packed));
    return std::ranges::equal(std::as_bytes(std::span(own)), std::as_bytes(std::span(packed)));
  }

  const Plan& plan_;
  Budget compared_;
  std::set<std::pair<uint32_t, uint32_t>> known_;
};

}  // namespace

Status check_packed_weights(const Plan& plan) { return WeightsCheck(plan).run(); }

}  // namespace nestrt::command
