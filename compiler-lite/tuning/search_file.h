// What searches have found out, as a YAML file, so that none of it is measured twice.
//
//   format: nestrt quantization search
//   version: 1
//   searches:
//     - model: 0123456789abcdef0123456789abcdef    # digest of the ONNX file
//       data: 0123456789abcdef0123456789abcdef     # of the samples, their labels, the calibration, the options
//       tried:
//         - options: --method mse --corrections weights,bias
//           samples: 100
//           rows: 100
//           agreeing: 97
//           right: 88                              # both with labels only
//           right_in_f32: 89
//           decibel: 21.5
//           f32_share: 0
//           plan_bytes: 1234567
//       rankings:                                  # the noisiest layer first
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
  double decibel = 0;  // at the network's outputs where only this layer is s8
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
// Errors: those of writing a file; nothing half-written is left.
Status save_search(const std::vector<SearchRecord>& records, const std::string& path);

// Errors: kInvalidArgument with `name`, the line, what was expected and what came.
Result<std::vector<SearchRecord>> parse_search(const std::string& text, std::string_view name);
// The same, and those of reading a file. Empty where there is no such file.
Result<std::vector<SearchRecord>> load_search(const std::string& path);

// The record of that model and data, added where there is none yet.
SearchRecord& find_or_add(std::vector<SearchRecord>& records, const std::string& model, const std::string& data);

}  // namespace nestrt::compiler
