#include "compiler-lite/codegen/evta/schedule.h"

namespace nestrt::compiler::evta {

std::string to_string(const Schedule& schedule) {
  return std::to_string(schedule.rows) + "x" + std::to_string(schedule.columns) + " pixels, " +
         std::to_string(schedule.out_blocks) + " output and " + std::to_string(schedule.in_blocks) + " input blocks, " +
         std::to_string(schedule.threads) + (schedule.threads == 1 ? " thread, " : " threads, ") +
         (schedule.order == LoopOrder::kPixelsInner ? "pixels inner" : "blocks inner") + ", micro-ops from " +
         std::to_string(schedule.least_micro_ops);
}

}  // namespace nestrt::compiler::evta
