// SPDX-License-Identifier: Apache-2.0
// Tests nestrt eval --task, with networks that return a part of their input.
#include <catch2/catch.hpp>
#include <filesystem>
#include <limits>

#include "test/support/plan/program.h"
#include "test/support/plan/sample_plans.h"
#include "test/support/process/temporary_folder.h"
#include "tools/support/text/files.h"
#include "tools/support/text/json.h"
#include "tools/support/text/npy.h"

namespace nestrt::test {
namespace {

using Catch::Matchers::Contains;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Returns a plan that reshapes its input.
PlanFile reshaping_plan(const Shape& input, const Shape& output) {
  PlanBuilder builder;
  const int from = builder.input("from", input);
  const int to = builder.output("to", output);
  builder.op("reshape", ops::Reshape{.shape = {output.begin(), output.end()}}, {from}, {to});
  return builder.build();
}

class EvaluationWorkshop {
 public:
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string write(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    return folder_.write_text(name, text);
  }
  template <typename T>
  void write_array(const std::string& name, const Shape& shape, const std::vector<T>& values) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    REQUIRE(tools::write_npy(path(name), {data_type_of<T>, shape, values.data()}).ok());
  }
  // Writes an image of two pixels next to each other; the values are red, red, green, green, blue, blue.
  void write_image(const std::string& name, const std::array<uint8_t, 6>& values) const {
    std::string bmp("BM\x3e\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\2\0\0\0\1\0\0\0\1\0\x18\0", 30);
    bmp.append(24, '\0');
    for (const size_t at : {4, 2, 0, 5, 3, 1}) bmp += static_cast<char>(values[at]);
    write(name, bmp + std::string(2, '\0'));
  }
  std::string write_plan(const PlanFile& plan) const { return folder_.write("plan.nest", plan.bytes()); }
  ProgramResult eval(const PlanFile& plan, const std::string& task, std::vector<std::string> options) const {
    options.insert(options.begin(), {"eval", write_plan(plan), "--task", task, "--json", path("figures.json")});
    return run_program("nestrt", options);
  }
  tools::Json figures() const { return *tools::read_json(path("figures.json")); }

 private:
  TemporaryFolder folder_;
};

void check_eval_refused(const ProgramResult& result, const std::string& part) {
  INFO(result.text);
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.text, Contains(part));
}

TEST_CASE("nestrt eval --task detection scores boxes against COCO annotations at any batch size") {
  const EvaluationWorkshop workshop;
  // left, top, right, bottom, score, class
  workshop.write_image("images/a.bmp", {0, 0, 2, 1, 200, 1});
  workshop.write_image("images/b.bmp", {0, 0, 1, 1, 100, 0});
  workshop.write_image("images/c.bmp", {0, 0, 2, 1, 90, 0});
  const std::string labels = workshop.write("coco.json", R"({
    "images": [{"id": 5, "file_name": "a.bmp"}, {"id": 6, "file_name": "b.bmp"}, {"id": 7, "file_name": "c.bmp"}],
    "categories": [{"id": 9, "name": "dog"}, {"id": 3, "name": "cat"}],
    "annotations": [{"image_id": 5, "category_id": 9, "bbox": [0, 0, 2, 1]},
                    {"image_id": 6, "category_id": 3, "bbox": [0, 0, 1, 1]}]})");
  const std::vector<std::string> data = {"--images", workshop.path("images"), "--labels", labels, "--mean", "0"};
  for (const int64_t batch : {1, 2, 8}) {
    const auto result = workshop.eval(reshaping_plan({batch, 3, 1, 2}, {batch, 1, 6}), "detection", data);
    INFO(result.text);
    REQUIRE(result.exit_code == 0);
    CHECK(workshop.figures().number("n") == 3);
    CHECK(workshop.figures().number("map") == Approx(1));
    CHECK(workshop.figures().number("map_small") == Approx(1));
    CHECK_FALSE(workshop.figures().number("map_large"));
    CHECK_THAT(result.text, Contains("dog"));
  }
  std::vector<std::string> shifted = data;
  shifted.insert(shifted.end(), {"--offset", "1"});
  check_eval_refused(workshop.eval(reshaping_plan({1, 3, 1, 2}, {1, 1, 6}), "detection", shifted), "--category-ids");
  check_eval_refused(workshop.eval(reshaping_plan({1, 3, 1, 2}, {1, 6}), "detection", data), "are not boxes");
  check_eval_refused(workshop.eval(reshaping_plan({1, 3, 1, 2}, {1, 1, 6}), "detection", {"--images", "."}),
                     "requires --labels");
}

TEST_CASE("nestrt eval --task segmentation compares class maps with masks at any batch size") {
  const EvaluationWorkshop workshop;
  // Two classes, two lines of two pixels.
  workshop.write_array<float>("images/a.npy", {2, 2, 2}, {1, 1, 0, 0, 0, 0, 1, 1});  // classes 0 0 1 1
  workshop.write_array<float>("images/b.npy", {2, 2, 2}, {1, 0, 1, 0, 0, 1, 0, 1});  // classes 0 1 0 1
  workshop.write_array<int32_t>("masks/a.npy", {2, 2}, {0, 0, 1, 255});
  workshop.write_array<int32_t>("masks/b.npy", {2, 2}, {0, 1, 1, 1});
  const std::vector<std::string> data = {"--images", workshop.path("images"), "--labels", workshop.path("masks")};
  for (const int64_t batch : {1, 2, 3}) {
    const auto result = workshop.eval(reshaping_plan({batch, 2, 2, 2}, {batch, 2, 2, 2}), "segmentation", data);
    INFO(result.text);
    REQUIRE(result.exit_code == 0);
    CHECK(workshop.figures().number("miou") == Approx((3.0 / 4 + 3.0 / 4) / 2));
    CHECK(workshop.figures().number("pixel_accuracy") == Approx(6.0 / 7));
  }
  std::vector<std::string> none_ignored = data;
  none_ignored.insert(none_ignored.end(), {"--ignore-class", "-1"});
  const PlanFile plan = reshaping_plan({1, 2, 2, 2}, {1, 2, 2, 2});
  check_eval_refused(workshop.eval(plan, "segmentation", none_ignored), "has class 255, but the plan has 2 classes");
  std::filesystem::remove(workshop.path("masks/b.npy"));
  check_eval_refused(workshop.eval(plan, "segmentation", data), "has no mask");
}

TEST_CASE("nestrt eval --task text decodes CTC scores, with the batch first or second") {
  const EvaluationWorkshop workshop;
  // Classes: blank, a, b. "ab" and "aa" in four steps.
  workshop.write_array<float>("ab.npy", {4, 3}, {0, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0});
  workshop.write_array<float>("aa.npy", {4, 3}, {0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0});
  const std::vector<std::string> data = {"--images",      workshop.path("."),
                                         "--labels",      workshop.write("words.txt", "ab.npy\tab\naa.npy\tab\n"),
                                         "--class-names", workshop.write("letters.txt", "a\nb\n")};
  const auto check_rate = [&](const PlanFile& plan) {
    const auto result = workshop.eval(plan, "text", data);
    INFO(result.text);
    REQUIRE(result.exit_code == 0);
    CHECK(workshop.figures().number("cer") == Approx(0.25));
    CHECK(workshop.figures().number("exact") == Approx(0.5));
  };
  check_rate(reshaping_plan({1, 4, 3}, {1, 4, 3}));
  check_rate(reshaping_plan({1, 4, 3}, {4, 1, 3}));
  check_rate(reshaping_plan({3, 4, 3}, {3, 4, 3}));
  check_eval_refused(workshop.eval(reshaping_plan({1, 4, 3}, {1, 3, 4}), "text", data), "expected the characters");
  check_eval_refused(workshop.eval(reshaping_plan({1, 4, 3}, {1, 12}), "text", data), "text requires scores");
}

TEST_CASE("nestrt eval --task retrieval finds samples of the same class") {
  const EvaluationWorkshop workshop;
  // y/2 is nearest to x/2, and x/2 to y/2; x/1 and y/1 are nearest to their own classes.
  workshop.write_array<float>("data/x/1.npy", {2}, {1, 0});
  workshop.write_array<float>("data/x/2.npy", {2}, {1, 0.1F});
  workshop.write_array<float>("data/y/1.npy", {2}, {0, 1});
  workshop.write_array<float>("data/y/2.npy", {2}, {1, 0.2F});
  for (const int64_t batch : {1, 3}) {
    const auto result =
        workshop.eval(reshaping_plan({batch, 2}, {batch, 2}), "retrieval", {"--images", workshop.path("data")});
    INFO(result.text);
    REQUIRE(result.exit_code == 0);
    CHECK(workshop.figures().number("recall1") == Approx(0.5));
    CHECK(workshop.figures().number("recall5") == Approx(1));
  }
  check_eval_refused(workshop.eval(reshaping_plan({2, 2}, {4}), "retrieval", {"--images", workshop.path("data")}),
                     "does not have the input's batch of 2");
}

TEST_CASE("nestrt eval shows the accuracy of each class and which classes are confused, at any batch size") {
  const EvaluationWorkshop workshop;
  // The scores of "no", "yes, please" and "stop". The second word is always right, and "stop" is never found.
  workshop.write_array<float>("words/a.npy", {3}, {0, 1, 0});
  workshop.write_array<float>("words/b.npy", {3}, {0, 2, 1});
  workshop.write_array<float>("words/c.npy", {3}, {3, 1, 2});
  workshop.write_array<float>("words/d.npy", {3}, {1, 2, 0});
  workshop.write_array<float>("words/e.npy", {3}, {1, kNan, 0});
  const std::string labels = workshop.write("labels.tsv", "a.npy\t1\nb.npy\t2\nc.npy\t0\nd.npy\t0\ne.npy\t0\n");
  const std::string names = workshop.write("names.txt", "no\nyes, please\nstop\n");
  const std::string matrix = workshop.path("matrix.csv");
  for (const int64_t batch : {1, 2, 8}) {
    const auto result = workshop.eval(reshaping_plan({batch, 3}, {batch, 3}), "classes",
                                      {"--images", workshop.path("words"), "--labels", labels, "--class-names", names,
                                       "--per-class", "--confusion", matrix});
    INFO(result.text);
    REQUIRE(result.exit_code == 0);
    CHECK(workshop.figures().number("top1") == Approx(2.0 / 5));
    CHECK(workshop.figures().number("balanced_accuracy") == Approx((1.0 / 3 + 1 + 0) / 3));
    CHECK(workshop.figures().number("macro_f1") == Approx((2.0 / 4 + 2.0 / 4 + 0) / 3));
    const std::vector<tools::Json> classes = workshop.figures().objects("classes");
    REQUIRE(classes.size() == 3);
    CHECK(classes[1].text("name") == "yes, please");
    CHECK(classes[1].number("precision") == Approx(1.0 / 3));
    CHECK_FALSE(classes[2].number("precision"));
    CHECK(workshop.figures().objects("confusion").size() == 5);
    CHECK_THAT(result.text, Contains("found instead") && Contains("yes, please") && Contains("(invalid)"));
    CHECK(tools::read_lines(matrix)->lines() == std::vector<std::string_view>{"class,no,\"yes, please\",stop,(invalid)",
                                                                              "no,1,1,0,1", "\"yes, please\",0,1,0,0",
                                                                              "stop,0,1,0,0"});
  }
}

TEST_CASE("Options of classes are rejected for other tasks") {
  const EvaluationWorkshop workshop;
  check_eval_refused(workshop.eval(reshaping_plan({1, 2}, {1, 2}), "retrieval", {"--images", ".", "--per-class"}),
                     "require --task classes");
  check_eval_refused(workshop.eval(reshaping_plan({1, 2}, {1, 2}), "retrieval",
                                   {"--images", ".", "--predictions", workshop.path("p.tsv")}),
                     "require --task classes");
}

}  // namespace
}  // namespace nestrt::test
