// A classifier that is small enough to be searched in milliseconds, and bad in 8 bits in one place.
#pragma once

#include <string>
#include <vector>

namespace nestrt::test {

// The bytes of an ONNX model: x [1, 3, 8, 8], Convs of one pixel "first", "second" and "third" with Relu between them,
// the averages of four channels as class scores y [1, 4, 1, 1]. The fourth output channel of "first" is 200
// times as large as the others, and "second" ignores it: only its scale matters, to "second" in s8.
std::string small_classifier();

// `count` inputs of it, one after the other, in which every class is the largest in some.
std::vector<float> small_samples(size_t count);

// small_classifier() as FOLDER/model.onnx, and `count` samples as FOLDER/samples.npy.
void write_small_classifier(const std::string& folder, size_t count = 24);

}  // namespace nestrt::test
