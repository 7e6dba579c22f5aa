#include "compiler-lite/placement/fuse_separable.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler-lite/passes/product.h"
#include "compiler-lite/passes/rewrite.h"

namespace nestrt::compiler {
namespace {

// Rows of what lies between are so many bytes together: kernels/separable_conv/separable_conv_blocked16.cpp.
constexpr int64_t kRowsBytes = 96 * 1024;

// The nodes; `before` is null where none is fused before the depthwise one.
struct Separable {
  Node* before = nullptr;
  Node* depthwise = nullptr;
  Node* after = nullptr;
};

int64_t bytes_of(const Graph& graph, ValueId id) {
  if (id == kNoValue) return 0;
  const Value& value = graph.value(id);
  return storage_bytes(value.type, value.shape, value.layout);
}

int64_t weight_bytes(const Graph& graph, const Node& node) { return bytes_of(graph, node.inputs[kWeights]); }

// What a node moves whose operands do not fit the cache together; else its weights, which nothing has read before.
int64_t traffic(const Graph& graph, const Node& node, int64_t cache_bytes) {
  int64_t activations = bytes_of(graph, node.outputs[0]);
  for (const size_t input : {size_t{0}, kResidual}) activations += bytes_of(graph, node.input(input));
  const int64_t weights = weight_bytes(graph, node);
  return weights + (activations + weights > cache_bytes ? activations : 0);
}

// Weights that do not fit beside the rows are read for all of them again.
int64_t fused_traffic(const Graph& graph, const Separable& nodes, int64_t cache_bytes) {
  const Node& first = nodes.before != nullptr ? *nodes.before : *nodes.depthwise;
  int64_t weights = weight_bytes(graph, *nodes.depthwise) + weight_bytes(graph, *nodes.after);
  int64_t between = bytes_of(graph, nodes.depthwise->outputs[0]);
  if (nodes.before != nullptr) {
    weights += weight_bytes(graph, *nodes.before);
    between += bytes_of(graph, nodes.before->outputs[0]);
  }
  int64_t activations = bytes_of(graph, nodes.after->outputs[0]) + bytes_of(graph, first.inputs[0]);
  if (nodes.after->input(kResidual) != first.inputs[0]) activations += bytes_of(graph, nodes.after->input(kResidual));
  const int64_t times = weights + 2 * kRowsBytes > cache_bytes ? (between + kRowsBytes - 1) / kRowsBytes : 1;
  return weights * times + (activations + weights + 2 * kRowsBytes > cache_bytes ? activations : 0);
}

SeparableTraffic traffic_of(const Graph& graph, const Separable& nodes, int64_t cache_bytes) {
  SeparableTraffic result;
  for (const Node* node : {nodes.before, nodes.depthwise, nodes.after})
    if (node != nullptr) result.apart += traffic(graph, *node, cache_bytes);
  result.fused = fused_traffic(graph, nodes, cache_bytes);
  return result;
}

class Fuser {
 public:
  Fuser(Graph& graph, const Placement& placement, int64_t cache_bytes) : graph_(graph), cache_bytes_(cache_bytes) {
    for (const PlacedBranch& branch : placement.branches)
      if (branch.backends == std::vector<size_t>{0})
        for (size_t i = 0; i < branch.count; ++i) host_nodes_.insert(graph.nodes()[branch.first + i].get());
  }

  Result<int> run() {
    int fused = 0;
    for (Node* node : snapshot(graph_)) {
      const Separable nodes = best(node);
      if (nodes.depthwise == nullptr) continue;
      NESTRT_RETURN_IF_ERROR(fuse(nodes));
      ++fused;
    }
    if (fused != 0) graph_.tidy();
    return fused;
  }

 private:
  // Of the ways to fuse around a depthwise node the one that saves most; without nodes where none saves anything.
  Separable best(Node* depthwise) const {
    if (!is_depthwise(*depthwise)) return {};
    const std::vector<Node*>& users = graph_.users(depthwise->outputs[0]);
    if (!graph_.has_single_use(depthwise->outputs[0])) return {};
    Node* const after = users[0];
    if (!is_pointwise(*after) || after->inputs[0] != depthwise->outputs[0] || !alike(*depthwise, *after)) return {};
    Separable found, nodes{nullptr, depthwise, after};
    int64_t saved = 0;
    const auto look_at = [&](const Separable& candidate) {
      const SeparableTraffic traffic = traffic_of(graph_, candidate, cache_bytes_);
      if (traffic.apart - traffic.fused <= saved) return;
      saved = traffic.apart - traffic.fused;
      found = candidate;
    };
    look_at(nodes);
    nodes.before = sole_producer<ops::Conv>(graph_, *depthwise, 0);
    if (nodes.before == nullptr || !is_pointwise(*nodes.before) || nodes.before->input(kResidual) != kNoValue ||
        !alike(*nodes.before, *depthwise))
      return found;
    look_at(nodes);
    return found;
  }

  bool is_blocked_conv(const Node& node) const {
    const auto* conv = node.as<ops::Conv>();
    if (conv == nullptr || conv->wide_output || !host_nodes_.contains(&node) || conv->kernel.size() != 2) return false;
    const Value& input = graph_.value(node.inputs[0]);
    const Value& output = graph_.value(node.outputs[0]);
    if (input.layout != Layout::kBlocked16 || output.layout != Layout::kBlocked16) return false;
    return (input.type == DataType::kF32 && has_constant_weights(node)) ||
           (has_exponent(input) && has_exponent(output) && has_constant_weights(node));
  }

  static bool has_exponent(const Value& value) {
    return value.type == DataType::kS8 && value.quantization && value.quantization->exponents.size() == 1;
  }

  bool has_constant_weights(const Node& node) const {
    const auto is_plain = [&](ValueId id) {
      return graph_.value(id).is_constant() && graph_.value(id).packing == Packing::kNone;
    };
    return is_plain(node.inputs[kWeights]) && (node.input(kBias) == kNoValue || is_plain(node.inputs[kBias]));
  }

  bool is_depthwise(const Node& node) const {
    if (!is_blocked_conv(node) || node.input(kResidual) != kNoValue) return false;
    const auto& conv = *node.as<ops::Conv>();
    return conv.group > 1 && conv.group == graph_.value(node.inputs[0]).shape[1] &&
           conv.group == graph_.value(node.outputs[0]).shape[1] && conv.dilation == std::vector<int32_t>{1, 1};
  }

  bool is_pointwise(const Node& node) const {
    static const std::vector<int32_t> ones = {1, 1}, zeros = {0, 0};
    if (!is_blocked_conv(node)) return false;
    const auto& conv = *node.as<ops::Conv>();
    return conv.group == 1 && conv.kernel == ones && conv.stride == ones && conv.pad_begin == zeros &&
           conv.pad_end == zeros;
  }

  // s8 rounds in one way in all of them.
  bool alike(const Node& first, const Node& second) const {
    return graph_.value(first.inputs[0]).type != DataType::kS8 ||
           first.as<ops::Conv>()->rounding == second.as<ops::Conv>()->rounding;
  }

  int8_t exponent_of(const Node& node) const {
    const Value& value = graph_.value(node.outputs[0]);
    return has_exponent(value) ? value.quantization->exponents[0] : int8_t{0};
  }

  ops::SeparableConv attributes_of(const Separable& nodes) const {
    const auto &depthwise = *nodes.depthwise->as<ops::Conv>(), &after = *nodes.after->as<ops::Conv>();
    ops::SeparableConv result;
    result.kernel = depthwise.kernel;
    result.stride = depthwise.stride;
    result.pad_begin = depthwise.pad_begin;
    result.pad_end = depthwise.pad_end;
    result.depthwise_activation = depthwise.activation;
    result.activation = after.activation;
    result.rounding = after.rounding;
    result.depthwise_exponent = exponent_of(*nodes.depthwise);
    result.inner_exponent = after.inner_exponent;
    if (nodes.before == nullptr) return result;
    result.before_activation = nodes.before->as<ops::Conv>()->activation;
    result.before_exponent = exponent_of(*nodes.before);
    return result;
  }

  Status fuse(const Separable& nodes) {
    const Node& first = nodes.before != nullptr ? *nodes.before : *nodes.depthwise;
    std::vector<ValueId> inputs = {first.inputs[0],
                                   nodes.depthwise->inputs[kWeights],
                                   nodes.depthwise->input(kBias),
                                   nodes.after->inputs[kWeights],
                                   nodes.after->input(kBias),
                                   nodes.after->input(kResidual)};
    if (nodes.before != nullptr) {
      inputs.push_back(nodes.before->inputs[kWeights]);
      inputs.push_back(nodes.before->input(kBias));
    }
    const Layout layout = graph_.value(nodes.after->outputs[0]).layout;
    NESTRT_ASSIGN_OR_RETURN(Node * node, replace(graph_, nodes.after, attributes_of(nodes), inputs));
    graph_.value(node->outputs[0]).layout = layout;
    return {};
  }

  Graph& graph_;
  const int64_t cache_bytes_;
  std::unordered_set<const Node*> host_nodes_;
};

}  // namespace

Result<int> fuse_separable(Graph& graph, const Placement& placement, int64_t cache_bytes) {
  return Fuser(graph, placement, cache_bytes).run();
}

}  // namespace nestrt::compiler
