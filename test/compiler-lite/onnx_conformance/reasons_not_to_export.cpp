// SPDX-License-Identifier: Apache-2.0
#include "test/compiler-lite/onnx_conformance/conformance_case.h"

namespace nestrt::test {

std::span<const std::string_view> reasons_not_to_export() {
  static constexpr std::string_view kReasons[] = {
      "was removed in opset 13",
      "bitwise operators require opset 18",
      "CumProd requires opset 26",
      "ScatterND with min or max requires opset 18",
      "GridSample of volumes requires opset 20",
      "only MaxPool can have a dilated window",
      "its scales and sizes cannot be expressed together",
      "ONNX has no float remainder with the divisor's sign",
      // The last window starts in the padding, but the ONNX library counts it.
      "Pool, node name: y): [ShapeInferenceError] Inferred shape and existing shape differ",
  };
  return kReasons;
}

}  // namespace nestrt::test
