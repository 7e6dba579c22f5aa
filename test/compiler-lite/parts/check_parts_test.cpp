// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/parts/check_parts.h"

#include <onnx/onnx_pb.h>

#include <catch2/catch.hpp>
#include <span>

#include "compiler-lite/import/import.h"
#include "compiler-lite/parts/export_parts.h"
#include "compiler-lite/quantize/profile.h"
#include "test/compiler-lite/check/existing_python.h"
#include "test/support/example_files.h"
#include "test/support/process/temporary_folder.h"
#include "tools/support/text/files.h"
#include "tools/support/text/npy.h"

namespace nestrt::compiler {
namespace {

using Catch::Matchers::Contains;

// The project's demo network in two parts.
class DemoParts {
 public:
  DemoParts() {
    const auto graph = import_onnx(nestrt::test::kDemoModel);
    REQUIRE(graph);
    PartSpec first{"first", "CPU", {}};
    for (uint32_t op = 0; op < 20; ++op) first.operators.push_back(op);
    const auto parts = cut(*graph, {first});
    REQUIRE(parts);
    PartsOptions options;
    options.model_digest = model_digest(nestrt::test::kDemoModel).value();
    const auto manifest = export_parts(*graph, *parts, options, [&](const std::string& file, std::string_view bytes) {
      folder_.write(file, std::as_bytes(std::span(bytes)));
      return Status();
    });
    REQUIRE(manifest);
    folder_.write_text("manifest.json", manifest->to_json().value());
  }
  std::string path(const std::string& file) const { return folder_.path() + "/" + file; }
  const test::TemporaryFolder& folder() const { return folder_; }
  CheckPartsOptions options(const std::string& python) const {
    CheckPartsOptions options;
    options.model = nestrt::test::kDemoModel;
    options.manifest = path("manifest.json");
    options.python = python;
    return options;
  }

 private:
  test::TemporaryFolder folder_;
};

CheckPartsReport checked_parts(const CheckPartsOptions& options) {
  auto report = check_parts(options);
  INFO(report.error().to_string());
  REQUIRE(report);
  return std::move(*report);
}

}  // namespace

TEST_CASE("Parts match their model on random inputs, arrays, images and files") {
  const std::string python = test::existing_python();
  if (python.empty()) return;
  const DemoParts parts;
  CheckPartsOptions options = parts.options(python);
  options.random_runs = 2;
  CheckPartsReport report = checked_parts(options);
  CHECK(report.matches);
  CHECK(report.runs == std::vector<std::string>{"random 0", "random 1"});
  REQUIRE(report.outputs.size() == 2);
  CHECK(report.outputs[0].name == "probabilities");
  CHECK(report.outputs[0].difference.largest > 0);

  options.random_runs = 0;
  options.samples.images = NESTRT_SOURCE_DIR "/examples/images";
  options.samples.limit = 3;
  report = checked_parts(options);
  CHECK(report.matches);
  CHECK(report.runs.size() == 3);

  const std::vector<float> zeros(3 * 32 * 32);
  REQUIRE(tools::write_npy(parts.path("x.npy"), {DataType::kF32, {1, 3, 32, 32}, zeros.data()}).ok());
  options.samples = {};
  options.inputs = {{"image", parts.path("x.npy")}};
  CHECK(checked_parts(options).runs == std::vector<std::string>{"files"});
}

TEST_CASE("A part with different results is detected, by output and run") {
  const std::string python = test::existing_python();
  if (python.empty()) return;
  const DemoParts parts;
  const auto bytes = tools::read_file(parts.path("rest0.onnx"));
  REQUIRE(bytes);
  onnx::ModelProto model;
  REQUIRE(model.ParseFromArray(bytes->data(), static_cast<int>(bytes->size())));
  for (onnx::NodeProto& node : *model.mutable_graph()->mutable_node())
    if (node.op_type() == "Relu") node.set_op_type("Abs");
  const std::string changed = model.SerializeAsString();
  parts.folder().write("rest0.onnx", std::as_bytes(std::span(changed)));
  const CheckPartsReport report = checked_parts(parts.options(python));
  CHECK_FALSE(report.matches);
  CHECK_FALSE(report.outputs[0].matches);
  CHECK(report.outputs[0].difference.max_absolute > 1e-5);
}

TEST_CASE("Parts are only checked against the model that they were created from") {
  const DemoParts parts;
  CheckPartsOptions options = parts.options("no interpreter is needed");
  options.model = NESTRT_SOURCE_DIR "/LICENSE";
  const auto report = check_parts(options);
  REQUIRE_FALSE(report);
  CHECK(report.error().code() == Code::kInvalidArgument);
  CHECK_THAT(std::string(report.error().message()), Contains("do not belong to"));
}

TEST_CASE("Missing inputs and an empty set of runs are reported before anything runs") {
  const DemoParts parts;
  CheckPartsOptions options = parts.options("no interpreter is needed");
  const std::vector<float> zeros(4);
  REQUIRE(tools::write_npy(parts.path("x.npy"), {DataType::kF32, {4}, zeros.data()}).ok());
  options.inputs = {{"toast", parts.path("x.npy")}};
  CHECK_THAT(check_parts(options).error().to_string(), Contains("no file for input image"));
  options.inputs.clear();
  options.random_runs = 0;
  CHECK_THAT(check_parts(options).error().to_string(), Contains("nothing to run"));
}

TEST_CASE("A difference within the tolerance of the largest element, or of 1, is accepted") {
  Difference difference;
  difference.max_absolute = 2e-5;
  CHECK_FALSE(parts_match(difference, 1e-5));
  difference.largest = 2;
  CHECK(parts_match(difference, 1e-5));
  difference.largest = 1e-4;
  difference.max_absolute = 1e-5;
  CHECK(parts_match(difference, 1e-5));
}

}  // namespace nestrt::compiler
