// SPDX-License-Identifier: Apache-2.0
// If, Loop and Scan. Each execution of the subgraph is imported separately (unrolled), so loop lengths must be
// constants. If the condition of an If is computed at run time, both branches run and a Select picks the results.
#include <fmt/core.h>

#include <algorithm>

#include "compiler-lite/import/node_context.h"
#include "compiler-lite/import/ops/families.h"

namespace nestrt::compiler {
namespace {

Result<bool> known_condition(const NodeContext& node, ValueId id) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> elements, node.ints_of(id, "the condition"));
  if (elements.size() == 1) return elements.front() != 0;
  return node.invalid("the condition must be one boolean");
}

Result<std::vector<ValueId>> branch_outputs(NodeContext& node, const char* branch) {
  NESTRT_ASSIGN_OR_RETURN(std::vector<ValueId> outputs, node.subgraph(branch, {}, branch));
  if (outputs.size() == node.num_outputs()) return outputs;
  return node.invalid(
      fmt::format("{} has {} outputs, but the node has {}", branch, outputs.size(), node.num_outputs()));
}

std::string describe(const NodeContext& node, ValueId id) {
  return fmt::format("{} {}", name(node.type(id)), node.shape(id).to_string());
}

constexpr const char* kBindCondition =
    "if an input of the model determines the condition, bind the input (--bind NAME=FILE.npy) and compile one plan per "
    "case";

// Returns the outputs of a branch that may not run. The branch's operators must be valid for the actual input shapes
// even if it does not run.
Result<std::vector<ValueId>> possible_outputs(NodeContext& node, const char* branch) {
  auto outputs = branch_outputs(node, branch);
  if (outputs) return outputs;
  return node.unsupported(
      fmt::format("the condition is computed at run time, so both branches are compiled, but {} cannot be: {}; {}",
                  branch, outputs.error().message(), kBindCondition));
}

// Requires: a boolean scalar as condition.
Result<ValueId> selected(NodeContext& node, ValueId condition, ValueId a, ValueId b) {
  if (a == b) return a;
  if (node.type(a) == node.type(b) && node.shape(a) == node.shape(b)) return node.add(ops::Select(), {condition, a, b});
  return node.unsupported(
      fmt::format("the condition is computed at run time, and the branches return {} and {}, but shapes in a plan are "
                  "static; {}, or make both branches return the same shape",
                  describe(node, a), describe(node, b), kBindCondition));
}

// Computes both branches, which have no side effects.
Status select_branch(NodeContext& node, ValueId condition) {
  if (node.shape(condition).num_elements() != 1 || node.type(condition) != DataType::kBool)
    return node.invalid("the condition must be one boolean");
  NESTRT_ASSIGN_OR_RETURN(condition, node.reshape(condition, Shape()));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<ValueId> taken, possible_outputs(node, "then_branch"));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<ValueId> other, possible_outputs(node, "else_branch"));
  for (size_t i = 0; i < taken.size(); ++i) {
    NESTRT_ASSIGN_OR_RETURN(const ValueId output, selected(node, condition, taken[i], other[i]));
    NESTRT_RETURN_IF_ERROR(node.set_output(i, output));
  }
  return ok_status();
}

Status import_if(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId condition, node.input(0));
  if (!node.value(condition).is_constant()) return select_branch(node, condition);
  NESTRT_ASSIGN_OR_RETURN(const bool taken, known_condition(node, condition));
  node.ignore("then_branch");
  node.ignore("else_branch");
  NESTRT_ASSIGN_OR_RETURN(const std::vector<ValueId> outputs,
                          branch_outputs(node, taken ? "then_branch" : "else_branch"));
  for (size_t i = 0; i < outputs.size(); ++i) NESTRT_RETURN_IF_ERROR(node.set_output(i, outputs[i]));
  return ok_status();
}

// Concatenates `parts` along a new axis.
Result<ValueId> stacked(NodeContext& node, const std::vector<ValueId>& parts, int64_t stated_axis) {
  std::vector<ValueId> rows;
  int axis = 0;
  for (const ValueId part : parts) {
    const Shape shape = node.shape(part);
    if (shape.rank() >= Shape::kMaxRank) return node.unsupported("too many dimensions");
    NESTRT_ASSIGN_OR_RETURN(axis, node.axis(stated_axis, shape.rank() + 1));
    Shape row;
    for (int i = 0; i <= shape.rank(); ++i) row.push_back(i == axis ? 1 : shape[i < axis ? i : i - 1]);
    NESTRT_ASSIGN_OR_RETURN(const ValueId reshaped, node.reshape(part, row));
    rows.push_back(reshaped);
  }
  if (rows.size() == 1) return rows.front();
  return node.add(ops::Concat{.axis = axis}, std::move(rows));
}

// Outputs of all iterations of a subgraph, by output.
using Collected = std::vector<std::vector<ValueId>>;

Status collect(const std::vector<ValueId>& outputs, size_t first, Collected& collected) {
  collected.resize(outputs.size() - first);
  for (size_t i = first; i < outputs.size(); ++i) collected[i - first].push_back(outputs[i]);
  return ok_status();
}

struct LoopState {
  int64_t count = INT64_MAX;
  ValueId condition = kNoValue;
  std::vector<ValueId> carried;
  Collected collected;
};

Result<LoopState> first_state(NodeContext& node) {
  LoopState state;
  if (node.has_input(0)) {
    NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> count, node.constant_ints(0, "the number of iterations"));
    if (count.size() != 1) return node.invalid("the number of iterations must be one number");
    state.count = count.front();
  }
  state.condition = node.optional_input(1);
  for (size_t i = 2; i < node.num_inputs(); ++i) {
    NESTRT_ASSIGN_OR_RETURN(const ValueId carried, node.input(i));
    state.carried.push_back(carried);
  }
  return state;
}

Status iterate(NodeContext& node, int64_t iteration, LoopState& state) {
  std::vector<ValueId> inputs = state.carried;
  NESTRT_ASSIGN_OR_RETURN(const ValueId number, node.scalar_of(DataType::kS64, static_cast<double>(iteration)));
  if (state.condition == kNoValue) {
    NESTRT_ASSIGN_OR_RETURN(state.condition, node.scalar_of(DataType::kBool, 1));
  }
  inputs.insert(inputs.begin(), {number, state.condition});
  NESTRT_ASSIGN_OR_RETURN(const std::vector<ValueId> outputs,
                          node.subgraph("body", inputs, fmt::format("{}", iteration)));
  if (outputs.size() < state.carried.size() + 1) return node.invalid("the body has too few outputs");
  state.condition = outputs.front();
  const auto end = outputs.begin() + 1 + static_cast<std::ptrdiff_t>(state.carried.size());
  state.carried.assign(outputs.begin() + 1, end);
  return collect(outputs, state.carried.size() + 1, state.collected);
}

Status set_collected(NodeContext& node, size_t first, const Collected& collected) {
  for (size_t i = 0; i < collected.size(); ++i) {
    NESTRT_ASSIGN_OR_RETURN(const ValueId all, stacked(node, collected[i], 0));
    NESTRT_RETURN_IF_ERROR(node.set_output(first + i, all));
  }
  return ok_status();
}

Status import_loop(NodeContext& node) {
  node.ignore("body");
  NESTRT_ASSIGN_OR_RETURN(LoopState state, first_state(node));
  if (!node.has_input(0) && state.condition == kNoValue)
    return node.invalid("the loop has neither a trip count nor a condition");
  for (int64_t i = 0; i < state.count; ++i) {
    if (state.condition != kNoValue) {
      NESTRT_ASSIGN_OR_RETURN(const bool goes_on, known_condition(node, state.condition));
      if (!goes_on) break;
    }
    NESTRT_RETURN_IF_ERROR(iterate(node, i, state));
  }
  if (state.carried.size() + state.collected.size() != node.num_outputs())
    return state.collected.empty() ? node.unsupported("a loop that runs zero times must not have scan outputs")
                                   : node.invalid("the body and the node have different numbers of outputs");
  for (size_t i = 0; i < state.carried.size(); ++i) NESTRT_RETURN_IF_ERROR(node.set_output(i, state.carried[i]));
  return set_collected(node, state.carried.size(), state.collected);
}

// --- Scan -----------------------------------------------------------------------------------------------------------

// Returns a list of `count` entries, all 0 if the attribute is missing.
Result<std::vector<int64_t>> list_of(NodeContext& node, std::string_view name, size_t count) {
  std::vector<int64_t> list = node.attribute(name, std::vector<int64_t>());
  if (list.empty()) list.assign(count, 0);
  if (list.size() == count) return list;
  return node.invalid(fmt::format("{} must have {} entries", name, count));
}

// Returns element `index` along an axis and removes the axis.
Result<ValueId> element_at(NodeContext& node, ValueId x, int axis, int64_t index) {
  const Shape shape = node.shape(x);
  std::vector<int64_t> start(static_cast<size_t>(shape.rank()), 0);
  const std::vector<int64_t> step(start.size(), 1);
  start[static_cast<size_t>(axis)] = index;
  Shape row = shape, element;
  row[axis] = 1;
  for (int i = 0; i < shape.rank(); ++i)
    if (i != axis) element.push_back(shape[i]);
  NESTRT_ASSIGN_OR_RETURN(const ValueId slice, node.slice(x, start, step, row));
  return node.reshape(slice, element);
}

struct ScanInputs {
  std::vector<ValueId> values;
  std::vector<int> axes;
  std::vector<int64_t> reversed;
  int64_t length = 0;
};

Result<ScanInputs> scan_inputs(NodeContext& node, const std::vector<ValueId>& values) {
  ScanInputs inputs{values, {}, {}, 0};
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> axes, list_of(node, "scan_input_axes", values.size()));
  NESTRT_ASSIGN_OR_RETURN(inputs.reversed, list_of(node, "scan_input_directions", values.size()));
  for (size_t i = 0; i < values.size(); ++i) {
    const Shape shape = node.shape(values[i]);
    NESTRT_ASSIGN_OR_RETURN(const int axis, node.axis(axes[i], shape.rank()));
    if (i > 0 && shape[axis] != inputs.length) return node.invalid("the scanned inputs differ in length");
    inputs.length = shape[axis];
    inputs.axes.push_back(axis);
  }
  return inputs;
}

Result<std::vector<ValueId>> step_inputs(NodeContext& node, const ScanInputs& scanned, int64_t step,
                                         std::vector<ValueId> inputs) {
  for (size_t i = 0; i < scanned.values.size(); ++i) {
    const int64_t at = scanned.reversed[i] != 0 ? scanned.length - 1 - step : step;
    NESTRT_ASSIGN_OR_RETURN(const ValueId element, element_at(node, scanned.values[i], scanned.axes[i], at));
    inputs.push_back(element);
  }
  return inputs;
}

Status set_scanned(NodeContext& node, size_t first, Collected& collected) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> axes, list_of(node, "scan_output_axes", collected.size()));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> reversed,
                          list_of(node, "scan_output_directions", collected.size()));
  for (size_t i = 0; i < collected.size(); ++i) {
    if (reversed[i] != 0) std::reverse(collected[i].begin(), collected[i].end());
    NESTRT_ASSIGN_OR_RETURN(const ValueId all, stacked(node, collected[i], axes[i]));
    NESTRT_RETURN_IF_ERROR(node.set_output(first + i, all));
  }
  return ok_status();
}

Status import_scan(NodeContext& node) {
  node.ignore("body");
  NESTRT_ASSIGN_OR_RETURN(const int64_t num_scanned, node.required_int("num_scan_inputs"));
  NESTRT_ASSIGN_OR_RETURN(std::vector<ValueId> state, node.all_inputs());
  if (num_scanned < 1 || num_scanned > static_cast<int64_t>(state.size()))
    return node.invalid(fmt::format("num_scan_inputs is {}, but the node has {} inputs", num_scanned, state.size()));
  const size_t num_states = state.size() - static_cast<size_t>(num_scanned);
  const auto first_scanned = state.begin() + static_cast<std::ptrdiff_t>(num_states);
  NESTRT_ASSIGN_OR_RETURN(const ScanInputs scanned, scan_inputs(node, {first_scanned, state.end()}));
  if (scanned.length == 0) return node.unsupported("the scanned axis is empty");
  state.resize(num_states);
  Collected collected;
  for (int64_t step = 0; step < scanned.length; ++step) {
    NESTRT_ASSIGN_OR_RETURN(const std::vector<ValueId> inputs, step_inputs(node, scanned, step, state));
    NESTRT_ASSIGN_OR_RETURN(const std::vector<ValueId> outputs, node.subgraph("body", inputs, fmt::format("{}", step)));
    if (outputs.size() < num_states || outputs.size() != node.num_outputs())
      return node.invalid("the body and the node have different numbers of outputs");
    state.assign(outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(num_states));
    NESTRT_RETURN_IF_ERROR(collect(outputs, num_states, collected));
  }
  for (size_t i = 0; i < num_states; ++i) NESTRT_RETURN_IF_ERROR(node.set_output(i, state[i]));
  return set_scanned(node, num_states, collected);
}

constexpr ImportRule kControlRules[] = {
    {"If", import_if},
    {"Loop", import_loop},
    {"Scan", import_scan, 9},
};

}  // namespace

std::span<const ImportRule> control_rules() { return kControlRules; }

}  // namespace nestrt::compiler
