// SPDX-License-Identifier: Apache-2.0
// A classifier for tests of the search, which needs only milliseconds for it. One layer loses much accuracy in 8 bits.
#pragma once

#include <string>
#include <vector>

namespace nestrt::test {

// Returns the bytes of an ONNX model: x [1, 3, 8, 8], 1x1 Convs "first", "second" and "third" with Relu between them,
// and the averages of four channels as class scores y [1, 4, 1, 1]. The fourth output channel of "first" is 200 times
// as large as the others and "second" ignores it, so it affects only the scale of "second" in s8.
std::string small_classifier();

// Returns `count` consecutive inputs; every class has the largest score in some of them.
std::vector<float> small_samples(size_t count);

// Writes small_classifier() to FOLDER/model.onnx, and `count` samples to FOLDER/samples.npy.
void write_small_classifier(const std::string& folder, size_t count = 24);

}  // namespace nestrt::test
