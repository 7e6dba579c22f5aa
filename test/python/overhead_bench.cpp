// SPDX-License-Identifier: Apache-2.0
// Measures the C++ side for script/bench/bench-python: overhead PLAN RUNS. For each line of standard input, prints the
// median time of RUNS runs of the plan on one thread, in microseconds.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "nestrt/open_units.h"
#include "nestrt/session.h"
#include "runtime/core/tensor_set.h"

namespace {

using Clock = std::chrono::steady_clock;

double median_us(nestrt::Session& session, const nestrt::TensorSet& inputs, const nestrt::TensorSet& outputs,
                 int runs) {
  constexpr int kWarmup = 20;
  const std::vector<nestrt::ConstTensorView> input_views = inputs.const_views();
  std::vector<double> times;
  for (int i = 0; i < runs + kWarmup; ++i) {
    const Clock::time_point start = Clock::now();
    if (!session.run(input_views, outputs.views()).ok()) std::exit(1);
    if (i >= kWarmup) times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
  return times[static_cast<size_t>(runs) / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 || std::atoi(argv[2]) < 1) return 2;
  const auto plan = nestrt::Plan::map(argv[1]);
  const auto units = nestrt::open_units("cpu", {.num_threads = 1});
  if (!plan || !units) return 2;
  nestrt::SessionOptions options;
  options.costs.keep = false;
  const auto session = nestrt::Session::create(*plan, *units, options);
  if (!session) return 2;
  const auto inputs = nestrt::TensorSet::random((*session)->inputs());
  const auto outputs = nestrt::TensorSet::create((*session)->outputs());
  if (!inputs || !outputs) return 2;
  while (std::getchar() != EOF) {
    std::printf("%.3f\n", median_us(**session, *inputs, *outputs, std::atoi(argv[2])));
    std::fflush(stdout);
  }
}
