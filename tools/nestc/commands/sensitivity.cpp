// SPDX-License-Identifier: Apache-2.0
#include "tools/nestc/commands/sensitivity.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <optional>

#include "compiler-lite/tuning/evaluator.h"
#include "compiler-lite/tuning/sensitivity.h"
#include "tools/support/text/json.h"
#include "tools/support/text/progress.h"
#include "tools/support/text/table.h"

namespace nestrt::compiler {
namespace {

using tools::Align;
using tools::Json;

std::string format_percent(double fraction) { return fmt::format("{:.1f} %", 100 * fraction); }

// Returns the agreement of class scores, or "-" if the network has none.
std::string agreement(const Score& score) { return score.rows == 0 ? "-" : format_percent(score.agreement()); }

void print(const Sensitivity& sensitivity) {
  tools::Table table({{"layer"},
                      {"kind"},
                      {"MACs", Align::kRight},
                      {"only this layer in s8: SNR dB", Align::kRight},
                      {"agreement", Align::kRight},
                      {"only this layer in f32: SNR dB", Align::kRight},
                      {"gain", Align::kRight},
                      {"agreement", Align::kRight}});
  for (const LayerSensitivity& layer : sensitivity.layers) {
    std::vector<std::string> row = {tools::printable(layer.name), layer.kind, format_percent(layer.mac_share),
                                    fmt::format("{:.1f}", layer.alone.decibel), agreement(layer.alone)};
    if (layer.all_but_one) {
      row.push_back(fmt::format("{:.1f}", layer.all_but_one->decibel));
      row.push_back(fmt::format("{:+.1f}", layer.all_but_one->decibel - sensitivity.all.decibel));
      row.push_back(agreement(*layer.all_but_one));
    }
    table.add_row(std::move(row));
  }
  std::cout << table.to_string();
  std::cout << fmt::format("everything in s8: SNR {:.1f} dB, agreement with f32 {} over {} samples\n",
                           sensitivity.all.decibel, agreement(sensitivity.all), sensitivity.all.samples);
  if (!sensitivity.layers.empty())
    std::cout << fmt::format("to keep the worst layer in f32: nestc compile ... --keep-f32 {}\n",
                             tools::printable(sensitivity.layers.front().name));
}

Json to_json(const Score& score) {
  Json json{{"snr_db", nullptr}, {"agreement", nullptr}};
  if (score.rows > 0) json.set("agreement", score.agreement());
  if (std::isfinite(score.decibel)) json.set("snr_db", score.decibel);
  return json;
}

Json to_json(const Sensitivity& sensitivity) {
  Json layers = Json::array();
  for (const LayerSensitivity& layer : sensitivity.layers)
    layers.push_back({{"name", layer.name},
                      {"kind", layer.kind},
                      {"mac_share", layer.mac_share},
                      {"only_it", to_json(layer.alone)},
                      {"all_but_it", layer.all_but_one ? to_json(*layer.all_but_one) : Json()}});
  return {{"samples", sensitivity.all.samples}, {"all", to_json(sensitivity.all)}, {"layers", std::move(layers)}};
}

}  // namespace

Status report_sensitivity(const std::string& model, const CalibrationOptions& options,
                          const QuantizationProfile& profile, const SensitivityFlags& flags) {
  EvaluationOptions evaluation;
  evaluation.compile = options.compile;
  evaluation.samples = options.samples;
  evaluation.samples.limit =
      options.samples.limit == 0 ? flags.samples : std::min(flags.samples, options.samples.limit);
  evaluation.needs_classes = false;
  NESTRT_ASSIGN_OR_RETURN(Evaluator evaluator, Evaluator::create(model, evaluation));
  std::optional<tools::Progress> bar;
  SensitivityOptions measure;
  measure.samples = evaluator.num_samples();
  measure.all_but_one = true;
  measure.progress = [&bar](size_t done, size_t total) {
    if (done == 0)
      bar.emplace("layers", static_cast<int64_t>(total));
    else
      bar->advance();
  };
  const auto sensitivity = measure_sensitivity(evaluator, Quantization{profile, {}, {}}, measure);
  bar.reset();
  if (!sensitivity) return sensitivity.error();
  print(*sensitivity);
  return flags.json.empty() ? Status() : tools::write_json(flags.json, to_json(*sensitivity));
}

}  // namespace nestrt::compiler
