// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/quantize/assignment.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "compiler-lite/passes/product.h"
#include "compiler-lite/passes/rewrite.h"
#include "kernels/common/quantization/s8_operands.h"

namespace nestrt::compiler {
namespace {

namespace s8 = kernels::s8;

using Exponents = std::unordered_map<std::string_view, int>;

// Returns exponents by value name.
Exponents exponents_of(const QuantizationProfile& profile, Scales scales) {
  Exponents result;
  int smallest = s8::kMaxExponent;
  for (const ValueProfile& value : profile.values)
    if (value.exponent) result.emplace(value.name, *value.exponent), smallest = std::min(smallest, *value.exponent);
  if (scales == Scales::kSingle)
    for (auto& [name, exponent] : result) exponent = smallest;
  return result;
}

// Returns true for a product with an s8 form, regardless of its activation.
bool is_quantizable_product(const Graph& graph, const Node& node) {
  if (!is_product(node)) return false;
  const Value& input = graph.value(node.inputs[0]);
  return input.type == DataType::kF32 && !input.is_constant() && has_constant_operands(graph, node);
}

bool is_add(const Node& node) {
  const auto* binary = node.as<ops::Binary>();
  return binary != nullptr && binary->kind == ops::BinaryKind::kAdd && s8::has_bounds(binary->activation.kind);
}

// Returns true for operators whose output has the exponent of their inputs.
bool keeps_exponent(const Node& node) {
  if (const auto* pool = node.as<ops::Pool>()) return pool->kind == ops::PoolKind::kMax || is_s8_average(*pool);
  if (const auto* unary = node.as<ops::Unary>())
    return unary->kind == ops::UnaryKind::kRelu || unary->kind == ops::UnaryKind::kClip;
  return node.as<ops::Concat>() != nullptr || node.as<ops::Reshape>() != nullptr ||
         node.as<ops::Transpose>() != nullptr;
}

// Disjoint sets of values that must share one exponent.
class Groups {
 public:
  explicit Groups(size_t values) : parent_(values) {
    for (size_t i = 0; i < values; ++i) parent_[i] = static_cast<ValueId>(i);
  }
  ValueId root(ValueId id) {
    while (parent(id) != id) id = parent(id) = parent(parent(id));
    return id;
  }
  void join(ValueId a, ValueId b) { parent(root(a)) = root(b); }

 private:
  ValueId& parent(ValueId id) { return parent_[static_cast<size_t>(id)]; }

  std::vector<ValueId> parent_;
};

class Assigner {
 public:
  Assigner(const Graph& graph, const QuantizationProfile& profile, const QuantizeOptions& options)
      : graph_(graph), profile_(profile), known_(exponents_of(profile, options.scales)), options_(options) {}

  // Starts with every node that has an s8 form and removes nodes that do not fit until all remaining nodes fit.
  Assignment run() {
    do {
      result_ = {};
      choose_nodes();
      drop_useless();
      choose_wide();
      choose_exponents();
    } while (!all_fit());
    report_kept();
    return std::move(result_);
  }

 private:
  bool chosen(const Node* node) const { return node != nullptr && result_.nodes.count(node) != 0; }
  // Returns true if a node computes the value directly in s8, without a Quantize.
  bool is_s8(ValueId id) const {
    const Node* node = graph_.producer(id);
    return chosen(node) && s8::has_bounds(product_activation(*node).kind);
  }

  void choose_nodes() {
    for (const auto& node : graph_.nodes()) {
      if (unfit_.count(node.get()) != 0 || options_.keep_f32.count(node->name) != 0) continue;
      const bool takes_s8 = (is_add(*node) || (keeps_exponent(*node) && !loses_resolution(*node))) &&
                            std::all_of(node->inputs.begin(), node->inputs.end(),
                                        [&](ValueId id) { return id != kNoValue && is_s8(id); });
      if (takes_s8 || is_quantizable_product(graph_, *node)) result_.nodes.insert(node.get());
    }
  }

  // Returns true for averages that are much smaller than their inputs. With the input's exponent they would use few
  // levels.
  bool loses_resolution(const Node& node) const {
    const auto* pool = node.as<ops::Pool>();
    if (pool == nullptr || pool->kind != ops::PoolKind::kAverage) return false;
    const std::optional<int> input = profiled(node.inputs[0]), output = profiled(node.outputs[0]);
    return input && output && *output > *input;
  }

  bool feeds_s8(const Node& node) const {
    const std::vector<Node*>& users = graph_.users(node.outputs[0]);
    return std::any_of(users.begin(), users.end(), [&](const Node* user) { return chosen(user); });
  }

  // Drops nodes that only move elements for f32 readers; they are faster in f32.
  void drop_useless() {
    for (auto node = graph_.nodes().rbegin(); node != graph_.nodes().rend(); ++node)
      if (chosen(node->get()) && keeps_exponent(**node) && !feeds_s8(**node)) result_.nodes.erase(node->get());
  }

  void choose_wide() {
    for (const Node* node : result_.nodes)
      if (is_quantizable_product(graph_, *node) &&
          (!s8::has_bounds(product_activation(*node).kind) || !feeds_s8(*node)))
        result_.wide.insert(node);
  }

  // Looks up the profiled exponent by the model's name for the value's elements, then by the current name, which
  // applies if the profile was created after passes had moved the value.
  std::optional<int> profiled(ValueId id) const {
    const Value& value = graph_.value(id);
    for (const std::string* name : {&original_name(value), &value.name})
      if (const auto known = known_.find(*name); known != known_.end()) return known->second;
    return std::nullopt;
  }

  void merge(ValueId id, Groups& groups) {
    const std::optional<int> known = profiled(id);
    if (!known) return;
    const auto [entry, is_new] = group_exponents_.try_emplace(groups.root(id), *known);
    if (!is_new) entry->second = std::min(entry->second, *known);
  }

  // Chooses the exponent of each group: the smallest exponent, that is, the widest range, of its members.
  void choose_exponents() {
    Groups groups(graph_.num_values());
    group_exponents_.clear();
    for (const Node* node : result_.nodes)
      if (keeps_exponent(*node))
        for (ValueId id : node->inputs) groups.join(id, node->outputs[0]);
    std::vector<ValueId> values;
    for (const auto& node : graph_.nodes()) {
      if (!chosen(node.get())) continue;
      values.push_back(node->inputs[0]);
      if (result_.wide.count(node.get()) == 0) values.push_back(node->outputs[0]);
    }
    for (ValueId id : values) merge(id, groups);
    lower_sums(groups);
    for (ValueId id : values)
      if (const auto known = group_exponents_.find(groups.root(id)); known != group_exponents_.end())
        result_.exponents[id] = std::clamp(known->second, -s8::kMaxExponent, s8::kMaxExponent);
  }

  // Limits the exponent of a sum to the larger exponent of its operands. Terminates because exponents only decrease.
  void lower_sums(Groups& groups) {
    const auto find = [&](ValueId id) { return group_exponents_.find(groups.root(id)); };
    for (bool changed = true; changed;) {
      changed = false;
      for (const Node* node : result_.nodes) {
        if (!is_add(*node)) continue;
        const auto a = find(node->inputs[0]), b = find(node->inputs[1]), sum = find(node->outputs[0]);
        if (a == group_exponents_.end() || b == group_exponents_.end() || sum == group_exponents_.end()) continue;
        const int limit = std::max(a->second, b->second);
        if (sum->second <= limit) continue;
        sum->second = limit;
        changed = true;
      }
    }
  }

  std::optional<int> exponent(ValueId id) const {
    const auto known = result_.exponents.find(id);
    return known == result_.exponents.end() ? std::nullopt : std::optional(known->second);
  }

  // Returns why the node cannot be s8; empty if it can.
  std::string misfit(const Node& node) {
    const bool wide = result_.wide.count(&node) != 0;
    for (ValueId id : is_quantizable_product(graph_, node) ? std::vector{node.inputs[0]} : node.inputs)
      if (!exponent(id)) return missing(id);
    const std::optional<int> output = wide ? std::nullopt : exponent(node.outputs[0]);
    if (!wide && !output) return missing(node.outputs[0]);
    if (is_add(node)) {
      const auto shifts = s8::add_shifts(*exponent(node.inputs[0]), *exponent(node.inputs[1]), *output);
      return shifts.valid() ? "" : "the scales of its operands are too far apart";
    }
    if (!is_quantizable_product(graph_, node)) return "";
    auto product = quantize_product(graph_, node, {*exponent(node.inputs[0]), output}, weight_options(node));
    if (!product) return "its accumulators could exceed 32 bits, or its weights need exponents outside their range";
    result_.products.emplace(&node, std::move(*product));
    return "";
  }

  std::string missing(ValueId id) const {
    return fmt::format("the profile has no exponent for '{}'", original_name(graph_.value(id)));
  }

  WeightOptions weight_options(const Node& node) const {
    WeightOptions options;
    options.per_channel = options_.per_channel;
    options.least_squares = options_.corrections.weights;
    if (!options_.corrections.bias) return options;
    if (const ValueProfile* input = profile_.find(graph_.value(node.inputs[0]).name); input != nullptr)
      options.input_means = input->means;
    return options;
  }

  bool all_fit() {
    const size_t before = unfit_.size();
    for (const auto& node : graph_.nodes()) {
      if (!chosen(node.get())) continue;
      if (std::string reason = misfit(*node); !reason.empty()) unfit_.emplace(node.get(), std::move(reason));
    }
    return unfit_.size() == before;
  }

  void report_kept() {
    for (const auto& node : graph_.nodes()) {
      if (chosen(node.get()) || !is_product(*node)) continue;
      const auto reason = unfit_.find(node.get());
      if (options_.keep_f32.count(node->name) != 0)
        result_.kept.push_back({node->name, "as asked"});
      else
        result_.kept.push_back({node->name, reason != unfit_.end() ? reason->second : "its operands have no s8 form"});
    }
  }

  const Graph& graph_;
  const QuantizationProfile& profile_;
  const Exponents known_;
  const QuantizeOptions& options_;
  Assignment result_;
  std::unordered_map<const Node*, std::string> unfit_;  // with the reason
  std::unordered_map<ValueId, int> group_exponents_;    // by root
};

}  // namespace

Assignment assign(const Graph& graph, const QuantizationProfile& profile, const QuantizeOptions& options) {
  return Assigner(graph, profile, options).run();
}

}  // namespace nestrt::compiler
