#include "test/compiler-lite/onnx_conformance/operator_table.h"

namespace nestrt::test {

const std::map<std::string, std::string>& known_exclusions() {
  static const std::map<std::string, std::string> exclusions = [] {
    std::map<std::string, std::string> result;
    for (const char* name :
         {"resize_downsample_scales_cubic_align_corners", "resize_downsample_scales_linear_align_corners"}) {
      result["node/test_" + std::string(name)] =
          "expects corners aligned to the fractional length 4 x scale, so that the last corner is missed; nestrt "
          "aligns "
          "to the output's own length and computes what ONNX Runtime 1.31 does for the same model";
    }
    return result;
  }();
  return exclusions;
}

std::span<const std::string_view> reasons_not_to_export() {
  static constexpr std::string_view kReasons[] = {
      "has gone since opset 13",
      "ONNX has bitwise operators since opset 18",
      "ONNX has running products since opset 26",
      "ONNX scatters minima and maxima since opset 18",
      "ONNX has grids of volumes since opset 20",
      "only MaxPool can have a dilated window",
      "its scales and its sizes cannot both be stated",
      "ONNX has no remainder of floats that takes the divisor's sign",
      // A last window that starts in the padding, which the library counts.
      "Pool, node name: y): [ShapeInferenceError] Inferred shape and existing shape differ",
  };
  return kReasons;
}

}  // namespace nestrt::test
