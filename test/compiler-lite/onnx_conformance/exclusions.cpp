#include "test/compiler-lite/onnx_conformance/operator_table.h"

namespace nestrt::test {

const std::map<std::string, std::string>& known_exclusions() {
  static const std::map<std::string, std::string> exclusions = [] {
    std::map<std::string, std::string> result;
    for (const char* name : {"batchnorm_epsilon_training_mode", "batchnorm_example_training_mode", "training_dropout",
                             "training_dropout_default", "training_dropout_default_mask", "training_dropout_mask",
                             "training_dropout_zero_ratio", "training_dropout_zero_ratio_mask"}) {
      result["node/test_" + std::string(name)] = "training; nestrt is for inference";
    }
    for (const char* name : {"maxpool_with_argmax_2d_precomputed_pads", "maxpool_with_argmax_2d_precomputed_strides"}) {
      result["node/test_" + std::string(name)] = "the second output (indices) is not supported";
    }
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

const std::map<std::string, std::string>& cases_not_exported() {
  static const std::map<std::string, std::string> cases = {
      {"node/test_resize_downsample_sizes_nearest_tf_half_pixel_for_nn", "has gone since opset 13"}};
  return cases;
}

}  // namespace nestrt::test
