// SPDX-License-Identifier: Apache-2.0
// Runs every shared network, compiled in memory, and checks that a run allocates no memory.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "compiler-lite/compile.h"
#include "nestrt/open_units.h"
#include "nestrt/session.h"
#include "test/support/process/allocation_counter.h"
#include "test/support/shared_data.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

using std::filesystem::path;

constexpr uintmax_t kSmall = 1 << 20;  // size limit of the models in quick runs, in bytes

std::vector<path> models_in(const path& folder) {
  std::vector<path> models;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const bool wanted = entry.path().extension() == ".onnx";
    if (wanted && (test_level() != TestLevel::kQuick || entry.file_size() < kSmall)) models.push_back(entry.path());
  }
  std::sort(models.begin(), models.end());
  return models;
}

compiler::CompileOptions options_for(const path& model) {
  compiler::CompileOptions options;
  if (model.filename() == "ch_PP-OCRv4_det_infer.onnx") options.import.input_shapes["x"] = {1, 3, 320, 320};
  if (model.filename() == "silero_vad_v5.onnx") {
    options.import.input_shapes["input"] = {1, 512};
    options.import.input_shapes["state"] = {2, 1, 128};
    options.import.bindings["sr"] = {DataType::kS64, Shape(), compiler::to_bytes(std::vector<int64_t>{16000})};
  }
  return options;
}

// Zero-filled inputs, and buffers for the outputs.
struct Arguments {
  std::vector<std::vector<std::byte>> memory;
  std::vector<ConstTensorView> inputs;
  std::vector<TensorView> outputs;

  explicit Arguments(const Session& session) {
    for (const TensorInfo& info : session.inputs())
      inputs.emplace_back(info.type, info.shape, memory.emplace_back(info.size_bytes()).data());
    for (const TensorInfo& info : session.outputs())
      outputs.push_back({info.type, info.shape, memory.emplace_back(info.size_bytes()).data()});
  }
};

// Counts the allocations of one run. This includes the first run of a session, because create() reserves everything.
int64_t allocations_of_run(Session& session) {
  Arguments arguments(session);
  const AllocationCounter counter;
  const Status status = session.run(arguments.inputs, arguments.outputs);
  const int64_t allocations = counter.count();
  CHECK(status.ok());
  return allocations;
}

void expect_no_allocation(const path& model) {
  INFO(model.string());
  const auto compiled = compiler::compile(model, options_for(model));
  if (!compiled) FAIL(compiled.error().to_string());
  const auto plan = Plan::from_memory(compiled->span());
  const auto units = open_units("cpu", {.num_threads = 2});
  REQUIRE(plan);
  REQUIRE(units);
  const auto session = Session::create(*plan, *units);
  if (!session) FAIL(session.error().to_string());
  CHECK(allocations_of_run(**session) == 0);
}

TEST_CASE("Runs of the shared networks allocate nothing") {
  const auto folder = shared_data("models");
  if (!folder) return;
  for (const path& model : models_in(*folder)) expect_no_allocation(model);
}

TEST_CASE("Runs of the shared networks with generated weights allocate nothing") {
  const auto folder = shared_data("onnx_light");
  if (!folder) return;
  if (test_level() == TestLevel::kNightly) {  // weights of half a gigabyte
    for (const path& model : models_in(*folder)) expect_no_allocation(model);
  } else {
    expect_no_allocation(*folder / "light_squeezenet.onnx");
  }
}

}  // namespace
}  // namespace nestrt::test
