// SPDX-License-Identifier: Apache-2.0
// Calibration data for a part of a model: the values at its inputs, computed over samples of the whole model.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compiler-lite/calibrate/input_samples.h"
#include "compiler-lite/graph/graph.h"
#include "compiler-lite/parts/borders.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

inline constexpr const char* kSampleList = "samples.txt";
inline constexpr const char* kSampleArchive = "calibration.npz";

// Runs the graph on the samples with the host's kernels and writes `values`, which are inputs of the graph or results
// of its nodes, into `folder`:
//   INPUT/00000.npy, ...  a folder per value, named after it as in tools::file_names(), with a file per sample
//   samples.txt           a line per sample: the absolute paths of its files, separated by tabs
//   calibration.npz       an array per value under its name: all samples, joined along the first axis
// `inputs` describes the values in order. Returns the number of samples. The graph may use any layouts but must not
// contain packed constants. Memory: all values that the parts depend on. Errors: those of CalibrationSamples and of
// compiling the graph; kUnsupported if the archive would exceed 4 GiB.
Result<size_t> write_calibration(const Graph& graph, const std::vector<ValueId>& values,
                                 const std::vector<Border>& inputs, const SampleOptions& samples,
                                 const std::string& folder);

}  // namespace nestrt::compiler
