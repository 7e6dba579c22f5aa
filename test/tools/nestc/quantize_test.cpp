// SPDX-License-Identifier: Apache-2.0
// Tests nestc compile --quantize on the command line.
#include <catch2/catch.hpp>

#include <cstring>
#include <filesystem>

#include "nestrt/plan.h"
#include "runtime/plan/format/format.h"
#include "test/compiler-lite/import/model_builder.h"
#include "test/support/plan/program.h"
#include "test/support/process/temporary_folder.h"
#include "tools/support/text/files.h"
#include "tools/support/text/npy.h"

namespace nestrt::test {
namespace {

namespace fs = std::filesystem;

// Returns x -> first (relu) -> second -> y.
ModelBuilder two_convs(float weight) {
  ModelBuilder model;
  model.input("x", {1, 1, 4, 4}).output("y");
  model.constant("w1", {2, 1, 1, 1}, {weight, -0.5f}).constant("w2", {3, 2, 1, 1}, std::vector<float>(6, 0.3f));
  model.node("Conv", {"x", "w1"}, {"h"}, "first");
  model.node("Relu", {"h"}, {"r"}, "relu");
  model.node("Conv", {"r", "w2"}, {"y"}, "second");
  return model;
}

// A model, its calibration data, and an empty folder for output.
class QuantizeWorkshop {
 public:
  QuantizeWorkshop() {
    fs::create_directory(path("out"));
    fs::create_directory(path("empty"));
    write("model.onnx", two_convs(0.75f).bytes());
    write("other.onnx", two_convs(0.25f).bytes());
    std::vector<float> samples(5 * 16);
    for (size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<float>(i % 17) / 8 - 1;
    REQUIRE(tools::write_npy(path("samples.npy"), {DataType::kF32, {5, 1, 4, 4}, samples.data()}).ok());
  }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  void write(const std::string& name, const std::string& bytes) const {
    folder_.write(name, std::as_bytes(std::span(bytes)));
  }
  // Writes images.onnx, a convolution of an image.
  void write_image_model() const {
    ModelBuilder model;
    model.input("x", {1, 3, 8, 8}).output("y").constant("w", {2, 3, 1, 1}, {1, 2, 3, -1, -2, -3});
    model.node("Conv", {"x", "w"}, {"y"}, "conv");
    write("images.onnx", model.bytes());
  }
  ProgramResult compile(std::vector<std::string> options, const std::string& model = "model.onnx") const {
    options.insert(options.begin(), {"compile", path(model), "-o", plan()});
    return run_program("nestc", options);
  }
  ProgramResult quantize(std::vector<std::string> options) const {
    options.insert(options.begin(), {"--quantize", "s8", "--calibrate", path("samples.npy")});
    return compile(options);
  }
  std::string plan() const { return path("out/model.nest"); }
  std::vector<std::byte> plan_bytes() const {
    auto bytes = tools::read_file(plan());
    REQUIRE(bytes);
    return *bytes;
  }
  void check_refused(const ProgramResult& result, const std::string& part) const {
    INFO(result.text);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.text, Catch::Matchers::Contains(part));
    CHECK(fs::is_empty(path("out")));
  }

 private:
  TemporaryFolder folder_;
};

uint32_t features(const std::vector<std::byte>& plan) {
  plan_format::Header header;
  std::memcpy(&header, plan.data(), sizeof header);
  return header.features;
}

TEST_CASE("nestc quantizes a model, reports it, and marks the plan") {
  const QuantizeWorkshop workshop;
  REQUIRE(workshop.compile({}).exit_code == 0);
  CHECK(features(workshop.plan_bytes()) == 0);
  const ProgramResult result = workshop.quantize({});
  INFO(result.text);
  REQUIRE(result.exit_code == 0);
  CHECK_THAT(result.text, Catch::Matchers::Contains("s8: 2 operators") &&
                              Catch::Matchers::Contains(", calibrated and compiled in "));
  CHECK(features(workshop.plan_bytes()) == plan_format::kFeatureS8);
  const ProgramResult inspected = run_program("nestc", {"inspect", workshop.plan()});
  CHECK(inspected.exit_code == 0);
  CHECK_THAT(inspected.text, Catch::Matchers::Contains("s8 2^-6"));  // x in [-1, 1]
  const ProgramResult info = run_program("nestrt", {"info", workshop.plan()});
  CHECK_THAT(info.text, Catch::Matchers::Contains("s8 2^-6"));
}

TEST_CASE("nestc keeps the requested operators in f32 and reports them") {
  const QuantizeWorkshop workshop;
  const ProgramResult result = workshop.quantize({"--keep-f32", "first"});
  INFO(result.text);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.text, Catch::Matchers::Contains("s8: 1 operators, f32: 1") &&
                              Catch::Matchers::Contains("as asked; remove it from --keep-f32, or lower --min-snr"));
}

TEST_CASE("A saved profile gives the same plan as its calibration") {
  const QuantizeWorkshop workshop;
  REQUIRE(workshop.quantize({"--save-profile", workshop.path("p.yaml")}).exit_code == 0);
  const std::vector<std::byte> bytes = workshop.plan_bytes();
  REQUIRE(workshop.compile({"--quantize", "s8", "--calibrate", workshop.path("p.yaml")}).exit_code == 0);
  CHECK(workshop.plan_bytes() == bytes);
}

TEST_CASE("A profile stores its preprocessing, and the plan accepts no other") {
  const QuantizeWorkshop workshop;
  workshop.write_image_model();
  const std::string images = NESTRT_SOURCE_DIR "/examples/images", profile = workshop.path("p.yaml");
  const ProgramResult calibrated =
      run_program("nestc", {"calibrate", workshop.path("images.onnx"), "--images", images, "--limit", "2", "--mean",
                            "128,120,110", "--scale", "0.015625", "-o", profile});
  INFO(calibrated.text);
  REQUIRE(calibrated.exit_code == 0);
  const auto compile = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"--quantize", "s8", "--calibrate", profile});
    return workshop.compile(options, "images.onnx");
  };
  workshop.check_refused(
      compile({"--mean", "0"}),
      "was calibrated with --mean 128,120,110 --scale 0.015625, but the options specify unchanged pixels");
  const ProgramResult result = compile({});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.text, Catch::Matchers::Contains("--mean 128,120,110 --scale 0.015625"));
  const std::vector<std::byte> bytes = workshop.plan_bytes();
  const auto plan = Plan::map(workshop.plan());
  REQUIRE(plan);
  REQUIRE((*plan)->preprocessing(0) != nullptr);
  CHECK((*plan)->preprocessing(0)->mean == std::vector<float>{128, 120, 110});
  CHECK(compile({"--mean", "128,120,110", "--scale", "0.015625"}).exit_code == 0);
  CHECK(workshop.plan_bytes() == bytes);
}

TEST_CASE("Calibration with unchanged pixels is reported") {
  const QuantizeWorkshop workshop;
  const std::string images = NESTRT_SOURCE_DIR "/examples/images";
  const ProgramResult result =
      workshop.compile({"--quantize", "s8", "--calibrate", images, "--calibration-limit", "2"});
  INFO(result.text);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.text, Catch::Matchers::Contains("pixels from 0 to 255"));
  const ProgramResult of_unit_pixels =
      workshop.compile({"--quantize", "s8", "--calibrate", images, "--mean", "0.485,0.456,0.406"});
  CHECK_THAT(of_unit_pixels.text, Catch::Matchers::Contains("warning: --mean is at most 1"));
  CHECK_THAT(of_unit_pixels.text, !Catch::Matchers::Contains("warning: --scale"));
  const ProgramResult of_deviations =
      workshop.compile({"--quantize", "s8", "--calibrate", images, "--mean", "128", "--scale", "58.4"});
  CHECK(of_deviations.exit_code == 0);
  CHECK_THAT(of_deviations.text, Catch::Matchers::Contains("warning: --scale is more than 1; pixels are multiplied"));
}

TEST_CASE("Samples preprocessed differently than the plan specifies cause a warning") {
  const QuantizeWorkshop workshop;  // samples in [-1, 1]
  const ProgramResult otherwise = workshop.quantize({"--mean", "128"});
  CHECK(otherwise.exit_code == 0);
  CHECK_THAT(otherwise.text, Catch::Matchers::Contains("images become -128 to 127 (--mean 128)"));
  const ProgramResult alike = workshop.quantize({"--mean", "128", "--scale", "0.0078125"});
  CHECK(alike.exit_code == 0);
  CHECK_THAT(alike.text, !Catch::Matchers::Contains("warning"));
}

TEST_CASE("A profile of unchanged pixels rejects options that preprocess images") {
  const QuantizeWorkshop workshop;
  workshop.write_image_model();
  const std::string images = NESTRT_SOURCE_DIR "/examples/images", profile = workshop.path("p.yaml");
  REQUIRE(workshop.compile({"--quantize", "s8", "--calibrate", images, "--save-profile", profile}, "images.onnx")
              .exit_code == 0);
  const std::vector<std::byte> bytes = workshop.plan_bytes();
  const auto run = [&](const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {"run", workshop.plan(), "--image", images + "/cat.png"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run_program("nestrt", arguments);
  };
  const ProgramResult refused = run({"--mean", "128"});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.text, Catch::Matchers::Contains("which uses unchanged pixels"));
  CHECK(run({}).exit_code == 0);
  const ProgramResult by_profile = workshop.compile({"--quantize", "s8", "--calibrate", profile}, "images.onnx");
  CHECK_THAT(by_profile.text, Catch::Matchers::Contains("pixels from 0 to 255, as for"));
  CHECK(workshop.plan_bytes() == bytes);
}

TEST_CASE("Images are preprocessed alike for channels-last and channels-first inputs") {
  const QuantizeWorkshop workshop;
  const std::string cat = NESTRT_SOURCE_DIR "/examples/images/cat.png";
  const auto outputs = [&](bool channels_last) {
    ModelBuilder model;
    model.input("x", channels_last ? std::vector<int64_t>{1, 8, 6, 3} : std::vector<int64_t>{1, 3, 8, 6}).output("y");
    model.constant("w", {2, 3, 1, 1}, {1, 2, 3, -1, -2, -3});
    if (channels_last)
      set_attribute(model.node("Transpose", {"x"}, {"first"}), "perm", std::vector<int64_t>{0, 3, 1, 2});
    model.node("Conv", {channels_last ? "first" : "x", "w"}, {"y"}, "conv");
    workshop.write("images.onnx", model.bytes());
    const ProgramResult compiled =
        workshop.compile({"--mean", "128,100,90", "--scale", "0.01", "--resize", "40", "--bgr"}, "images.onnx");
    INFO(compiled.text);
    REQUIRE(compiled.exit_code == 0);
    REQUIRE(
        run_program("nestrt", {"run", workshop.plan(), "--image", cat, "--output", workshop.path("out")}).exit_code ==
        0);
    const auto result = tools::read_npy(workshop.path("out/y.npy"));
    REQUIRE(result);
    return result->bytes;
  };
  CHECK(outputs(true) == outputs(false));
}

TEST_CASE("nestc reports what is wrong with an invalid quantization and writes nothing") {
  const QuantizeWorkshop workshop;
  workshop.check_refused(workshop.compile({"--quantize", "s8"}), "--calibrate DIR");
  workshop.check_refused(workshop.compile({"--quantize", "s4", "--calibrate", "x"}), "s8");
  workshop.check_refused(workshop.compile({"--calibrate", workshop.path("samples.npy")}), "--quantize");
  workshop.check_refused(workshop.compile({"--keep-f32", "first"}), "--quantize");
  workshop.check_refused(workshop.compile({"--quantize", "s8", "--calibrate", workshop.path("absent")}), "absent");
  workshop.check_refused(workshop.compile({"--quantize", "s8", "--calibrate", workshop.path("absent.npy")}),
                         "absent.npy");
  workshop.check_refused(workshop.compile({"--quantize", "s8", "--calibrate", workshop.path("empty")}), "no .jpg");
  workshop.check_refused(workshop.quantize({"--keep-f32", "third"}), "third");
  workshop.check_refused(workshop.quantize({"--keep-f32", "first,second"}), "every operator would stay f32");
  workshop.check_refused(workshop.quantize({"--corrections", "none,bias"}), "none");
  workshop.check_refused(workshop.quantize({"--save-profile", workshop.path("model.onnx")}), "another file");
  workshop.check_refused(workshop.quantize({"--save-profile", workshop.path("samples.npy")}), "another file");
  workshop.check_refused(workshop.quantize({"--save-profile", workshop.plan()}), "another file");
  workshop.write("board.yaml", "board: b\nunits:\n  - {unit: cpu, instruction_set: neon}\nprofiles: [b.costs]\n");
  workshop.write("b.costs", "nestrt costs 3\n");
  for (const std::string file : {"board.yaml", "b.costs"})
    workshop.check_refused(
        workshop.quantize({"--target", workshop.path("board.yaml") + ",host", "--save-profile", workshop.path(file)}),
        "would overwrite the input");
  workshop.check_refused(
      run_program("nestc", {"compile", workshop.path("model.onnx"), "-o", workshop.path("samples.npy"), "--quantize",
                            "s8", "--calibrate", workshop.path("samples.npy")}),
      "another file");
}

TEST_CASE("nestc rejects a profile of another model") {
  const QuantizeWorkshop workshop;
  REQUIRE(run_program("nestc", {"calibrate", workshop.path("other.onnx"), "--npy", workshop.path("samples.npy"), "-o",
                                workshop.path("other.yaml")})
              .exit_code == 0);
  workshop.check_refused(workshop.compile({"--quantize", "s8", "--calibrate", workshop.path("other.yaml")}),
                         "another model");
  workshop.write("foreign.yaml", "- {name: z, min: -1, max: 1, histogram: [1, 2, 1]}\n");
  workshop.check_refused(workshop.compile({"--quantize", "s8", "--calibrate", workshop.path("foreign.yaml")}),
                         "no exponent for 'x'");
  workshop.check_refused(
      workshop.compile({"--quantize", "s8", "--calibrate", workshop.path("other.yaml"), "--calibration-limit", "3"}),
      "is a profile");
}

}  // namespace
}  // namespace nestrt::test
