// SPDX-License-Identifier: Apache-2.0
// TensorFlow writes a nearest-neighbour upsampling by whole factors one axis at a time: Reshape to a new axis of size
// 1, Tile along that axis, Reshape that merges it with the preceding axis. This pass replaces the three operators by a
// Resize, which works in any layout.
#include <optional>

#include "compiler-lite/passes/passes.h"
#include "compiler-lite/passes/rewrite.h"

namespace nestrt::compiler {
namespace {

// Resize coordinates are f32, which represents integers exactly up to this size.
constexpr int64_t kMaxResized = int64_t{1} << 24;

Shape with_axis(const Shape& shape, int axis, int64_t dim) {
  Shape result;
  for (int i = 0; i < shape.rank(); ++i) {
    result.push_back(shape[i]);
    if (i == axis) result.push_back(dim);
  }
  return result;
}

// Returns true if splitting, tiling and merging repeats every element along the axis.
bool repeats_along(const Shape& x, const Shape& split, const Shape& tiled, const Shape& merged, int axis) {
  if (split != with_axis(x, axis, 1) || tiled.rank() != split.rank()) return false;
  Shape wanted = x;
  wanted[axis] *= tiled[axis + 1];
  return tiled == with_axis(x, axis, tiled[axis + 1]) && merged == wanted && merged[axis] <= kMaxResized;
}

// Returns the Reshape at the start of a repetition that ends at `merge`, or null.
const Node* repetition_before(const Graph& graph, const Node& merge) {
  if (merge.as<ops::Reshape>() == nullptr) return nullptr;
  const Node* const tile = sole_producer<ops::Tile>(graph, merge, 0);
  const Node* const split = tile == nullptr ? nullptr : sole_producer<ops::Reshape>(graph, *tile, 0);
  if (split == nullptr) return nullptr;
  const auto shape = [&](ValueId id) { return graph.value(id).shape; };
  const Shape x = shape(split->inputs[0]), merged = shape(merge.outputs[0]);
  if (x.rank() >= Shape::kMaxRank || x.num_elements() == 0) return nullptr;
  for (int axis = 0; axis < x.rank(); ++axis)
    if (repeats_along(x, shape(split->outputs[0]), shape(tile->outputs[0]), merged, axis)) return split;
  return nullptr;
}

}  // namespace

Result<int> recognise_repeats(Graph& graph) {
  int changes = 0;
  for (Node* node : snapshot(graph)) {
    if (!is_used(graph, *node)) continue;
    const Node* const split = repetition_before(graph, *node);
    // A Reshape that changes the quantization changes the meaning of the integers.
    if (split == nullptr || graph.value(split->inputs[0]).quantization != graph.value(node->outputs[0]).quantization)
      continue;
    const Shape shape = graph.value(node->outputs[0]).shape;
    ops::Resize resize;
    resize.mode = ops::ResizeMode::kNearest;
    resize.coordinate = ops::CoordinateMode::kAsymmetric;
    resize.nearest = ops::NearestMode::kFloor;
    resize.sizes = {shape.begin(), shape.end()};
    NESTRT_RETURN_IF_ERROR(replace(graph, node, std::move(resize), {split->inputs[0]}).error());
    ++changes;
  }
  graph.tidy();
  return changes;
}

}  // namespace nestrt::compiler
