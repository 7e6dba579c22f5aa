// SPDX-License-Identifier: Apache-2.0
// Segmentation, text and retrieval metrics. Expected figures were computed by scikit-learn (jaccard_score,
// accuracy_score) and jiwer (cer).
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "test/support/process/temporary_folder.h"
#include "tools/support/metrics/retrieval.h"
#include "tools/support/metrics/segmentation.h"
#include "tools/support/metrics/text_error.h"
#include "tools/support/text/npy.h"

namespace nestrt::tools {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST_CASE("Intersection over union equals scikit-learn's") {
  uint32_t state = 1;
  const auto next = [&] {
    state = (state * 1103515245U + 12345U) % (1U << 31);
    return state >> 16;
  };
  SegmentationScore score(8);
  for (int i = 0; i < 1000; ++i) {
    const uint32_t truth = next() % 5;
    const bool is_right = next() % 3 != 0;
    score.add(truth, is_right ? truth : next() % 6);
  }
  CHECK(score.mean_iou() == Approx(0.5222076396239662).margin(1e-12));
  CHECK(score.accuracy() == Approx(0.757).margin(1e-12));
  CHECK(score.iou(0) == Approx(0.636).margin(1e-12));
  CHECK(score.iou(5) == 0);
  CHECK(std::isnan(score.iou(6)));
  CHECK(std::isnan(SegmentationScore(2).mean_iou()));
}

TEST_CASE("Masks may be arrays of integers") {
  const test::TemporaryFolder folder;
  const std::vector<int32_t> values = {0, 1, 2, 255, -1, 3};
  REQUIRE(write_npy(folder.path() + "/m.npy", {DataType::kS32, {2, 3}, values.data()}).ok());
  const auto mask = read_mask(folder.path() + "/m.npy");
  REQUIRE(mask);
  CHECK(mask->width == 3);
  CHECK(mask->height == 2);
  CHECK(mask->classes == std::vector<int64_t>{0, 1, 2, 255, -1, 3});
  const std::vector<float> floats(6);
  REQUIRE(write_npy(folder.path() + "/f.npy", {DataType::kF32, {2, 3}, floats.data()}).ok());
  CHECK(read_mask(folder.path() + "/f.npy").error().code() == Code::kInvalidArgument);
  const auto photograph = read_mask(NESTRT_SOURCE_DIR "/examples/images/cat.png");
  CHECK_THAT(std::string(photograph.error().message()), Catch::Contains("not a class colour of PASCAL VOC"));
}

TEST_CASE("The character error rate equals jiwer's") {
  TextScore score;
  score.add("hello world", "helo wurld");
  score.add("naïve café", "naive cafes");
  score.add("日本語", "日本");
  score.add("nestrt", "nestrt");
  CHECK(score.error_rate() == Approx(0.2).margin(1e-12));
  CHECK(score.num_exact() == 1);
  CHECK(score.num_characters() == 30);
  CHECK(std::isnan(TextScore().error_rate()));
}

TEST_CASE("Edit distances count code points, and bytes that are not UTF-8") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("", "日本") == 2);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(code_points("a\xff\xe6\x97").size() == 4);
}

TEST_CASE("Greedy decoding drops repetitions and blanks") {
  const std::vector<std::vector<float>> scores = {{0, 1, 0}, {0, 1, 0}, {1, 0, 0}, {0, 2, 1}, {kNan, 0, 1}, {0, 0, 1}};
  const auto decode = [&](size_t blank) {
    return greedy_ctc(scores.size(), 3, blank, [&](size_t step, size_t label) { return scores[step][label]; });
  };
  CHECK(decode(0) == std::vector<size_t>{1, 1, 2});
  CHECK(decode(2) == std::vector<size_t>{1, 0, 1});
}

TEST_CASE("Recall counts queries with a sample of their class among the nearest") {
  // By angle: 0 and 1 of class 7 are neighbours; 2 of class 8 is between 1 and 3 of class 8; 4 is alone.
  const std::vector<float> embeddings = {1, 0, 2, 0.1F, 1, 0.3F, 0, 1, 0, -1};
  const std::vector<int64_t> labels = {7, 7, 8, 8, 9};
  const std::vector<size_t> nearest = {1, 2, 3};
  const RetrievalScore score = score_retrieval(embeddings, labels, nearest);
  CHECK(score.num_queries == 4);
  CHECK(score.recall == std::vector<double>{0.75, 0.75, 1});
}

TEST_CASE("Embeddings with NaN are farthest") {
  const std::vector<float> embeddings = {1, 0, kNan, 0, 0, 1};
  const std::vector<int64_t> labels = {1, 1, 2};
  const std::vector<size_t> nearest = {1, 2};
  const RetrievalScore score = score_retrieval(embeddings, labels, nearest);
  CHECK(score.num_queries == 2);
  CHECK(score.recall[0] < 1);
  CHECK(score.recall[1] == 1);
  CHECK(score_retrieval({}, {}, nearest).num_queries == 0);
}

}  // namespace
}  // namespace nestrt::tools
