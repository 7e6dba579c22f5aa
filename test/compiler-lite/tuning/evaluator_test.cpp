// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/tuning/evaluator.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "compiler-lite/calibrate/calibrate.h"
#include "test/compiler-lite/import/model_builder.h"
#include "test/compiler-lite/tuning/small_classifier.h"
#include "test/support/process/temporary_folder.h"
#include "tools/support/text/files.h"
#include "tools/support/text/npy.h"

namespace nestrt::compiler {
namespace {

using Catch::Matchers::Contains;

const std::string kImages = NESTRT_SOURCE_DIR "/examples/images";
constexpr const char* kImageNames[] = {"airplane_1.png", "cat.png", "ship_2.png"};

class Workshop {
 public:
  Workshop() { test::write_small_classifier(folder_.path()); }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  EvaluationOptions over_samples() const {
    EvaluationOptions options;
    options.samples.npy = path("samples.npy");
    return options;
  }
  // Returns options for three images with the given labels.
  EvaluationOptions over_images(const std::string& labels) const {
    std::filesystem::create_directories(path("images"));
    for (const char* name : kImageNames)
      std::filesystem::copy_file(kImages + "/" + name, path("images/") + name,
                                 std::filesystem::copy_options::overwrite_existing);
    REQUIRE(tools::write_text(path("labels.tsv"), labels).ok());
    EvaluationOptions options;
    options.samples.images = path("images");
    options.labels = path("labels.tsv");
    return options;
  }
  Result<Evaluator> evaluator(const EvaluationOptions& options) const {
    return Evaluator::create(path("model.onnx"), options);
  }
  std::string complaint(const EvaluationOptions& options) const {
    const auto result = evaluator(options);
    REQUIRE_FALSE(result);
    return result.error().to_string();
  }
  Quantization quantization(const SampleOptions& samples, std::set<std::string, std::less<>> keep_f32) const {
    CalibrationOptions options;
    options.samples = samples;
    auto calibration = calibrate(path("model.onnx"), options);
    REQUIRE(calibration);
    Quantization result{std::move(calibration->profile), {}, {}};
    result.options.keep_f32 = std::move(keep_f32);
    return result;
  }

 private:
  test::TemporaryFolder folder_;
};

TEST_CASE("A quantization is measured against the same network in f32") {
  const Workshop workshop;
  auto evaluator = workshop.evaluator(workshop.over_samples());
  INFO(evaluator.error().to_string());
  REQUIRE(evaluator);
  CHECK(evaluator->num_samples() == 24);
  const SampleOptions& samples = workshop.over_samples().samples;
  const auto good = evaluator->evaluate(workshop.quantization(samples, {"second"}), 24);
  const auto bad = evaluator->evaluate(workshop.quantization(samples, {}), 12);
  REQUIRE(good);
  REQUIRE(bad);
  CHECK(good->samples == 24);
  CHECK(good->rows == 24);
  CHECK(good->agreement() > 0.9);
  CHECK(good->decibel > 25);
  CHECK(good->f32_share == Approx(16.0 / 44));
  CHECK(bad->samples == 12);
  CHECK(bad->agreement() < 0.9);
  CHECK(bad->decibel < 10);
  CHECK(bad->f32_share == 0);
  CHECK(bad->loss() == Approx(100 * (1 - bad->agreement())));
  CHECK(good->better_than(*bad));
  CHECK_FALSE(bad->right);
}

TEST_CASE("With labels, the loss is the decrease in accuracy") {
  const Workshop workshop;
  const EvaluationOptions unlabelled{{}, workshop.over_images("").samples, "", 0};
  auto first = workshop.evaluator(unlabelled);
  REQUIRE(first);
  const Quantization quantization = workshop.quantization(unlabelled.samples, {"second"});
  const auto score = first->evaluate(quantization, 3);
  REQUIRE(score);
  // Each class counts the images that the network assigns to it, so every image counts once.
  uint64_t right = 0, right_in_f32 = 0;
  for (int label = 0; label < 4; ++label) {
    std::string lines;
    for (const char* name : kImageNames) lines += std::string(name) + "\t" + std::to_string(label - 1) + "\n";
    EvaluationOptions options = workshop.over_images(lines);
    options.offset = -1;
    auto evaluator = workshop.evaluator(options);
    INFO(evaluator.error().to_string());
    REQUIRE(evaluator);
    const auto labelled = evaluator->evaluate(quantization, 3);
    REQUIRE(labelled);
    right += labelled->right.value();
    right_in_f32 += labelled->right_in_f32.value();
    const double lost = static_cast<double>(*labelled->right_in_f32) - static_cast<double>(*labelled->right);
    CHECK(labelled->loss() == Approx(100 * lost / 3).margin(1e-9));
    CHECK(labelled->agreement() == score->agreement());
  }
  CHECK(right == 3);
  CHECK(right_in_f32 == 3);
}

TEST_CASE("Labels that do not match the images or the network are reported") {
  const Workshop workshop;
  CHECK_THAT(workshop.complaint(workshop.over_images("cat.png\t0\n")), Contains("has no class for"));
  CHECK_THAT(workshop.complaint(workshop.over_images("cat.png\t0\nship_2.png\t4\n")),
             Contains("line 2: class 4 is not one of the network's") && Contains("--offset"));
  EvaluationOptions absent = workshop.over_images("");
  absent.labels = workshop.path("absent.tsv");
  CHECK_THAT(workshop.complaint(absent), Contains("absent.tsv"));
}

TEST_CASE("Tuning against labels is rejected if the f32 network is no better than guessing") {
  const Workshop workshop;
  const auto evaluator = workshop.evaluator(workshop.over_samples());  // the network has four classes
  REQUIRE(evaluator);
  Score score;
  score.samples = 40;
  CHECK(evaluator->require_better_than_guessing(score).ok());  // no labels
  score.right_in_f32 = 11;
  CHECK(evaluator->require_better_than_guessing(score).ok());
  score.right_in_f32 = 10;
  const Status status = evaluator->require_better_than_guessing(score);
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK_THAT(status.to_string(), Contains("in f32: 10 of 40 samples are correct") && Contains("offset"));
}

TEST_CASE("Noise is measured for a network without class scores if that is sufficient") {
  const test::TemporaryFolder folder;
  test::ModelBuilder maps;
  maps.input("x", {1, 2, 4, 4}).output("y").constant("w", {3, 2, 3, 3}, std::vector<float>(54, 0.1F));
  maps.node("Conv", {"x", "w"}, {"y"}, "conv");
  const std::string model = folder.write_text("maps.onnx", maps.bytes());
  std::vector<float> values(size_t{3} * 2 * 4 * 4);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 37 % 101) / 50 - 1;
  EvaluationOptions options;
  options.samples.npy = folder.path() + "/samples.npy";
  REQUIRE(tools::write_npy(options.samples.npy, {DataType::kF32, {3, 2, 4, 4}, values.data()}).ok());
  CHECK(Evaluator::create(model, options).error().code() == Code::kUnsupported);
  options.needs_classes = false;
  auto evaluator = Evaluator::create(model, options);
  INFO(evaluator.error().to_string());
  REQUIRE(evaluator);
  CalibrationOptions calibration;
  calibration.samples = options.samples;
  const auto calibrated = calibrate(model, calibration);
  REQUIRE(calibrated);
  const auto score = evaluator->evaluate({calibrated->profile, {}, {}}, 3);
  REQUIRE(score);
  CHECK(score->samples == 3);
  CHECK(score->rows == 0);
  CHECK(score->decibel > 25);
}

TEST_CASE("The data digest depends on samples, labels and compile options") {
  const Workshop workshop;
  const auto digest_of = [&](const EvaluationOptions& options) {
    auto evaluator = workshop.evaluator(options);
    REQUIRE(evaluator);
    return evaluator->data_digest();
  };
  const std::string digest = digest_of(workshop.over_samples());
  CHECK(digest_of(workshop.over_samples()) == digest);
  EvaluationOptions fewer = workshop.over_samples(), plain = workshop.over_samples();
  fewer.samples.limit = 23;
  CHECK(digest_of(fewer) != digest);
  plain.compile.layout.plain = true;
  CHECK(digest_of(plain) != digest);
  const std::string labelled = digest_of(workshop.over_images("airplane_1.png\t0\ncat.png\t1\nship_2.png\t2\n"));
  CHECK(digest_of(workshop.over_images("airplane_1.png\t0\ncat.png\t1\nship_2.png\t3\n")) != labelled);
}

TEST_CASE("Missing or unreadable samples are reported, or skipped on request") {
  const Workshop workshop;
  EvaluationOptions options = workshop.over_samples();
  options.samples.npy.clear();
  CHECK_THAT(workshop.complaint(options), Contains("requires data"));
  options = workshop.over_images("");
  options.labels.clear();
  REQUIRE(tools::write_text(workshop.path("images/broken.jpg"), "no image").ok());
  CHECK_THAT(workshop.complaint(options), Contains("broken.jpg"));
  options.samples.skip_unreadable = true;
  const auto evaluator = workshop.evaluator(options);
  REQUIRE(evaluator);
  CHECK(evaluator->num_samples() == 3);
  CHECK(evaluator->skipped().size() == 1);
}

}  // namespace
}  // namespace nestrt::compiler
