// SPDX-License-Identifier: Apache-2.0
// Results of searches as a YAML file, so that nothing is measured twice.
//
//   format: nestrt quantization search
//   version: 1
//   searches:
//     - model: 0123456789abcdef0123456789abcdef    # digest of the ONNX file
//       data: 0123456789abcdef0123456789abcdef     # digest of samples, labels, calibration and options
//       tried:
//         - options: --method mse --corrections weights,bias
//           samples: 100
//           rows: 100
//           agreeing: 97
//           right: 88                              # both only with labels
//           right_in_f32: 89
//           decibel: 21.5
//           f32_share: 0
//           plan_bytes: 1234567
//       rankings:                                  # noisiest layer first
//         - options: --method mse --corrections weights,bias
//           layers:
//             - {name: "conv1", decibel: 31.5, mac_share: 0.02}
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler-lite/tuning/score.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

struct TriedOptions {
  std::string options;
  Score score;
};

struct RankedLayer {
  std::string name;
  double decibel = 0;  // at the network's outputs, with only this layer in s8
  double mac_share = 0;
};

struct LayerRanking {
  std::string options;
  std::vector<RankedLayer> layers;
};

struct SearchRecord {
  std::string model, data;  // digests
  std::vector<TriedOptions> tried;
  std::vector<LayerRanking> rankings;
};

std::string format_search(const std::vector<SearchRecord>& records);
// Errors: those of writing a file. No partial file remains.
Status save_search(const std::vector<SearchRecord>& records, const std::string& path);

// Errors: kInvalidArgument with `name`, the line, and the expected and actual text.
Result<std::vector<SearchRecord>> parse_search(const std::string& text, std::string_view name);
// Errors: those of parsing and of reading a file. If the file does not exist, returns an empty list.
Result<std::vector<SearchRecord>> load_search(const std::string& path);

// Returns the record of this model and data; adds it if it does not exist.
SearchRecord& find_or_add(std::vector<SearchRecord>& records, const std::string& model, const std::string& data);

}  // namespace nestrt::compiler
