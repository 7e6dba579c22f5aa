// SPDX-License-Identifier: Apache-2.0
// Tests the reference vendor of examples/vendor on the command line, and compares results with the vendor's own tools.
#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "test/compiler-lite/import/model_builder.h"
#include "test/support/example_files.h"
#include "test/support/plan/program.h"
#include "test/support/process/temporary_folder.h"
#include "tools/support/text/files.h"
#include "tools/support/text/npy.h"

namespace nestrt::test {
namespace {

using Catch::Matchers::Contains;

constexpr const char* kCompiler = "../examples/vendor/reference-cc";  // relative to the commands

// The demo network and random inputs.
class VendorWorkshop {
 public:
  VendorWorkshop() {
    std::vector<float> x(3 * 32 * 32);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7919 % 257) / 64 - 2;
    REQUIRE(tools::write_npy(path("input.npy"), {DataType::kF32, {1, 3, 32, 32}, x.data()}).ok());
  }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const { return folder_.write_text(name, text); }

  ProgramResult compile(const std::vector<std::string>& more = {}, const std::string& unit = "reference") const {
    std::vector<std::string> arguments{"compile",  kDemoModel,
                                       "-o",       path("model.nest"),
                                       "--vendor", unit + "=" + kReferenceCompiler + " {input} -o {output}"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program("nestc", arguments);
  }
  ProgramResult run(const std::string& units = "reference,cpu") const {
    return run_program("nestrt", {"run", path("model.nest"), "--units", units, "--plugin", kReferencePlugin, "--input",
                                  path("input.npy"), "--output", path("out")});
  }
  // Returns the bytes of the results without the .npy header.
  std::string results() const {
    const auto bytes = tools::read_file(path("out") + "/probabilities.npy");
    REQUIRE(bytes);
    const std::string text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    return text.substr(text.size() - 10 * sizeof(float));
  }

 private:
  TemporaryFolder folder_;
};

void check_command(const ProgramResult& result, int exit_code, const std::string& part) {
  INFO(result.text);
  CHECK(result.exit_code == exit_code);
  CHECK_THAT(result.text, Contains(part));
}

std::string content_of(const std::string& path) {
  const auto bytes = tools::read_file(path);
  REQUIRE(bytes);
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

TEST_CASE("A vendor-compiled model gives the same results inside and outside of nestrt bit for bit") {
  const VendorWorkshop workshop;
  check_command(workshop.compile(), 0, "1 operators");
  check_command(workshop.run(), 0, "");
  check_command(run_program(kCompiler, {kDemoModel, "-o", workshop.path("alone")}), 0, "operators");
  check_command(run_program("../examples/vendor/reference-run",
                            {workshop.path("alone"), workshop.path("input.npy"), workshop.path("alone.raw")}),
                0, "");
  CHECK(workshop.results() == content_of(workshop.path("alone.raw")));
}

TEST_CASE("A vendor computes a part of a model and the CPU the rest") {
  const VendorWorkshop workshop;
  const std::string plan =
      workshop.write("parts.yaml", "parts:\n  - {name: all, backend: reference, operators: all}\n");
  check_command(workshop.compile({"--vendor-plan", plan}), 0, "1 operators");
  const std::string capability = workshop.write(
      "npu.yaml", "name: NPU\noperators:\n  Conv:\n  Relu:\n  MaxPool:\n  Concat:\nregion: {min_operators: 3}\n");
  check_command(workshop.compile({"--vendor-capability", capability}), 0, "operators");
  check_command(workshop.run(), 0, "");
  check_command(run_program("nestrt", {"info", workshop.path("model.nest"), "--units", "reference,cpu", "--plugin",
                                       kReferencePlugin}),
                0, "vendor.blob");
}

TEST_CASE("The rest of a network is quantized around a vendor's part with floating-point borders") {
  const VendorWorkshop workshop;
  const std::string capability =
      workshop.write("npu.yaml", "name: NPU\noperators:\n  MaxPool:\n  Concat:\nregion: {min_operators: 2}\n");
  check_command(workshop.compile(
                    {"--quantize", "s8", "--calibrate", workshop.path("input.npy"), "--vendor-capability", capability}),
                0, "s8: ");
  check_command(workshop.run(), 0, "");
}

TEST_CASE("An opaque branch is profiled on its vendor's unit, and a session keeps its cost") {
  const VendorWorkshop workshop;
  const std::string capability = workshop.write(
      "npu.yaml", "name: NPU\noperators:\n  Conv:\n  Relu:\n  MaxPool:\n  Concat:\nregion: {min_operators: 3}\n");
  check_command(workshop.compile({"--vendor-capability", capability}), 0, "operators");
  const std::vector<std::string> units{"--units", "reference,cpu", "--plugin", kReferencePlugin};
  const auto nestrt = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), units.begin(), units.end());
    return run_program("nestrt", arguments);
  };
  const std::string plan = workshop.path("model.nest");
  check_command(nestrt({"profile", plan, "-o", workshop.path("profiled"), "--max-runs", "2", "--count", "1"}), 0,
                "vendor0");
  check_command(nestrt({"bench", plan, "--runs", "2", "--cost-file", workshop.path("kept")}), 0, "");
  for (const char* file : {"profiled", "kept"}) {
    const std::string costs = content_of(workshop.path(file));
    CHECK_THAT(costs, Contains("unit\treference\tint8-2\t1"));
    CHECK_THAT(costs, Contains("measured\tOpaque"));
  }
}

TEST_CASE("nestc explain attributes opaque parts to their vendor and reports unknown costs as unknown") {
  const VendorWorkshop workshop;
  const std::string capability = workshop.write(
      "npu.yaml", "name: NPU\noperators:\n  Conv:\n  Relu:\n  MaxPool:\n  Concat:\nregion: {min_operators: 3}\n");
  check_command(workshop.compile({"--vendor-capability", capability}), 0, "operators");
  const std::string json = workshop.path("explained.json");
  const ProgramResult explained = run_program("nestc", {"explain", workshop.path("model.nest"), "--json", json});
  check_command(explained, 0, "that a vendor compiled, which the plan does not contain");
  CHECK_THAT(explained.text,
             Contains("has a program; no other unit does") && Contains("an estimate until nestrt profile"));
  CHECK_THAT(content_of(json), Contains("\"cost_origin\": \"unknown\""));
}

TEST_CASE("An opaque branch can be inspected without its unit and is not compared") {
  const VendorWorkshop workshop;
  check_command(workshop.compile(), 0, "operators");
  const std::string plan = workshop.path("model.nest");
  check_command(run_program("nestc", {"inspect", plan, "--json", workshop.path("plan.json"), "--html",
                                      workshop.path("plan.html")}),
                0, "reference");
  CHECK_THAT(content_of(workshop.path("plan.json")), Contains("\"kernel\": \"reference\""));
  check_command(run_program("nestrt", {"verify", plan, "--units", "reference,cpu", "--plugin", kReferencePlugin}), 1,
                "no other unit has a program for");
}

TEST_CASE("A plan with vendor programs is rejected without the vendor's unit or with a different plug-in") {
  const VendorWorkshop workshop;
  check_command(workshop.compile(), 0, "operators");
  check_command(workshop.run("cpu"), 2, "--plugin requires vendor units, but --units cpu has none");
  check_command(run_program("nestrt", {"run", workshop.path("model.nest")}), 2,
                "branch 0 has programs for reference, but the session's units are cpu");
  for (const std::string unit : {"other", "npu"})
    check_command(workshop.run(unit + ",cpu"), 2, "is for unit 'reference', not '" + unit + "'");
  check_command(workshop.compile({}, "another"), 0, "operators");
  check_command(workshop.run(), 2, "branch 0 has programs for another");
}

TEST_CASE("The reference vendor's plug-in passes the conformance suite on a plan") {
  const VendorWorkshop workshop;
  check_command(workshop.compile(), 0, "operators");
  check_command(run_program("nestrt", {"conformance", workshop.path("model.nest"), "--plugin", kReferencePlugin}), 0,
                "22 of 22 cases passed");
}

TEST_CASE("The reference vendor's unit passes the suite for units, also in isolation") {
  const VendorWorkshop workshop;
  check_command(workshop.compile(), 0, "operators");
  std::vector<std::string> arguments{"conformance",   workshop.path("model.nest"), "--units", "reference", "--plugin",
                                     kReferencePlugin};
  check_command(run_program("nestrt", arguments), 0, "9 of 9 cases passed");
  arguments.emplace_back("--isolate");
  check_command(run_program("nestrt", arguments), 0, "9 of 9 cases passed");
}

TEST_CASE("The reference vendor accepts a matrix product with any number of preceding operators") {
  const TemporaryFolder folder;
  for (int before = 0; before < 4; ++before) {
    ModelBuilder model;
    std::string x = "x";
    model.input(x, {1, 8}).output("y").constant("w", {8, 10}, std::vector<float>(80, 0.5f));
    for (int i = 0; i < before; ++i) {
      const std::string from = std::exchange(x, "relu" + std::to_string(i));
      model.node("Relu", {from}, {x});
    }
    model.node("Gemm", {x, "w"}, {"y"});
    const std::string path = folder.write_text("model.onnx", model.bytes());
    check_command(run_program("nestc", {"compile", path, "-o", folder.path() + "/model.nest", "--vendor",
                                        std::string("reference=") + kReferenceCompiler + " {input} -o {output}"}),
                  0, "compiled in");
  }
}

TEST_CASE("The form of the ONNX, calibration data and the report pass between nestc and the vendor's command") {
  const VendorWorkshop workshop;
  const std::string script = workshop.write(
      "cc.sh", "cp $1 $2; cp $1 $5.onnx; cp $3/calibration.npz $5.npz; echo \"{\\\"npu_share\\\": $6}\" > $4");
  const auto compile = [&](const std::string& share, std::vector<std::string> more) {
    more.insert(more.begin(), {"compile", kDemoModel, "-o", workshop.path("model.nest"), "--vendor",
                               "npu=sh " + script + " {input} {output} {calibration} {report} " +
                                   workshop.path("kept") + " " + share});
    return run_program("nestc", more);
  };
  const std::string profile = workshop.write("form.yaml", "producer: pytorch\nopset: 14\n");
  const std::string data = workshop.path("input.npy");
  check_command(compile("0.5", {"--vendor-data", data, "--vendor-profile", profile, "--vendor-opset", "19"}), 0,
                "part 'all': 50 % of the work is on the NPU");
  const auto model = import_bytes(content_of(workshop.path("kept.onnx")));
  REQUIRE(model);
  CHECK_THAT(content_of(workshop.path("kept.onnx")), Contains("pytorch"));
  CHECK_THAT(content_of(workshop.path("kept.npz")), Contains("(1, 3, 32, 32)"));
  check_command(compile("0.5", {}), 2, "add samples with --vendor-data");
  check_command(compile("0", {"--vendor-data", data}), 2, "compiled everything for the CPU");
  check_command(compile("0", {"--vendor-data", data, "--vendor-allow-cpu"}), 0, "0 % of the work is on the NPU");
  check_command(compile("1", {"--vendor-data", data, "--vendor-profile", data}), 2, "input.npy");
}

TEST_CASE("The vendor compiler's reason is reported, and contradictory options are rejected") {
  const VendorWorkshop workshop;
  check_command(run_program("nestc", {"compile", kDemoModel, "-o", workshop.path("x"), "--vendor",
                                      std::string("npu=") + kReferenceCompiler + " {output} -o {input}"}),
                2,
                "vendor 'npu', part 'all': its command ended with exit code 1; it printed: reference-cc: cannot read");
  check_command(workshop.compile({"--vendor-plan", workshop.write("parts.yaml", "parts: []"), "--vendor-optional"}), 2,
                "--vendor-plan excludes --vendor-optional");
}

}  // namespace
}  // namespace nestrt::test
