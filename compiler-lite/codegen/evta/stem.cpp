#include "compiler-lite/codegen/evta/stem.h"

#include <utility>

#include "compiler-lite/codegen/evta/layer_shape.h"
#include "runtime/plan/folding.h"

namespace nestrt::compiler::evta {
namespace {

// Pixels before the picture until the first window begins where a folded pixel does.
int64_t shift_of(const LayerAxis& axis, int64_t fold) { return (fold - axis.pad_begin % fold) % fold; }

// Requires a stride of `fold`. Windows begin up to fold - 1 pixels earlier, and end later: there the weights are zero.
LayerAxis folded(const LayerAxis& axis, int64_t fold) {
  if (fold == 1) return axis;
  LayerAxis result;
  const int64_t shift = shift_of(axis, fold);
  result.input = pieces(axis.input, fold);
  result.kernel = pieces(axis.kernel + shift, fold);
  result.pad_begin = (axis.pad_begin + shift) / fold;
  result.pad_end = axis.output() - 1 + result.kernel - result.pad_begin - result.input;
  if (result.pad_end < 0) result.kernel -= std::exchange(result.pad_end, 0);  // the last pixels are in no window
  return result;
}

std::vector<int8_t> folded_weights(const ConvLayer& layer, const ConvLayer& folded, int64_t fold) {
  std::vector<int8_t> weights(
      static_cast<size_t>(folded.out_channels * folded.in_channels * folded.y.kernel * folded.x.kernel));
  const int64_t shift_y = shift_of(layer.y, fold), shift_x = shift_of(layer.x, fold);
  size_t from = 0;
  for (int64_t output = 0; output < layer.out_channels; ++output)
    for (int64_t input = 0; input < layer.in_channels; ++input)
      for (int64_t tap_y = shift_y; tap_y < layer.y.kernel + shift_y; ++tap_y)
        for (int64_t tap_x = shift_x; tap_x < layer.x.kernel + shift_x; ++tap_x) {
          const int64_t channel = (tap_y % fold * fold + tap_x % fold) * layer.in_channels + input;
          const int64_t row = (output * folded.in_channels + channel) * folded.y.kernel + tap_y / fold;
          weights[static_cast<size_t>(row * folded.x.kernel + tap_x / fold)] = layer.weights[from++];
        }
  return weights;
}

ConvLayer folded(const ConvLayer& layer, int64_t fold) {
  ConvLayer result = layer;
  result.in_channels = layer.in_channels * fold * fold;
  result.y = folded(layer.y, fold);
  result.x = folded(layer.x, fold);
  if (fold > 1) result.weights = folded_weights(layer, result, fold);
  return result;
}

int64_t products(const ConvLayer& layer, int64_t block) {
  return pieces(layer.in_channels, block) * layer.y.kernel * layer.x.kernel;
}

int64_t input_bytes(const ConvLayer& layer, int64_t block) {
  return layer.images * pieces(layer.in_channels, block) * block * layer.y.input * layer.x.input;
}

}  // namespace

Result<Stem> make_stem(const ConvLayer& layer, int64_t block) {
  NESTRT_RETURN_IF_ERROR(check(layer));
  if (layer.is_identity() || layer.groups != 1)
    return Status(Code::kUnsupported, "its input is not in blocks of channels");
  Stem plain{layer, 1};
  const int64_t stride = layer.y.stride;
  if (stride == 1 || stride != layer.x.stride || stride > Folding::kMaxFold) return plain;
  Stem stem{folded(layer, stride), stride};
  const auto found = find_folding({layer.images, layer.in_channels, layer.y.input, layer.x.input}, block,
                                  static_cast<uint64_t>(input_bytes(stem.layer, block)));
  const bool known = found && found->fold == stride;  // a tiny picture may take as much room in another folding
  return known && products(stem.layer, block) < products(layer, block) ? stem : plain;
}

}  // namespace nestrt::compiler::evta
