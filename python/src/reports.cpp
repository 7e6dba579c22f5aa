// SPDX-License-Identifier: Apache-2.0
#include "python/src/reports.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "compiler-lite/check/check.h"
#include "python/src/arrays.h"
#include "python/src/errors.h"
#include "python/src/text.h"
#include "python/src/unit_choice.h"
#include "tools/nestrt/figures.h"

namespace nestrt::python {
namespace {

namespace nb = nanobind;

// Returns the text that --json writes.
template <typename Options>
std::string figures(Result<tools::Json> (*find)(const Options&), const Options& options) {
  Result<tools::Json> json = [&] {
    nb::gil_scoped_release release;
    return find(options);
  }();
  return checked(std::move(json), options.plan).to_string();
}

std::string bench(const std::string& plan, const nb::dict& units, const nb::dict& values) {
  command::BenchOptions options{.plan = plan, .units = unit_choice(units)};
  read(values, "inputs", options.inputs);
  read(values, "runs", options.runs);
  read(values, "warmup", options.warmup);
  read(values, "pipeline", options.pipeline);
  read(values, "per_op", options.per_op);
  read(values, "per_unit", options.per_unit);
  read(values, "trace", options.units.trace);
  std::string against;
  read(values, "against", against);
  if (!against.empty()) options.against = checked(command::parse_schedule_method(against), "against");
  return figures(&command::bench_figures, options);
}

std::string simulate(const std::string& plan, const nb::dict& values) {
  command::SimulateOptions options{.plan = plan};
  read(values, "board", options.board);
  read(values, "concurrent_plans", options.concurrent_plans);
  read(values, "urgent", options.urgent);
  read(values, "profiles", options.profiles);
  read(values, "npu_clocks_mhz", options.clocks);
  read(values, "cpu_scales", options.scales);
  read(values, "transfer_scale", options.changes.transfer_scale);
  read(values, "wait_scale", options.changes.wait_scale);
  if (values.contains("memory_mb_per_s")) options.changes.memory_mb_per_s = nb::cast<double>(values["memory_mb_per_s"]);
  read(values, "threads", options.changes.threads);
  read(values, "instances", options.changes.instances);
  read(values, "budget_ms", options.budget_ms);
  read(values, "trace", options.trace);
  return figures(&command::simulate_figures, options);
}

std::string profile(const std::string& plan, const nb::dict& units, const nb::dict& values) {
  command::ProfileOptions options{.plan = plan, .units = unit_choice(units)};
  read(values, "output", options.output);
  read(values, "clocks", options.clocks);
  read(values, "threads", options.measure.threads);
  read(values, "precision", options.measure.precision);
  read(values, "max_runs", options.measure.max_runs);
  read(values, "max_seconds", options.seconds);
  return figures(&command::profile_figures, options);
}

// Returns None for values that are not finite, as in JSON.
nb::object finite(double value) { return std::isfinite(value) ? nb::cast(value) : nb::none(); }

nb::dict as_dict(const compiler::Difference& difference) {
  nb::dict row;
  row["max_absolute"] = finite(difference.max_absolute);
  row["relative"] = finite(difference.relative());
  row["cosine"] = finite(difference.cosine());
  row["snr_db"] = finite(difference.decibel());
  row["step"] = difference.step;
  row["elements"] = difference.elements;
  row["elements_equal"] = difference.elements_equal;
  row["rows"] = difference.rows;
  row["rows_agreeing"] = difference.rows_agreeing;
  return row;
}

nb::list outputs_of(const compiler::CheckReport& report) {
  nb::list outputs;
  for (const compiler::OutputSummary& output : report.summaries) {
    nb::dict row = as_dict(output.difference);
    row["name"] = output.name;
    row["runs"] = output.runs;
    row["has_class_scores"] = output.has_class_scores;
    row["gives_places"] = output.gives_places;
    row["matches"] = output.matches;
    outputs.append(row);
  }
  return outputs;
}

nb::list layers_of(const compiler::CheckReport& report) {
  nb::list layers;
  for (const compiler::CheckedLayer& layer : report.layers) {
    nb::dict row = as_dict(layer.difference);
    row["operator"] = layer.operator_name;
    row["kind"] = layer.kind;
    row["value"] = layer.tensor;
    layers.append(row);
  }
  return layers;
}

nb::list noise_of(const compiler::CheckReport& report) {
  nb::list layers;
  for (const compiler::LayerNoise& layer : report.noise) {
    nb::dict row;
    row["operator"] = layer.operator_name;
    row["kind"] = layer.kind;
    row["value"] = layer.value;
    row["snr_db"] = finite(layer.decibel);
    row["input_snr_db"] = layer.input_decibel ? finite(*layer.input_decibel) : nb::none();
    layers.append(row);
  }
  return layers;
}

compiler::CheckOptions check_options(const std::string& model, const std::string& plan, const nb::dict& values) {
  compiler::CheckOptions options;
  options.model = model;
  options.plan = plan;
  read(values, "inputs", options.inputs);
  read(values, "random_runs", options.random_runs);
  read(values, "seed", options.seed);
  read(values, "layers", options.layers);
  read(values, "tolerance", options.tolerance);
  if (values.contains("absolute_tolerance")) options.absolute = nb::cast<double>(values["absolute_tolerance"]);
  read(values, "min_agreement", options.min_agreement);
  if (values.contains("min_snr_db")) options.min_decibel = nb::cast<double>(values["min_snr_db"]);
  read(values, "python", options.python);
  return options;
}

// `samples` has a list of arrays for each run, one per input.
nb::dict check_plan(const std::string& model, const std::string& plan, const nb::list& samples,
                    const nb::dict& values) {
  compiler::CheckOptions options = check_options(model, plan, values);
  for (const nb::handle sample : samples) {
    std::vector<tools::Array>& arrays = options.samples.emplace_back();
    for (const nb::handle array : nb::cast<nb::list>(sample)) arrays.push_back(copy_array(array, "samples"));
  }
  Result<compiler::CheckReport> result = [&] {
    nb::gil_scoped_release release;
    return compiler::check(options);
  }();
  const compiler::CheckReport report = checked(std::move(result), model);
  nb::dict found;
  found["model"] = model;
  found["plan"] = plan;
  found["quantized"] = report.quantized;
  found["matches"] = report.matches && !report.first_divergence;
  found["outputs"] = outputs_of(report);
  found["layers"] = layers_of(report);
  found["noise"] = noise_of(report);
  found["first_divergence"] =
      report.first_divergence ? nb::cast(report.layers[*report.first_divergence].operator_name) : nb::none();
  return found;
}

}  // namespace

void bind_reports(nb::module_& module) {
  using nb::literals::operator""_a;
  module.def("bench", &bench, "plan"_a, "units"_a, "options"_a);
  module.def("simulate", &simulate, "plan"_a, "options"_a);
  module.def("profile", &profile, "plan"_a, "units"_a, "options"_a);
  module.def("check", &check_plan, "model"_a, "plan"_a, "samples"_a, "options"_a);
}

}  // namespace nestrt::python
