// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/graph/graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "compiler-lite/graph/bound_operator.h"

namespace nestrt::compiler {

Graph Graph::clone() const {
  Graph copy;
  copy.name = name;
  copy.inputs = inputs;
  copy.outputs = outputs;
  copy.folding = folding;
  copy.qdq_rounding = qdq_rounding;
  copy.values_ = values_;
  copy.producers_.resize(values_.size(), nullptr);
  copy.users_.resize(values_.size());
  for (const std::unique_ptr<Node>& node : nodes_) {
    copy.nodes_.push_back(std::make_unique<Node>(*node));
    Node* added = copy.nodes_.back().get();
    for (ValueId id : added->outputs) copy.producers_[static_cast<size_t>(id)] = added;
    for (ValueId id : added->inputs)
      if (id != kNoValue) copy.users_[static_cast<size_t>(id)].push_back(added);
  }
  return copy;
}

ValueId Graph::add_value(Value value) {
  values_.push_back(std::move(value));
  producers_.push_back(nullptr);
  users_.emplace_back();
  return static_cast<ValueId>(values_.size() - 1);
}

ValueId Graph::add_constant(std::string name, DataType type, const Shape& shape, Bytes elements) {
  Value value;
  value.name = std::move(name);
  value.type = type;
  value.shape = shape;
  value.constant = std::make_shared<const Bytes>(std::move(elements));
  return add_value(std::move(value));
}

ValueId Graph::add_constant(std::string name, const std::vector<float>& elements, const Shape& shape) {
  return add_constant(std::move(name), DataType::kF32, shape, to_bytes(elements));
}

ValueId Graph::add_constant(std::string name, const std::vector<int64_t>& elements, const Shape& shape) {
  return add_constant(std::move(name), DataType::kS64, shape, to_bytes(elements));
}

Result<Node*> Graph::add_node(std::string node_name, ops::Attributes attributes, std::vector<ValueId> node_inputs,
                              const std::vector<std::string>& output_names) {
  auto inferred = infer(*this, attributes, node_inputs);
  if (!inferred) return inferred.error().with_context(fmt::format("node '{}'", node_name));
  if (inferred->size() != output_names.size()) {
    return Status(Code::kInvalidModel, fmt::format("node '{}' has {} outputs, but its operator computes {}", node_name,
                                                   output_names.size(), inferred->size()));
  }
  auto node = std::make_unique<Node>();
  node->name = std::move(node_name);
  node->attributes = std::move(attributes);
  node->inputs = std::move(node_inputs);
  for (size_t i = 0; i < output_names.size(); ++i) {
    Value value;
    value.name = output_names[i];
    value.type = (*inferred)[i].type;
    value.shape = (*inferred)[i].shape;
    node->outputs.push_back(add_value(std::move(value)));
    producers_.back() = node.get();
  }
  for (ValueId id : node->inputs)
    if (id != kNoValue) users_[static_cast<size_t>(id)].push_back(node.get());
  nodes_.push_back(std::move(node));
  return nodes_.back().get();
}

Node* Graph::producer(ValueId id) const { return producers_[static_cast<size_t>(id)]; }

const std::vector<Node*>& Graph::users(ValueId id) const { return users_[static_cast<size_t>(id)]; }

void Graph::forget_user(ValueId id, const Node* node) {
  if (id == kNoValue) return;
  std::vector<Node*>& users = users_[static_cast<size_t>(id)];
  const auto found = std::find(users.begin(), users.end(), node);
  if (found != users.end()) users.erase(found);
}

void Graph::set_input(Node* node, size_t index, ValueId id) {
  forget_user(node->inputs[index], node);
  node->inputs[index] = id;
  if (id != kNoValue) users_[static_cast<size_t>(id)].push_back(node);
}

void Graph::add_input(Node* node, ValueId id) {
  node->inputs.push_back(kNoValue);
  set_input(node, node->inputs.size() - 1, id);
}

void Graph::replace_uses(ValueId from, ValueId to) {
  if (from == to) return;
  // Moves all users together, because one value may have very many.
  std::vector<Node*>& source = users_[static_cast<size_t>(from)];
  std::vector<Node*>& target = users_[static_cast<size_t>(to)];
  for (Node* node : source) std::replace(node->inputs.begin(), node->inputs.end(), from, to);
  target.insert(target.end(), source.begin(), source.end());
  source.clear();
  outputs.replace(from, to);
}

namespace {

// Returns the nodes that the outputs depend on. Iterative, because graphs may be very deep.
std::unordered_set<const Node*> needed_nodes(const Graph& graph) {
  std::unordered_set<const Node*> needed;
  std::vector<const Node*> stack;
  const auto need = [&](ValueId id) {
    if (id == kNoValue) return;
    if (const Node* node = graph.producer(id); node != nullptr && needed.insert(node).second) stack.push_back(node);
  };
  for (ValueId id : graph.outputs) need(id);
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    for (ValueId id : node->inputs) need(id);
  }
  return needed;
}

// Returns positions that place each node after the nodes that it reads, and otherwise keep the order (stable).
std::vector<size_t> topological_order(const Graph& graph) {
  const auto& nodes = graph.nodes();
  std::unordered_map<const Node*, size_t> position;
  for (size_t i = 0; i < nodes.size(); ++i) position[nodes[i].get()] = i;
  std::vector<bool> done(nodes.size());
  std::vector<size_t> order, path;
  for (size_t start = 0; start < nodes.size(); ++start) {
    path.assign(1, start);
    while (!path.empty()) {
      const size_t current = path.back(), length = path.size();
      for (ValueId id : nodes[current]->inputs) {
        const Node* source = id == kNoValue || done[current] ? nullptr : graph.producer(id);
        if (source != nullptr && !done[position.at(source)]) path.push_back(position.at(source));
      }
      if (path.size() != length) continue;
      if (!done[current]) order.push_back(current);
      done[current] = true;
      path.pop_back();
    }
  }
  return order;
}

}  // namespace

void Graph::drop_unneeded() {
  const std::unordered_set<const Node*> needed = needed_nodes(*this);
  std::vector<std::unique_ptr<Node>> live;
  std::unordered_set<ValueId> touched;
  for (std::unique_ptr<Node>& node : nodes_) {
    if (needed.count(node.get()) != 0) {
      live.push_back(std::move(node));
      continue;
    }
    touched.insert(node->inputs.begin(), node->inputs.end());
    for (ValueId id : node->outputs) producers_[static_cast<size_t>(id)] = nullptr;
  }
  touched.erase(kNoValue);
  for (ValueId id : touched)
    std::erase_if(users_[static_cast<size_t>(id)], [&](const Node* user) { return needed.count(user) == 0; });
  nodes_ = std::move(live);
}

void Graph::tidy() {
  drop_unneeded();
  std::vector<std::unique_ptr<Node>> sorted;
  for (const size_t position : topological_order(*this)) sorted.push_back(std::move(nodes_[position]));
  nodes_ = std::move(sorted);
}

}  // namespace nestrt::compiler
