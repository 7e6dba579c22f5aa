#include "test/compiler-lite/onnx_conformance/conformance_case.h"

namespace nestrt::test {

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
