// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/graph/same_graph.h"

#include <fmt/core.h>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace nestrt::compiler {
namespace {

// Pairs the values of two graphs, starting at the outputs.
class Comparison {
 public:
  Comparison(const Graph& actual, const Graph& expected) : actual_(actual), expected_(expected) {}

  Status run() {
    NESTRT_RETURN_IF_ERROR(pair_inputs());
    NESTRT_RETURN_IF_ERROR(pair_outputs());
    while (!waiting_.empty()) {
      const auto [mine, theirs] = waiting_.back();
      waiting_.pop_back();
      NESTRT_RETURN_IF_ERROR(compare_producers(mine, theirs));
    }
    if (nodes_ == actual_.nodes().size() && nodes_ == expected_.nodes().size()) return {};
    return differs(fmt::format("{} operators instead of {}", actual_.nodes().size(), expected_.nodes().size()));
  }

 private:
  static Status differs(const std::string& what) {
    return Status(Code::kInvalidArgument, "the graphs differ: " + what);
  }

  Status differ_at(ValueId theirs, const std::string& what) const {
    return differs(fmt::format("value '{}': {}", expected_.value(theirs).name, what));
  }

  Status pair_inputs() {
    if (actual_.inputs.size() != expected_.inputs.size())
      return differs(fmt::format("{} inputs instead of {}", actual_.inputs.size(), expected_.inputs.size()));
    for (size_t i = 0; i < actual_.inputs.size(); ++i)
      NESTRT_RETURN_IF_ERROR(pair_named(actual_.inputs[i].value, expected_.inputs[i].value));
    return {};
  }

  Status pair_outputs() {
    if (actual_.outputs.size() != expected_.outputs.size())
      return differs(fmt::format("{} outputs instead of {}", actual_.outputs.size(), expected_.outputs.size()));
    for (size_t i = 0; i < actual_.outputs.size(); ++i)
      NESTRT_RETURN_IF_ERROR(pair_named(actual_.outputs[i], expected_.outputs[i]));
    return {};
  }

  Status pair_named(ValueId mine, ValueId theirs) {
    const std::string& name = actual_.value(mine).name;
    if (name != expected_.value(theirs).name) return differ_at(theirs, fmt::format("is called '{}'", name));
    return pair(mine, theirs);
  }

  Status pair(ValueId mine, ValueId theirs) {
    if (mine == kNoValue || theirs == kNoValue)
      return mine == theirs ? Status() : differs("an operand is absent in one of the graphs");
    const Value &a = actual_.value(mine), &b = expected_.value(theirs);
    if (a.type != b.type || a.shape != b.shape)
      return differ_at(theirs, fmt::format("{} {} instead of {} {}", name(a.type), a.shape.to_string(), name(b.type),
                                           b.shape.to_string()));
    if (a.quantization != b.quantization || a.source_quantization != b.source_quantization)
      return differ_at(theirs, "the quantization differs");
    if (a.is_constant() != b.is_constant()) return differ_at(theirs, "is a constant in only one graph");
    if (a.is_constant()) return *a.constant == *b.constant ? Status() : differ_at(theirs, "other elements");
    const auto [entry, is_new] = expected_of_.try_emplace(mine, theirs);
    const bool is_new_there = actual_of_.try_emplace(theirs, mine).second;
    if (entry->second != theirs || is_new != is_new_there)
      return differ_at(theirs, "is used where the other graph uses another value");
    if (is_new) waiting_.emplace_back(mine, theirs);
    return {};
  }

  Status compare_producers(ValueId mine, ValueId theirs) {
    const Node *a = actual_.producer(mine), *b = expected_.producer(theirs);
    if (a == nullptr && b == nullptr) return {};
    if (a == nullptr || b == nullptr) return differ_at(theirs, "is an input of only one graph");
    if (!(a->attributes == b->attributes) || a->inputs.size() != b->inputs.size() ||
        a->outputs.size() != b->outputs.size())
      return differ_at(theirs, fmt::format("computed by {} '{}' instead of {} '{}', or with other attributes",
                                           ops::name(a->kind()), a->name, ops::name(b->kind()), b->name));
    if (mine == a->outputs[0]) ++nodes_;
    for (size_t i = 0; i < a->outputs.size(); ++i) NESTRT_RETURN_IF_ERROR(pair(a->outputs[i], b->outputs[i]));
    for (size_t i = 0; i < a->inputs.size(); ++i) NESTRT_RETURN_IF_ERROR(pair(a->inputs[i], b->inputs[i]));
    return {};
  }

  const Graph& actual_;
  const Graph& expected_;
  std::unordered_map<ValueId, ValueId> expected_of_, actual_of_;
  std::vector<std::pair<ValueId, ValueId>> waiting_;  // pairs whose producers have not been compared
  size_t nodes_ = 0;                                  // number of compared nodes
};

}  // namespace

Status same_graph(const Graph& actual, const Graph& expected) { return Comparison(actual, expected).run(); }

}  // namespace nestrt::compiler
