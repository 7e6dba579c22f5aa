// SPDX-License-Identifier: Apache-2.0
// Files of examples/ that tests use: the demo's network and the vendors' compiled programs.
#pragma once

namespace nestrt::test {

inline constexpr char kDemoModel[] = NESTRT_SOURCE_DIR "/examples/models/nest_squeeze_cifar10.onnx";
inline constexpr char kSkeletonPlugin[] = NESTRT_BINARY_DIR "/examples/vendor/libskeleton.so";
inline constexpr char kReferencePlugin[] = NESTRT_BINARY_DIR "/examples/vendor/libreference.so";
inline constexpr char kReferenceCompiler[] = NESTRT_BINARY_DIR "/examples/vendor/reference-cc";

}  // namespace nestrt::test
