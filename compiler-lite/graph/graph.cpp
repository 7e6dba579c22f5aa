#include "compiler-lite/graph/graph.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "compiler-lite/graph/bound_operator.h"

namespace nestrt::compiler {

Graph Graph::clone() const {
  Graph copy;
  copy.name = name;
  copy.inputs = inputs;
  copy.outputs = outputs;
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

namespace {

template <typename T>
Bytes to_bytes(const std::vector<T>& elements) {
  Bytes bytes(elements.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), elements.data(), bytes.size());
  return bytes;
}

}  // namespace

ValueId Graph::add_constant(std::string name, const std::vector<float>& elements, const Shape& shape) {
  return add_constant(std::move(name), DataType::kF32, shape, to_bytes(elements));
}

ValueId Graph::add_constant(std::string name, const std::vector<int64_t>& elements, const Shape& shape) {
  return add_constant(std::move(name), DataType::kS64, shape, to_bytes(elements));
}

Result<Node*> Graph::add_node(std::string node_name, ops::Attributes attributes, std::vector<ValueId> node_inputs,
                              const std::vector<std::string>& output_names) {
  auto inferred = infer(*this, attributes, node_inputs);
  if (!inferred) return inferred.error().with_context("node '" + node_name + "'");
  if (inferred->size() != output_names.size()) {
    return Status(Code::kInvalidModel, "node '" + node_name + "': has " + std::to_string(output_names.size()) +
                                           " outputs, its operator gives " + std::to_string(inferred->size()));
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

bool Graph::is_output(ValueId id) const { return std::find(outputs.begin(), outputs.end(), id) != outputs.end(); }

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
  // All at once: one value may have very many users.
  std::vector<Node*>& source = users_[static_cast<size_t>(from)];
  std::vector<Node*>& target = users_[static_cast<size_t>(to)];
  for (Node* node : source) std::replace(node->inputs.begin(), node->inputs.end(), from, to);
  target.insert(target.end(), source.begin(), source.end());
  source.clear();
  std::replace(outputs.begin(), outputs.end(), from, to);
}

void Graph::tidy() {
  // Depth-first from the outputs, without recursion: graphs may be very deep.
  std::unordered_set<const Node*> needed;
  std::vector<Node*> stack;
  auto need = [&](ValueId id) {
    if (id == kNoValue) return;
    if (Node* node = producer(id); node != nullptr && needed.insert(node).second) stack.push_back(node);
  };
  for (ValueId id : outputs) need(id);
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    for (ValueId id : node->inputs) need(id);
  }

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

  // Stable topological order: emit a node as soon as its producers are out, in list order.
  std::unordered_set<const Node*> emitted;
  std::vector<std::unique_ptr<Node>> sorted;
  std::vector<size_t> path;
  std::unordered_map<const Node*, size_t> position;
  for (size_t i = 0; i < live.size(); ++i) position[live[i].get()] = i;
  for (size_t start = 0; start < live.size(); ++start) {
    path.assign(1, start);
    while (!path.empty()) {
      const size_t current = path.back();
      if (live[current] == nullptr) {
        path.pop_back();
        continue;
      }
      const size_t before = path.size();
      for (ValueId id : live[current]->inputs) {
        if (id == kNoValue) continue;
        const Node* source = producer(id);
        if (source != nullptr && emitted.count(source) == 0) path.push_back(position[source]);
      }
      if (path.size() != before) continue;
      emitted.insert(live[current].get());
      sorted.push_back(std::move(live[current]));
      path.pop_back();
    }
  }
  nodes_ = std::move(sorted);
}

}  // namespace nestrt::compiler
