// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/check/onnx_runtime.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "test/compiler-lite/check/existing_python.h"
#include "test/support/example_files.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::compiler {
namespace {

using test::existing_python;

tools::Array zeros(const Shape& shape) {
  return {DataType::kF32, shape, std::vector<std::byte>(static_cast<size_t>(shape.num_elements()) * 4)};
}

}  // namespace

TEST_CASE("A broken interpreter makes ONNX Runtime unavailable, and the error contains the remedy") {
  const std::string python = GENERATE("/no/such/python", "false");
  const auto result = run_onnx_runtime({python, nestrt::test::kDemoModel, {{}}, {}});
  REQUIRE_FALSE(result);
  REQUIRE(result.error().code() == Code::kUnavailable);
  REQUIRE(result.error().message().find("--python") != std::string_view::npos);
}

TEST_CASE("An interpreter killed by a signal is reported with the signal") {
  const test::TemporaryFolder folder;
  const std::string program = folder.write_text("dies", "#!/bin/sh\nkill -SEGV $$\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const auto result = run_onnx_runtime({program, nestrt::test::kDemoModel, {{}}, {}});
  REQUIRE_FALSE(result);
  REQUIRE(result.error().code() == Code::kUnavailable);
  REQUIRE(result.error().message().find("killed by signal 11") != std::string_view::npos);
}

TEST_CASE("A model whose inputs differ from the plan's is distinguished from a model that fails") {
  const std::string python = existing_python();
  if (python.empty()) return;
  const auto message = [&](const NamedArrays& inputs) {
    const auto result = run_onnx_runtime({python, nestrt::test::kDemoModel, {inputs}, {}});
    REQUIRE_FALSE(result);
    return std::string(result.error().message());
  };
  CHECK(message({{"data", zeros({1, 3, 32, 32})}}).find("has no input 'data'") != std::string::npos);
  CHECK(message({{"image", zeros({1, 3, 64, 64})}}).find("the same network") != std::string::npos);
  CHECK(message({}).find("the plan has no input 'image'") != std::string::npos);
}

TEST_CASE("ONNX Runtime's message is reported if it rejects a model") {
  const std::string python = existing_python();
  if (python.empty()) return;
  const auto result = run_onnx_runtime({python, NESTRT_SOURCE_DIR "/LICENSE", {{}}, {}});
  REQUIRE_FALSE(result);
  REQUIRE(result.error().code() == Code::kInvalidModel);
}

TEST_CASE("ONNX Runtime returns the outputs of every run and the requested intermediate values") {
  const std::string python = existing_python();
  if (python.empty()) return;
  const NamedArrays inputs = {{"image", zeros({1, 3, 32, 32})}};
  const auto outputs =
      run_onnx_runtime({python, nestrt::test::kDemoModel, {inputs, inputs}, {"conv1", "no such value"}});
  INFO(outputs.error().to_string());
  REQUIRE(outputs);
  REQUIRE(outputs->size() == 2);
  REQUIRE(outputs->front().size() == 2);  // the output, and conv1
  const tools::Array& scores = outputs->front().at("probabilities");
  REQUIRE(scores.shape.num_elements() == 10);
  REQUIRE(scores.bytes == outputs->back().at("probabilities").bytes);
}

}  // namespace nestrt::compiler
