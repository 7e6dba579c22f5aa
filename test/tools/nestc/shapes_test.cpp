// SPDX-License-Identifier: Apache-2.0
// Tests plans for several shapes on the command line.
#include <catch2/catch.hpp>
#include <filesystem>

#include "nestrt/plan.h"
#include "test/compiler-lite/check/existing_python.h"
#include "test/compiler-lite/import/model_builder.h"
#include "test/support/plan/program.h"
#include "test/support/process/temporary_folder.h"
#include "tools/support/text/files.h"
#include "tools/support/text/npy.h"

namespace nestrt::test {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;

// Returns a convolution over any number of images of any size, with weights large enough to share.
std::string model_of_any_size() {
  ModelBuilder model;
  model.input("x", {-1, 8, -1, -1}).output("y");
  model.constant("w", {64, 8, 3, 3}, std::vector<float>(64 * 8 * 9, 0.5F));
  model.node("Conv", {"x", "w"}, {"y"}, "conv");
  return model.bytes();
}

class Workshop {
 public:
  Workshop() : model_(folder_.write("model.onnx", std::as_bytes(std::span(bytes_)))) {}
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  ProgramResult compile(const std::string& plan, const std::vector<std::string>& shapes) const {
    std::vector<std::string> arguments = {"compile", model_, "-o", path(plan), "--target", "host"};
    for (const std::string& shape : shapes) arguments.insert(arguments.end(), {"--input-shape", shape});
    return run_program("nestc", arguments);
  }
  std::string array(const std::string& name, const Shape& shape) const {
    const std::vector<float> ones(static_cast<size_t>(shape.num_elements()), 1);
    const auto file = tools::format_npy({DataType::kF32, shape, ones.data()});
    return folder_.write(name, file);
  }
  std::string path_of_model() const { return model_; }
  std::vector<std::byte> content(const std::string& name) const { return *tools::read_file(path(name)); }

 private:
  const TemporaryFolder folder_;
  const std::string bytes_ = model_of_any_size();
  const std::string model_;
};

TEST_CASE("One plan runs all compiled shapes and stores its weights once") {
  const Workshop workshop;
  REQUIRE(workshop.compile("one.nest", {"x=1,8,10,10"}).exit_code == 0);
  const ProgramResult compiled = workshop.compile("all.nest", {"x=1,8,10,10", "x=4,8,10,10", "x=1,8,20,20"});
  INFO(compiled.text);
  REQUIRE(compiled.exit_code == 0);
  const auto plan = Plan::map(workshop.path("all.nest"), Verification::kComplete);
  REQUIRE(plan);
  CHECK((*plan)->shapes().size() == 3);
  const size_t one = fs::file_size(workshop.path("one.nest")), all = fs::file_size(workshop.path("all.nest"));
  CHECK(all < one + 3 * 4096);

  for (const Shape& shape : {Shape{1, 8, 20, 20}, Shape{4, 8, 10, 10}, Shape{1, 8, 10, 10}}) {
    const std::string array = workshop.array("x.npy", shape);
    CHECK(run_program("nestrt", {"bench", workshop.path("all.nest"), "--runs", "1", "--input", array}).exit_code == 0);
    const ProgramResult run =
        run_program("nestrt", {"run", workshop.path("all.nest"), "--input", array, "--output", workshop.path("out")});
    INFO(run.text);
    CHECK(run.exit_code == 0);
    const auto result = tools::read_npy(workshop.path("out/y.npy"));
    REQUIRE(result);
    CHECK(result->shape == Shape{shape[0], 64, shape[2] - 2, shape[3] - 2});
    CHECK(result->view().data != nullptr);
    CHECK(static_cast<const float*>(result->view().data)[0] == 36);
  }
  const ProgramResult wrong =
      run_program("nestrt", {"run", workshop.path("all.nest"), "--input", workshop.array("x.npy", {2, 8, 10, 10})});
  CHECK(wrong.exit_code == 2);
}

TEST_CASE("nestc check runs each shape of a plan or the requested one") {
  const std::string python = existing_python();
  if (python.empty()) return;
  const Workshop workshop;
  const std::string plan = workshop.path("both.nest");
  REQUIRE(workshop.compile("both.nest", {"x=1,8,10,10", "x=1,8,20,20"}).exit_code == 0);
  const auto check = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"check", workshop.path_of_model(), plan, "--python", python};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program("nestc", arguments);
  };
  const ProgramResult all = check({}), second = check({"--shape", "2"}), missing = check({"--shape", "3"});
  CHECK(all.exit_code == 0);
  CHECK_THAT(all.text, Contains("shape 1 of 2") && Contains("shape 2 of 2"));
  CHECK(second.exit_code == 0);
  CHECK_THAT(second.text, !Contains("shape 1") && Contains("matches ONNX Runtime"));
  CHECK(missing.exit_code == 2);
  CHECK_THAT(missing.text, Contains("the plan has 2 shapes"));
  const std::string ten = "x=" + workshop.array("ten.npy", {1, 8, 10, 10});
  const ProgramResult unclear = check({"--input", ten});
  CHECK(unclear.exit_code == 2);
  CHECK_THAT(unclear.text, Contains("select one with --shape"));
  CHECK(check({"--input", ten, "--shape", "1"}).exit_code == 0);
}

TEST_CASE("nestrt simulate uses the requested shape") {
  const Workshop workshop;
  const std::string plan = workshop.path("both.nest");
  REQUIRE(workshop.compile("both.nest", {"x=1,8,10,10", "x=1,8,40,40"}).exit_code == 0);
  const auto latency = [&](const std::string& shape) {
    const std::string json = workshop.path("figures.json");
    const ProgramResult result = run_program("nestrt", {"simulate", plan, "--shape", shape, "--json", json});
    INFO(result.text);
    REQUIRE(result.exit_code == 0);
    const std::vector<std::byte> bytes = workshop.content("figures.json");
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size()), key = "\"cpu_only_ms\":";
    return std::stod(text.substr(text.find(key) + key.size()));
  };
  CHECK(latency("2") > 4 * latency("1"));
  CHECK(run_program("nestrt", {"simulate", plan, "--shape", "3"}).exit_code == 2);
}

TEST_CASE("A plan of one shape is identical whether or not --shape is given") {
  const Workshop workshop;
  REQUIRE(workshop.compile("one.nest", {"x=1,8,10,10"}).exit_code == 0);
  REQUIRE(workshop.compile("again.nest", {"x=1,8,10,10"}).exit_code == 0);
  CHECK(workshop.content("one.nest") == workshop.content("again.nest"));
  CHECK((*Plan::map(workshop.path("one.nest")))->shapes().empty());
}

TEST_CASE("Each shape of a plan can be selected by its number") {
  const Workshop workshop;
  REQUIRE(workshop.compile("all.nest", {"x=1,8,10,10", "x=4,8,10,10"}).exit_code == 0);
  const std::string plan = workshop.path("all.nest");
  const ProgramResult info = run_program("nestrt", {"info", plan});
  CHECK(info.exit_code == 0);
  for (const char* part : {"1x8x10x10", "4x8x10x10", "4x64x8x8"}) CHECK(info.text.find(part) != std::string::npos);
  const ProgramResult second = run_program("nestrt", {"info", plan, "--shape", "2"});
  CHECK(second.text.find("4x64x8x8") != std::string::npos);
  CHECK(run_program("nestrt", {"bench", plan, "--shape", "2", "--runs", "3", "--warmup", "1"}).exit_code == 0);
  CHECK(run_program("nestrt", {"bench", plan, "--shape", "3", "--runs", "3"}).exit_code == 2);
  const ProgramResult inspected = run_program("nestc", {"inspect", plan});
  CHECK(inspected.text.find("4x8x10x10") != std::string::npos);
  CHECK(run_program("nestrt", {"verify", plan}).exit_code == 0);
}

TEST_CASE("Inconsistent input shapes are rejected") {
  const Workshop workshop;
  const ProgramResult twice = workshop.compile("bad.nest", {"x=1,8,10,10", "x=1,8,10,10"});
  CHECK(twice.exit_code == 2);
  CHECK(twice.text.find("given twice") != std::string::npos);
  const ProgramResult unknown = workshop.compile("bad.nest", {"x=1,8,10,10", "x=2,8,10,10", "z=1"});
  CHECK(unknown.exit_code == 2);
  const ProgramResult impossible = workshop.compile("bad.nest", {"x=1,8,10,10", "x=1,8,1,1"});
  CHECK(impossible.exit_code == 2);
  CHECK_FALSE(fs::exists(workshop.path("bad.nest")));
}

}  // namespace
}  // namespace nestrt::test
