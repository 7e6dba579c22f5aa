// SPDX-License-Identifier: Apache-2.0
// Compares results with both kinds of LiteRT kernels. A shell script replaces the Python interpreter and returns
// recorded arrays.
#include <catch2/catch.hpp>

#include <filesystem>

#include "compiler-lite/check/check.h"
#include "compiler-lite/compile.h"
#include "test/compiler-lite/import/tflite/lite_models.h"
#include "test/support/process/temporary_folder.h"
#include "tools/support/text/files.h"
#include "tools/support/text/npy.h"

namespace nestrt::test {
namespace {

using Elements = std::vector<int8_t>;

// Multiplies (x - 1) / 2 by 5/2, in steps of 5/2, with a zero point of -7.
LiteWriter product_model() {
  LiteWriter model;
  const int32_t x = model.input("x", {1, 1, 4, 1}, LiteType::INT8, {{0.5f}, {1}});
  const int32_t gate = model.constant("gate", {1}, LiteType::INT8, Elements{8}, {{0.25f}, {-2}});
  const int32_t y = model.tensor("y", {1, 1, 4, 1}, LiteType::INT8, {{2.5f}, {-7}});
  model.add(LiteOp::MUL, {x, gate}, {y}).output(y);
  return model;
}

struct RecordedLiteRt {
  TemporaryFolder folder;

  std::string path(const std::string& name) const { return folder.path() + "/" + name; }
  void write(const std::string& name, const Elements& elements) const {
    const ConstTensorView view{DataType::kS8, Shape{1, 1, 4, 1}, elements.data()};
    REQUIRE(tools::write_npy(path(name), view).ok());
  }
  // Returns the result of a check of the plan on x = {2, 4, -4, 127}. `response`: what the interpreter writes to
  // response.json.
  Result<compiler::CheckReport> check(const std::string& response) const {
    write("x.npy", {2, 4, -4, 127});
    REQUIRE(tools::write_file(path("model.tflite"), product_model().bytes()).ok());
    const auto plan = compiler::compile(path("model.tflite"), {});
    INFO(plan.error().to_string());
    REQUIRE(plan);
    REQUIRE(tools::write_file(path("model.nest"), plan->span()).ok());
    folder.write_text("response.json", response);
    const std::string python = folder.write_text(
        "python", "#!/bin/sh\ncp '" + folder.path() + "'/*.npy '" + folder.path() + "/response.json' \"$2\"\n");
    std::filesystem::permissions(python, std::filesystem::perms::owner_all);
    compiler::CheckOptions options;
    options.model = path("model.tflite"), options.plan = path("model.nest"), options.python = python;
    options.inputs = {{"x", path("x.npy")}};
    return compiler::check(options);
  }
};

TEST_CASE("A check counts the elements that are equal to those of each kind of LiteRT kernels") {
  const RecordedLiteRt litert;
  litert.write("default.npy", {-7, -5, -9, 56});
  litert.write("reference.npy", {-6, -5, -10, 56});
  const auto report = litert.check(R"([[{"y": "default.npy"}], [{"y": "reference.npy"}]])");
  INFO(report.error().to_string());
  REQUIRE(report);
  REQUIRE(report->kernels);
  CHECK(report->kernels->elements == 4);
  CHECK(report->kernels->equal_default == 4);
  CHECK(report->kernels->equal_reference == 2);
  CHECK(report->kernels->between_both == 2);
}

TEST_CASE("A check needs no reference kernels for models without integers") {
  const RecordedLiteRt litert;
  litert.write("default.npy", {-7, -5, -9, 56});
  const auto report = litert.check(R"([[{"y": "default.npy"}], []])");
  REQUIRE(report);
  CHECK(!report->kernels);
}

TEST_CASE("A check fails if the interpreter's response lacks a kind of kernels or a run") {
  const RecordedLiteRt litert;
  litert.write("default.npy", {-7, -5, -9, 56});
  CHECK(litert.check(R"([[{"y": "default.npy"}]])").error().code() == Code::kInternal);
  CHECK(litert.check(R"([[{"y": "default.npy"}], [{}, {}]])").error().code() == Code::kInternal);
}

}  // namespace
}  // namespace nestrt::test
