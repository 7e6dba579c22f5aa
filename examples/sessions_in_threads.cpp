// SPDX-License-Identifier: Apache-2.0
// Runs several sessions of one plan, each in its own thread: sessions_in_threads PLAN [THREADS]
//
// The sessions share the plan (its weights are mapped once) and the units (one thread pool); each has its own
// activations. All threads run the same inputs, so they must compute the same outputs, bit for bit.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "nestrt/open_units.h"
#include "nestrt/plan.h"
#include "nestrt/session.h"

namespace {

constexpr int kRuns = 20;

using Tensors = std::vector<std::vector<float>>;

Tensors make_tensors(std::span<const nestrt::TensorInfo> infos, float fill) {
  Tensors tensors;
  for (const nestrt::TensorInfo& info : infos) tensors.emplace_back(info.size_bytes() / sizeof(float), fill);
  return tensors;
}

// Creates a session, runs it kRuns times and returns the outputs of the last run.
nestrt::Result<Tensors> run_session(const std::shared_ptr<const nestrt::Plan>& plan, const nestrt::UnitList& units) {
  NESTRT_ASSIGN_OR_RETURN(const auto session, nestrt::Session::create(plan, units));
  Tensors inputs = make_tensors(session->inputs(), 0.25f);
  Tensors outputs = make_tensors(session->outputs(), 0.0f);
  std::vector<nestrt::ConstTensorView> input_views;
  std::vector<nestrt::TensorView> output_views;
  for (size_t i = 0; i < inputs.size(); ++i) {
    input_views.push_back({session->inputs()[i].type, session->inputs()[i].shape, inputs[i].data()});
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    output_views.push_back({session->outputs()[i].type, session->outputs()[i].shape, outputs[i].data()});
  }
  for (int run = 0; run < kRuns; ++run) NESTRT_RETURN_IF_ERROR(session->run(input_views, output_views));
  return outputs;
}

nestrt::Result<int> count_equal(const char* plan_path, int num_threads) {
  NESTRT_ASSIGN_OR_RETURN(const auto plan, nestrt::Plan::map(plan_path));
  NESTRT_ASSIGN_OR_RETURN(const auto units, nestrt::open_units("cpu"));
  NESTRT_ASSIGN_OR_RETURN(const Tensors expected, run_session(plan, units));
  std::atomic<int> equal = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < num_threads; ++i) {
    threads.emplace_back([&] {
      const auto outputs = run_session(plan, units);
      if (!outputs) {
        std::fprintf(stderr, "sessions_in_threads: %s\n", outputs.error().to_string().c_str());
      } else if (*outputs == expected) {
        ++equal;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return equal.load();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: sessions_in_threads PLAN [THREADS]\n");
    return 2;
  }
  const int num_threads = argc > 2 ? std::atoi(argv[2]) : 4;
  const auto equal = count_equal(argv[1], num_threads);
  if (!equal) {
    std::fprintf(stderr, "sessions_in_threads: %s\n", equal.error().to_string().c_str());
    return 2;
  }
  std::printf("%d of %d threads computed the same outputs in %d runs each\n", *equal, num_threads, kRuns);
  return *equal == num_threads ? 0 : 1;
}
