// SPDX-License-Identifier: Apache-2.0
// Measures FrameConverter, for script/reports/preprocessing-report. Writes the converted input to a file, and prints
// the fastest and the median time in microseconds.
//
//   bench_frames FRAME FORMAT WIDTH HEIGHT SIDE MODE THREADS RUNS OUTPUT
//   FORMAT: bgr or nv12; MODE: plain or antialias (stretched to SIDE x SIDE), or letterbox
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "nestrt/frame_converter.h"
#include "nestrt/open_units.h"
#include "test/support/plan/plan_builder.h"

namespace nestrt::test {
namespace {

PlanFile plan_for(int64_t side, const std::string& mode) {
  PlanBuilder builder;
  const Shape shape{1, 3, side, side};
  const int image = builder.input("image", shape), y = builder.output("y", shape);
  builder.op("relu", ops::Unary{}, {image}, {y});
  Preprocessing preprocessing{.mean = {123.675f, 116.28f, 103.53f}, .scale = {1 / 58.f, 1 / 58.f, 1 / 58.f}};
  preprocessing.letterbox = mode == "letterbox";
  preprocessing.pad = mode == "letterbox" ? 114 : 0;
  preprocessing.antialias = mode == "antialias";
  builder.tables().inputs[0].preprocessing = preprocessing;
  return builder.build();
}

int measure(char** arguments) {
  std::ifstream file(arguments[0], std::ios::binary);
  const std::vector<char> pixels(std::istreambuf_iterator<char>(file), {});
  const bool is_nv12 = std::string(arguments[1]) == "nv12";
  const int width = std::atoi(arguments[2]), height = std::atoi(arguments[3]), side = std::atoi(arguments[4]);
  if (pixels.size() != static_cast<size_t>(width * height * (is_nv12 ? 3 : 6) / 2)) return 1;
  const Frame frame{.format = is_nv12 ? PixelFormat::kNv12 : PixelFormat::kBgr,
                    .width = width,
                    .height = height,
                    .planes = {reinterpret_cast<const uint8_t*>(pixels.data())}};
  const PlanFile plan_file = plan_for(side, arguments[5]);
  const auto plan = Plan::from_memory(plan_file.bytes());
  const auto units = open_units("cpu", {.num_threads = std::atoi(arguments[6])});
  if (!plan || !units) return 1;
  auto converter = FrameConverter::create(**plan, 0, *units);
  std::vector<float> values(static_cast<size_t>(3 * side * side));
  std::vector<double> times(static_cast<size_t>(std::atoi(arguments[7])));
  for (double& time : times) {
    const auto start = std::chrono::steady_clock::now();
    if (!converter || !converter->convert(frame, tensor_view(values, (*plan)->inputs()[0].shape)).ok()) return 1;
    time = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  }
  std::ranges::sort(times);
  std::printf("%.1f %.1f\n", times.front(), times[times.size() / 2]);
  std::ofstream(arguments[8], std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(float)));
  return 0;
}

}  // namespace
}  // namespace nestrt::test

int main(int count, char** arguments) {
  if (count == 10) return nestrt::test::measure(arguments + 1);
  std::fprintf(stderr, "usage: bench_frames FRAME FORMAT WIDTH HEIGHT SIDE MODE THREADS RUNS OUTPUT\n");
  return 2;
}
