// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/evta/layer/tiling.h"

#include <fmt/core.h>

namespace nestrt::compiler::evta {

std::string to_string(const Tiling& tiling) {
  return fmt::format("{}x{} pixels, {} output and {} input blocks, {}{}{}", tiling.rows, tiling.columns,
                     tiling.out_blocks, tiling.in_blocks, tiling.threads,
                     tiling.threads == 1 ? " thread, " : " threads, ",
                     tiling.order == LoopOrder::kPixelsInner ? "pixels inner" : "blocks inner");
}

}  // namespace nestrt::compiler::evta
