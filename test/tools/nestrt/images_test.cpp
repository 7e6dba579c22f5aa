// SPDX-License-Identifier: Apache-2.0
// Tests nestrt run and eval with images and arrays on the command line.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "test/support/plan/program.h"
#include "test/support/plan/sample_plans.h"
#include "test/support/process/temporary_folder.h"
#include "tools/support/text/files.h"
#include "tools/support/text/npy.h"

namespace nestrt::test {
namespace {

using Catch::Matchers::Contains;

const std::string kCat = NESTRT_SOURCE_DIR "/examples/images/cat.png";  // 451x300

class ImageWorkshop {
 public:
  ImageWorkshop()
      : classes_(folder_.write("classes.nest", colour_plan().build().bytes())),
        maps_(folder_.write("maps.nest", maps_plan().build().bytes())) {}
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const { return folder_.write_text(name, text); }
  std::string write_plan(const std::string& name, const PlanFile& plan) const {
    return folder_.write(name, plan.bytes());
  }
  // Writes an image of one colour out of three as an input array.
  void write_array(const std::string& name, int colour) const {
    std::vector<float> values(3 * 32 * 32);
    std::fill_n(values.begin() + colour * 32 * 32, 32 * 32, 1.0F);
    REQUIRE(tools::write_npy(path(name), {DataType::kF32, {1, 3, 32, 32}, values.data()}).ok());
  }
  const std::string& classes() const { return classes_; }
  const std::string& maps() const { return maps_; }

 private:
  TemporaryFolder folder_;
  std::string classes_, maps_;
};

ProgramResult run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "run");
  return run_program("nestrt", arguments);
}

void check_refused(const ProgramResult& result, const std::string& part) {
  INFO(result.text);
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.text, Contains(part));
}

std::vector<float> floats_in(const std::string& path) {
  const auto array = tools::read_npy(path);
  REQUIRE(array);
  const auto* const values = reinterpret_cast<const float*>(array->bytes.data());
  return {values, values + array->shape.num_elements()};
}

TEST_CASE("nestrt run shows and writes the outputs of a network without class scores") {
  const ImageWorkshop workshop;
  const ProgramResult result = run({workshop.maps(), "--image", kCat, "--output", workshop.path("out")});
  INFO(result.text);
  REQUIRE(result.exit_code == 0);
  CHECK_THAT(result.text,
             Contains("the 451x300 image fills 8x8 pixels of the input") && Contains("map     f32   1x3x8x8"));
  CHECK_THAT(result.text, !Contains("class"));
  CHECK(floats_in(workshop.path("out/map.npy")).size() == 192);
  check_refused(run({workshop.maps(), "--image", kCat, "--labels", workshop.write("names", "a\n")}),
                "not a row of class scores");
}

TEST_CASE("With --letterbox the whole image is centred in the input and padded on two sides") {
  const ImageWorkshop workshop;
  const std::string saved = workshop.path("input.npy");
  const ProgramResult result =
      run({workshop.maps(), "--image", kCat, "--letterbox", "--pad", "7", "--save-input", saved});
  INFO(result.text);
  REQUIRE(result.exit_code == 0);
  // 300 * 8 / 451 rounds to 5; (8 - 5) / 2 to 2.
  CHECK_THAT(result.text, Contains("the 451x300 image fills 8x5 pixels of the input, starting at column 0 and row 2"));
  const std::vector<float> input = floats_in(saved);
  for (int i = 0; i < 64; ++i) CHECK((input[i] == 7) == (i / 8 < 2 || i / 8 >= 7));
}

TEST_CASE("A saved preprocessed input gives the same results as its image") {
  const ImageWorkshop workshop;
  const std::vector<std::string> pixels = {"--mean", "128,100,90", "--scale", "0.01", "--resize", "40", "--bgr"};
  std::vector<std::string> arguments = {
      workshop.classes(), "--image", kCat, "--save-input", workshop.path("x.npy"), "--output", workshop.path("a")};
  arguments.insert(arguments.end(), pixels.begin(), pixels.end());
  const ProgramResult result = run(arguments);
  INFO(result.text);
  REQUIRE(result.exit_code == 0);
  REQUIRE(run({workshop.classes(), "--input", workshop.path("x.npy"), "--output", workshop.path("b")}).exit_code == 0);
  CHECK(floats_in(workshop.path("a/colour_0.npy")) == floats_in(workshop.path("b/colour_0.npy")));
}

TEST_CASE("nestrt warns if neither the plan nor an option specifies the preprocessing of images") {
  const ImageWorkshop workshop;
  const ProgramResult silent = run({workshop.classes(), "--image", kCat});
  CHECK(silent.exit_code == 0);
  CHECK_THAT(silent.text, Contains("using pixel values from 0 to 255"));
  const ProgramResult said = run({workshop.classes(), "--image", kCat, "--mean", "0"});
  CHECK(said.exit_code == 0);
  CHECK_THAT(said.text, !Contains("0 to 255") && !Contains("warning"));
  const ProgramResult unlikely =
      run({workshop.classes(), "--image", kCat, "--mean", "0.485,0.456,0.406", "--scale", "4.36,4.46,4.44"});
  CHECK(unlikely.exit_code == 0);
  CHECK_THAT(unlikely.text, Contains("--mean is at most 1") && Contains("--scale is more than 1"));
}

TEST_CASE("NESTRT_LOG_LEVEL and --log-level set the lowest level of messages") {
  const ImageWorkshop workshop;
  const std::vector<std::string> arguments = {workshop.classes(), "--image", kCat};
  const auto with_level = [&](const std::string& level) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), {"--log-level", level});
    return run(all);
  };
  CHECK_THAT(with_level("warning").text, Contains("using pixel values from 0 to 255"));
  CHECK_THAT(with_level("error").text, !Contains("using pixel values from 0 to 255"));
  check_refused(with_level("loud"), "loud");
  ::setenv("NESTRT_LOG_LEVEL", "off", 1);
  CHECK_THAT(run(arguments).text, !Contains("using pixel values from 0 to 255"));
  ::unsetenv("NESTRT_LOG_LEVEL");
}

TEST_CASE("With --labels an array gets a class, and a plan without class scores is rejected") {
  const ImageWorkshop workshop;
  workshop.write_array("green.npy", 1);
  const std::string names = workshop.write("names.txt", "red\ngreen\nblue\n");
  const ProgramResult result =
      run({workshop.classes(), "--input", workshop.path("green.npy"), "--labels", names, "--top", "1"});
  INFO(result.text);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.text, Contains("%  green\n") && Contains("colour/0"));
  check_refused(run({workshop.maps(), "--input", workshop.path("green.npy"), "--labels", names}),
                "not a row of class scores");
}

TEST_CASE("Class names are rejected if their number differs from the number of classes") {
  const ImageWorkshop workshop;
  const std::string four = workshop.write("four.txt", "background\nred\ngreen\nblue\n");
  const std::string two = workshop.write("two.txt", "red\ngreen\n");
  check_refused(run({workshop.classes(), "--image", kCat, "--labels", four}), "has 4 names, but 3 classes require 3");
  check_refused(run({workshop.classes(), "--image", kCat, "--labels", two}), "pass --offset -1");
  CHECK(run({workshop.classes(), "--image", kCat, "--labels", two, "--offset", "-1"}).exit_code == 0);
  CHECK(run({workshop.classes(), "--image", kCat, "--labels", four, "--offset", "1"}).exit_code == 0);
}

TEST_CASE("nestrt eval scores arrays like images") {
  const ImageWorkshop workshop;
  workshop.write_array("red.npy", 0);
  workshop.write_array("blue.npy", 2);
  const auto eval = [&](const std::string& plan, const std::string& labels) {
    return run_program("nestrt", {"eval", plan, "--images", workshop.path("."), "--labels", labels});
  };
  const ProgramResult result = eval(workshop.classes(), workshop.write("labels.tsv", "red.npy\t0\nblue.npy\t1\n"));
  INFO(result.text);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.text, Contains("50.00 %  (1/2)") && !Contains("0 to 255"));
  check_refused(eval(workshop.maps(), workshop.path("labels.tsv")), "not a row of class scores");
  const std::vector<float> other(12);
  REQUIRE(tools::write_npy(workshop.path("other.npy"), {DataType::kF32, {1, 3, 2, 2}, other.data()}).ok());
  check_refused(eval(workshop.classes(), workshop.write("other.tsv", "other.npy\t0\n")),
                "other.npy' has f32 1x3x2x2, but input 'image' requires f32 1x3x32x32");
}

// Writes arrays of one colour into a folder for each.
void write_class_folders(const ImageWorkshop& workshop, const std::vector<std::string>& folders) {
  for (size_t colour = 0; colour < folders.size(); ++colour) {
    std::filesystem::create_directories(workshop.path("val/" + folders[colour]));
    for (const char* name : {"/1.npy", "/2.npy"})
      workshop.write_array("val/" + folders[colour] + name, static_cast<int>(colour));
  }
}

TEST_CASE("Without --labels nestrt eval uses the folders of images as classes") {
  const ImageWorkshop workshop;
  const auto eval = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"eval", workshop.classes(), "--images", workshop.path("val")});
    return run_program("nestrt", options);
  };
  write_class_folders(workshop, {"a_red", "b_green"});
  check_refused(eval({}), "has 2 class folders, but the plan has 3 classes; pass --class-names");
  const std::string names = workshop.write("names.txt", "a_red\nb_green\nc_blue\n");
  CHECK_THAT(eval({"--class-names", names}).text, Contains("100.00 %  (4/4)"));
  write_class_folders(workshop, {"a_red", "b_green", "c_blue"});
  CHECK_THAT(eval({}).text, Contains("100.00 %  (6/6)"));
  CHECK_THAT(eval({"--limit", "3"}).text, Contains("100.00 %  (3/3)"));
  check_refused(eval({"--class-names", workshop.write("other.txt", "red\ngreen\nblue\n")}), "the folder 'a_red'");
}

TEST_CASE("nestrt eval fills the batch of a plan, also the last incomplete one, and run rejects a batch") {
  const ImageWorkshop workshop;
  const std::string batches = workshop.write_plan("batches.nest", colour_plan(4).build());
  write_class_folders(workshop, {"0", "1", "2"});
  const std::string one = workshop.path("one.tsv"), four = workshop.path("four.tsv");
  const auto eval = [&](const std::string& plan, const std::string& predictions) {
    return run_program("nestrt", {"eval", plan, "--images", workshop.path("val"), "--predictions", predictions});
  };
  CHECK_THAT(eval(workshop.classes(), one).text, Contains("100.00 %  (6/6)"));
  const ProgramResult result = eval(batches, four);
  INFO(result.text);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.text, Contains("100.00 %  (6/6)"));
  CHECK(tools::read_lines(one)->lines() == tools::read_lines(four)->lines());
  check_refused(run({batches, "--image", kCat}), "the plan has a batch of 4; nestrt eval fills batches");
}

TEST_CASE("An image that is labelled twice is scored once, or rejected if its classes differ") {
  const ImageWorkshop workshop;
  workshop.write_array("red.npy", 0);
  workshop.write_array("blue.npy", 2);
  const auto eval = [&](const std::string& labels) {
    return run_program("nestrt", {"eval", workshop.classes(), "--images", workshop.path("."), "--labels",
                                  workshop.write("labels.tsv", labels)});
  };
  const ProgramResult result = eval("\xef\xbb\xbfred.npy\t0\nblue.npy\t1\nred.npy\t0\n");
  INFO(result.text);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.text, Contains("50.00 %  (1/2)"));
  check_refused(eval("red.npy\t0\nred.npy\t1\n"), "line 2: 'red.npy' is already listed with a different class");
}

TEST_CASE("NaN scores count as wrong and are reported") {
  const ImageWorkshop workshop;
  const std::vector<float> nothing(3 * 32 * 32, std::numeric_limits<float>::quiet_NaN());
  REQUIRE(tools::write_npy(workshop.path("nan.npy"), {DataType::kF32, {1, 3, 32, 32}, nothing.data()}).ok());
  const ProgramResult result = run_program("nestrt", {"eval", workshop.classes(), "--images", workshop.path("."),
                                                      "--labels", workshop.write("labels.tsv", "nan.npy\t0\n")});
  INFO(result.text);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.text, Contains("0.00 %  (0/1)") && Contains("1 of 1 inputs have NaN elements or scores"));
}

TEST_CASE("Two outputs with the same file are rejected") {
  const ImageWorkshop workshop;
  workshop.write_array("red.npy", 0);
  std::filesystem::create_directory(workshop.path("out"));
  for (const std::string option : {"--trace", "--cost-file"})
    check_refused(run({workshop.classes(), "--input", workshop.path("red.npy"), "--output", workshop.path("out"),
                       option, workshop.path("./out/../out/colour_0.npy")}),
                  "is specified for two outputs");
  CHECK(std::filesystem::is_empty(workshop.path("out")));
  CHECK(run({workshop.classes(), "--input", workshop.path("red.npy"), "--output", workshop.path("out")}).exit_code ==
        0);
  CHECK(std::filesystem::exists(workshop.path("out/colour_0.npy")));
}

}  // namespace
}  // namespace nestrt::test
