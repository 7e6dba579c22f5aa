// SPDX-License-Identifier: Apache-2.0
#include "runtime/execution/arguments.h"

#include <fmt/core.h>

#include <algorithm>

#include "runtime/platform/guard.h"

namespace nestrt {
namespace {

std::string describe(DataType type, const Shape& shape) { return fmt::format("{} {}", name(type), shape.to_string()); }

Status check_count(std::string_view side, size_t expected, size_t got) {
  if (got == expected) return {};
  return Status(Code::kInvalidArgument, fmt::format("the plan expects {} {}s, got {}", expected, side, got));
}

Status check_view(std::string_view side, size_t position, const TensorInfo& expected, const ConstTensorView& got) {
  const auto fail = [&](std::string what) {
    return Status(Code::kInvalidArgument, fmt::format("{} {} '{}': {}", side, position, expected.name, what));
  };
  if (got.type != expected.type || !(got.shape == expected.shape))
    return fail(
        fmt::format("expected {}, got {}", describe(expected.type, expected.shape), describe(got.type, got.shape)));
  const size_t bytes = expected.size_bytes();
  if (bytes == 0) return {};
  if (got.data == nullptr) return fail(fmt::format("expected {} bytes of memory, got null", bytes));
  if (got.capacity < bytes) return fail(fmt::format("expected {} bytes of memory, got {}", bytes, got.capacity));
  const auto address = reinterpret_cast<uintptr_t>(got.data);
  if (address % size_bytes(expected.type) != 0)
    return fail(fmt::format("memory must be aligned to {} bytes, the size of {}", size_bytes(expected.type),
                            name(expected.type)));
  if (address + bytes < address) return fail("memory wraps around the address space");
  return {};
}

}  // namespace

Arguments::Arguments(const Plan& plan) : plan_(plan) { ranges_.reserve(plan.inputs().size() + plan.outputs().size()); }

Status Arguments::check(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs) {
  return guarded([&] { return check_all(inputs, outputs); });  // error messages allocate
}

Status Arguments::check_all(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs) {
  NESTRT_RETURN_IF_ERROR(check_count("input", plan_.inputs().size(), inputs.size()));
  NESTRT_RETURN_IF_ERROR(check_count("output", plan_.outputs().size(), outputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i)
    NESTRT_RETURN_IF_ERROR(check_view("input", i, plan_.inputs()[i], inputs[i]));
  for (size_t i = 0; i < outputs.size(); ++i)
    NESTRT_RETURN_IF_ERROR(check_view("output", i, plan_.outputs()[i], outputs[i]));
  return check_overlap(inputs, outputs);
}

void Arguments::add_range(const ConstTensorView& view, bool is_output, size_t position) {
  const auto begin = reinterpret_cast<uintptr_t>(view.data);
  if (view.size_bytes() > 0)
    ranges_.push_back({begin, begin + view.size_bytes(), is_output, static_cast<uint32_t>(position)});
}

std::string Arguments::describe(const Range& range) const {
  const TensorInfo& info = range.is_output ? plan_.outputs()[range.position] : plan_.inputs()[range.position];
  return fmt::format("{} {} '{}'", range.is_output ? "output" : "input", range.position, info.name);
}

// Sorts the ranges by address. A range conflicts if it begins before an earlier one has ended. Inputs may overlap each
// other.
Status Arguments::check_overlap(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs) {
  ranges_.clear();
  for (size_t i = 0; i < inputs.size(); ++i) add_range(inputs[i], false, i);
  for (size_t i = 0; i < outputs.size(); ++i) add_range(outputs[i], true, i);
  std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  const Range* furthest = nullptr;         // the range that ends last so far
  const Range* furthest_output = nullptr;  // the output range that ends last so far
  for (const Range& range : ranges_) {
    const Range* const rival = range.is_output ? furthest : furthest_output;
    if (rival != nullptr && range.begin < rival->end)
      return Status(Code::kInvalidArgument, fmt::format("{} and {} share memory; give every output separate memory",
                                                        describe(*rival), describe(range)));
    if (furthest == nullptr || range.end > furthest->end) furthest = &range;
    if (range.is_output && (furthest_output == nullptr || range.end > furthest_output->end)) furthest_output = &range;
  }
  return {};
}

}  // namespace nestrt
