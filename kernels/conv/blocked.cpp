#include "kernels/conv/blocked.h"

#include <algorithm>

#include "kernels/common/packing.h"

namespace nestrt::kernels {

bool accepts_blocked(const OperatorSpec& spec, Layout input, plan::Packing packing) {
  const TensorSpec& weights = spec.inputs[1];
  if (spec.inputs[0].layout != input || spec.outputs[0].layout != Layout::kBlocked16) return false;
  if (spec.has_input(3) && spec.inputs[3].layout != Layout::kBlocked16) return false;
  if (weights.constant == nullptr || (spec.has_input(2) && spec.inputs[2].constant == nullptr)) return false;
  if (!packing_fits(weights.packing, weights.shape) || !packing_fits(packing, weights.shape)) return false;
  return true;
}

Result<BlockedConv> make_blocked_conv(const OperatorSpec& spec, plan::Packing packing) {
  BlockedConv conv;
  NESTRT_ASSIGN_OR_RETURN(conv.geometry, conv_geometry(spec));
  conv.activation = activation_of(spec.op->attributes_as_Conv()->activation());
  NESTRT_ASSIGN_OR_RETURN(conv.weights, PackedConstant::make(spec.inputs[1], packing));
  NESTRT_ASSIGN_OR_RETURN(conv.bias, padded_bias(spec, 2));
  conv.tile = tile16_function();
  conv.limits = tile16_limits();
  return conv;
}

int64_t task_count(int64_t outputs, int64_t reduction, int threads) {
  constexpr double kTaskMultiplyAdds = 200'000;  // a few microseconds: what handing over a task is worth
  constexpr double kTasksPerThread = 4;          // evens out cores of different speed
  if (threads == 1) return 1;
  const double worth = static_cast<double>(outputs) * static_cast<double>(reduction) / kTaskMultiplyAdds;
  return static_cast<int64_t>(std::clamp(worth, 1.0, threads * kTasksPerThread));
}

Range part_of(int64_t count, int64_t index, int64_t parts, int64_t grain) {
  const int64_t grains = (count + grain - 1) / grain;
  const auto bound = [&](int64_t i) {
    return std::min(count, (grains / parts * i + std::min(i, grains % parts)) * grain);
  };
  return {bound(index), bound(index + 1)};
}

}  // namespace nestrt::kernels
