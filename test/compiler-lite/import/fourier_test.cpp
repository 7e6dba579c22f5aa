// SPDX-License-Identifier: Apache-2.0
// Tests DFT and STFT against sums in double precision.
#include <catch2/catch.hpp>

#include <onnx/onnx_pb.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "test/compiler-lite/import/model_builder.h"
#include "test/compiler-lite/import/refusal.h"

namespace nestrt::test {
namespace {

using Signal = std::vector<std::complex<double>>;

std::vector<float> signal_of(int64_t count) {
  std::vector<float> signal;
  for (int64_t i = 0; i < count; ++i) signal.push_back(static_cast<float>(i * 37 % 101 - 50) / 50);
  return signal;
}

Signal expected_transform(const Signal& x, bool inverse) {
  const auto length = static_cast<double>(x.size());
  Signal result(x.size());
  for (size_t k = 0; k < x.size(); ++k) {
    for (size_t n = 0; n < x.size(); ++n) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(n * k % x.size()) / length;
      result[k] += x[n] * std::polar(1.0, inverse ? angle : -angle);
    }
    if (inverse) result[k] /= length;
  }
  return result;
}

std::vector<float> imported_and_run(const ModelBuilder& model, const std::vector<float>& x) {
  const auto graph = model.import();
  INFO(graph.error().to_string());
  REQUIRE(graph);
  return run(*graph, {x});
}

// `y`: alternating real and imaginary parts.
double worst_difference(const std::vector<float>& y, const Signal& expected) {
  double worst = 0;
  for (size_t i = 0; i < y.size() / 2; ++i)
    worst = std::max(worst, std::abs(std::complex<double>(y[2 * i], y[2 * i + 1]) - expected[i]));
  return worst;
}

ModelBuilder dft(int64_t length, int64_t parts, bool inverse, bool onesided) {
  ModelBuilder model(17);
  model.input("x", {1, length, parts}).output("y");
  onnx::NodeProto& node = model.node("DFT", {"x"}, {"y"});
  set_attribute(node, "axis", int64_t{1});
  set_attribute(node, "inverse", int64_t{inverse});
  set_attribute(node, "onesided", int64_t{onesided});
  return model;
}

ModelBuilder stft(int64_t samples, int64_t length, int64_t step) {
  ModelBuilder model(17);
  std::vector<float> window;
  for (int64_t i = 0; i < length; ++i) window.push_back(static_cast<float>(i % 7 + 1) / 7);
  model.input("x", {1, samples}).output("y").constant("step", std::vector<int64_t>{step});
  model.constant("window", {length}, window).node("STFT", {"x", "step", "window"}, {"y"});
  return model;
}

TEST_CASE("A DFT of any length equals the sum that defines it") {
  for (const int64_t length : {1, 2, 7, 97, 512, 600, 1024}) {
    for (const bool inverse : {false, true}) {
      INFO("length " << length << ", inverse " << inverse);
      const std::vector<float> x = signal_of(2 * length);
      Signal complex_x;
      for (int64_t i = 0; i < length; ++i)
        complex_x.emplace_back(x[static_cast<size_t>(2 * i)], x[static_cast<size_t>(2 * i + 1)]);
      const std::vector<float> y = imported_and_run(dft(length, 2, inverse, false), x);
      REQUIRE(std::ssize(y) == 2 * length);
      CHECK(worst_difference(y, expected_transform(complex_x, inverse)) < 2e-4);
    }
  }
}

TEST_CASE("The inverse of a onesided DFT returns the signal") {
  for (const int64_t length : {8, 640}) {
    const std::vector<float> x = signal_of(length);
    const std::vector<float> spectrum = imported_and_run(dft(length, 1, false, true), x);
    REQUIRE(std::ssize(spectrum) == length + 2);
    const std::vector<float> back = imported_and_run(dft(length / 2 + 1, 2, true, true), spectrum);
    REQUIRE(back.size() == x.size());
    for (size_t i = 0; i < x.size(); ++i) CHECK(back[i] == Approx(x[i]).margin(1e-4));
  }
}

TEST_CASE("A long transform needs fewer weights than its full matrix") {
  const auto graph = dft(4096, 2, false, false).import();
  INFO(graph.error().to_string());
  REQUIRE(graph);
  size_t bytes = 0;
  for (compiler::ValueId id = 0; id < static_cast<compiler::ValueId>(graph->num_values()); ++id)
    if (graph->value(id).is_constant()) bytes += graph->value(id).constant->size();
  CHECK(bytes < 8 << 20);  // the full matrix occupies 256 MB
}

TEST_CASE("An STFT transforms every frame of its signal times the window") {
  // Covers a Conv, and two steps with frames that overlap by whole strips and frames that do not.
  for (const auto& [samples, length, step] :
       {std::tuple<int64_t, int64_t, int64_t>{128, 16, 8}, {3000, 1024, 256}, {3000, 1024, 300}}) {
    INFO("frames of " << length << " every " << step);
    const std::vector<float> x = signal_of(samples), y = imported_and_run(stft(samples, length, step), x);
    const auto frames = (samples - length) / step + 1, bins = length / 2 + 1;
    REQUIRE(std::ssize(y) == frames * bins * 2);
    for (int64_t frame = 0; frame < frames; ++frame) {
      Signal cut;
      for (int64_t i = 0; i < length; ++i)
        cut.emplace_back(double{x[static_cast<size_t>(frame * step + i)]} * static_cast<double>(i % 7 + 1) / 7);
      const auto first = y.begin() + frame * bins * 2;
      CHECK(worst_difference({first, first + bins * 2}, expected_transform(cut, false)) < 2e-4);
    }
  }
}

TEST_CASE("Frames that do not fit into the signal are rejected") {
  CHECK_THAT(message_of(stft(100, 128, 8)), Catch::Contains("frames of 128 every 8 do not fit into 100 samples"));
  CHECK_THAT(message_of(stft(200, 128, 0)), Catch::Contains("frames of 128 every 0"));
}

}  // namespace
}  // namespace nestrt::test
