#include "compiler-lite/quantize/assignment.h"

#include <algorithm>
#include <cstdlib>

#include "compiler-lite/passes/rewrite.h"
#include "kernels/common/s8_operands.h"

namespace nestrt::compiler {
namespace {

namespace s8 = kernels::s8;

constexpr size_t kResidual = 3;

bool is_f32(const Graph& graph, ValueId id) { return graph.value(id).type == DataType::kF32; }

bool narrows(const std::unique_ptr<plan::Activation>& activation) {
  return activation == nullptr || s8::has_bounds(activation->kind());
}

bool has_activation(const Node& node) {
  const auto of = [](const auto* table) {
    return table != nullptr && table->activation != nullptr && table->activation->kind() != plan::ActivationKind::none;
  };
  return of(node.as<plan::ConvT>()) || of(node.as<plan::DenseT>());
}

// A Conv or Dense with an s8 form.
bool is_product(const Graph& graph, const Node& node) {
  const auto* conv = node.as<plan::ConvT>();
  const auto* dense = node.as<plan::DenseT>();
  if (conv == nullptr && dense == nullptr) return false;
  if (node.input(kResidual) != kNoValue || !is_f32(graph, node.inputs[0]) || graph.value(node.inputs[0]).is_constant())
    return false;
  if (floats(graph, node.inputs[1]).empty()) return false;
  if (node.input(2) != kNoValue && floats(graph, node.inputs[2]).empty()) return false;
  return narrows(conv != nullptr ? conv->activation : dense->activation);
}

bool is_add(const Node& node) {
  const auto* binary = node.as<plan::BinaryT>();
  return binary != nullptr && binary->kind == plan::BinaryKind::add && narrows(binary->activation);
}

// Operators whose output has the exponent of their inputs.
bool keeps_exponent(const Node& node) {
  if (const auto* pool = node.as<plan::PoolT>()) {
    int64_t window = 1;
    for (int32_t extent : pool->kernel)
      if (__builtin_mul_overflow(window, extent, &window) || window > s8::kMaxWindow) return false;
    return pool->kind != plan::PoolKind::lp;
  }
  if (const auto* unary = node.as<plan::UnaryT>())
    return unary->kind == plan::UnaryKind::relu || unary->kind == plan::UnaryKind::clip;
  return node.as<plan::ConcatT>() != nullptr || node.as<plan::ReshapeT>() != nullptr ||
         node.as<plan::TransposeT>() != nullptr;
}

// Values that must have one exponent.
class Groups {
 public:
  explicit Groups(size_t values) : parent_(values) {
    for (size_t i = 0; i < values; ++i) parent_[i] = static_cast<ValueId>(i);
  }
  ValueId root(ValueId id) const {
    while (parent_[static_cast<size_t>(id)] != id) id = parent_[static_cast<size_t>(id)];
    return id;
  }
  void join(ValueId a, ValueId b) { parent_[static_cast<size_t>(root(a))] = root(b); }

 private:
  std::vector<ValueId> parent_;
};

class Assigner {
 public:
  Assigner(const Graph& graph, const Exponents& exponents, const QuantizeOptions& options)
      : graph_(graph), profile_(exponents), options_(options) {}

  // Starts with every node that has an s8 form and takes away those that turn out not to fit, until all do.
  Assignment run() {
    do {
      result_ = {};
      choose_nodes();
      drop_useless();
      choose_wide();
      choose_exponents();
    } while (!all_fit());
    return std::move(result_);
  }

 private:
  bool chosen(const Node* node) const { return node != nullptr && result_.nodes.count(node) != 0; }
  bool is_s8(ValueId id) const { return chosen(graph_.producer(id)); }

  void choose_nodes() {
    for (const auto& node : graph_.nodes()) {
      if (unfit_.count(node.get()) != 0 || options_.keep_f32.count(node->name) != 0) continue;
      const bool takes_s8 = (is_add(*node) || keeps_exponent(*node)) &&
                            std::all_of(node->inputs.begin(), node->inputs.end(),
                                        [&](ValueId id) { return id != kNoValue && is_s8(id); });
      if (takes_s8 || is_product(graph_, *node)) result_.nodes.insert(node.get());
    }
  }

  bool feeds_s8(const Node& node) const {
    const std::vector<Node*>& users = graph_.users(node.outputs[0]);
    return std::any_of(users.begin(), users.end(), [&](const Node* user) { return chosen(user); });
  }

  // What only carries elements towards f32 is better left in f32.
  void drop_useless() {
    for (auto node = graph_.nodes().rbegin(); node != graph_.nodes().rend(); ++node)
      if (chosen(node->get()) && keeps_exponent(**node) && !feeds_s8(**node)) result_.nodes.erase(node->get());
  }

  void choose_wide() {
    for (const Node* node : result_.nodes)
      if (is_product(graph_, *node) && !has_activation(*node) && !feeds_s8(*node)) result_.wide.insert(node);
  }

  void merge(ValueId id, Groups* groups) {
    const auto known = profile_.find(graph_.value(id).name);
    if (known == profile_.end()) return;
    const auto [entry, is_new] = group_exponents_.try_emplace(groups->root(id), known->second);
    if (!is_new) entry->second = std::min(entry->second, known->second);
  }

  // The exponent of a group is the smallest of its members': that of the widest range.
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
    for (ValueId id : values) merge(id, &groups);
    lower_sums(groups);
    for (ValueId id : values)
      if (const auto known = group_exponents_.find(groups.root(id)); known != group_exponents_.end())
        result_.exponents[id] = std::clamp(known->second, -s8::kMaxExponent, s8::kMaxExponent);
  }

  // A sum is never finer than the finer of its operands. Exponents only get smaller, so this ends.
  void lower_sums(const Groups& groups) {
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

  bool fits(const Node& node) {
    const bool wide = result_.wide.count(&node) != 0;
    const std::optional<int> output = wide ? std::nullopt : exponent(node.outputs[0]);
    for (ValueId id : node.inputs)
      if (!is_product(graph_, node) && !exponent(id)) return false;
    if (!exponent(node.inputs[0]) || (!wide && !output)) return false;
    if (is_add(node)) return s8::add_shifts(*exponent(node.inputs[0]), *exponent(node.inputs[1]), *output).valid();
    if (!is_product(graph_, node)) return true;
    auto product = quantize_product(graph_, node, {*exponent(node.inputs[0]), output}, options_.per_channel);
    if (!product) return false;
    result_.products.emplace(&node, std::move(*product));
    return true;
  }

  bool all_fit() {
    const size_t before = unfit_.size();
    for (const Node* node : result_.nodes)
      if (!fits(*node)) unfit_.insert(node);
    return unfit_.size() == before;
  }

  const Graph& graph_;
  const Exponents& profile_;
  const QuantizeOptions& options_;
  Assignment result_;
  std::unordered_set<const Node*> unfit_;
  std::unordered_map<ValueId, int> group_exponents_;  // by root
};

}  // namespace

Assignment assign(const Graph& graph, const Exponents& exponents, const QuantizeOptions& options) {
  return Assigner(graph, exponents, options).run();
}

}  // namespace nestrt::compiler
