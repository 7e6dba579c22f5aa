// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/graph/moves.h"

namespace nestrt::compiler {

bool moves_elements(const Node& node) {
  if (const auto* pool = node.as<ops::Pool>()) return pool->kind == ops::PoolKind::kMax;
  if (const auto* resize = node.as<ops::Resize>())
    return resize->mode == ops::ResizeMode::kNearest && resize->coordinate != ops::CoordinateMode::kTfCropAndResize;
  return node.as<ops::Tile>() || node.as<ops::Reshape>() || node.as<ops::Transpose>() || node.as<ops::Slice>() ||
         node.as<ops::Concat>();
}

}  // namespace nestrt::compiler
