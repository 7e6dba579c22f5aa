// SPDX-License-Identifier: Apache-2.0
// Expected figures were computed by scikit-learn: accuracy_score, balanced_accuracy_score, f1_score (macro),
// precision_score, recall_score and confusion_matrix.
#include "tools/support/metrics/classification.h"

#include <catch2/catch.hpp>
#include <cmath>

namespace nestrt::tools {
namespace {

// 1,000 samples of the classes -1 to 3, for which classes up to 5 are found.
ClassificationScore score_of_generated_samples() {
  uint32_t state = 1;
  const auto next = [&] {
    state = (state * 1103515245U + 12345U) % (1U << 31);
    return static_cast<int64_t>(state >> 16);
  };
  ClassificationScore score;
  for (int i = 0; i < 1000; ++i) {
    const int64_t truth = next() % 5;
    const bool is_right = next() % 3 != 0;
    const int64_t found[] = {(is_right ? truth : next() % 7) - 1};
    score.add(truth - 1, found);
  }
  return score;
}

void check_figure(double value, double expected) { CHECK(value == Approx(expected).margin(1e-12).epsilon(0)); }

TEST_CASE("Accuracy, balanced accuracy and macro F1 equal scikit-learn's") {
  const ClassificationScore score = score_of_generated_samples();
  CHECK(score.num_samples() == 1000);
  check_figure(score.top1(), 0.749);
  check_figure(score.balanced_accuracy(), 0.7479533716237754);
  check_figure(score.macro_f1(), 0.558386868133286);
}

TEST_CASE("Precision, recall and F1 of each class equal scikit-learn's") {
  const std::vector<ClassFigures> classes = score_of_generated_samples().classes();
  const std::vector<double> precision = {0.8440860215053764, 0.835, 0.8010752688172043, 0.8198757763975155,
                                         0.7955801104972375};
  const std::vector<double> recall = {0.7658536585365854, 0.7990430622009569, 0.7303921568627451, 0.7135135135135136,
                                      0.7309644670050761};
  const std::vector<double> f1 = {0.80306905370844, 0.8166259168704156, 0.764102564102564, 0.7630057803468208,
                                  0.7619047619047619};
  REQUIRE(classes.size() == 7);
  for (size_t i = 0; i < 5; ++i) {
    CHECK(classes[i].label == static_cast<int64_t>(i) - 1);
    check_figure(classes[i].precision(), precision[i]);
    check_figure(classes[i].recall(), recall[i]);
    check_figure(classes[i].f1(), f1[i]);
  }
  CHECK(std::isnan(classes[6].recall()));
  CHECK(classes[6].precision() == 0);
  CHECK(classes[6].f1() == 0);
}

TEST_CASE("Confusion counts the pairs that occur, and errors are ordered by frequency") {
  const ClassificationScore score = score_of_generated_samples();
  const std::vector<std::vector<uint64_t>> expected = {{157, 9, 11, 5, 4, 15, 4},
                                                       {3, 167, 5, 11, 10, 8, 5},
                                                       {10, 8, 149, 7, 13, 11, 6},
                                                       {8, 6, 14, 132, 10, 5, 10},
                                                       {8, 10, 7, 6, 144, 8, 14}};
  const std::vector<Confusion> pairs = score.confusion();
  REQUIRE(pairs.size() == 35);
  for (const Confusion& pair : pairs)
    CHECK(pair.count == expected[static_cast<size_t>(pair.label + 1)][static_cast<size_t>(*pair.found + 1)]);
  const std::vector<Confusion> errors = frequent_errors(score);
  REQUIRE(errors.size() == 30);
  CHECK(errors[0].label == -1);
  CHECK(errors[0].found == 4);
  CHECK(errors[1].label == 2);  // 14 samples, as for class 3 and 5
  CHECK(errors[1].found == 1);
}

TEST_CASE("The first five found classes count for top-5, and invalid results are wrong") {
  ClassificationScore score;
  score.add(3, std::vector<int64_t>{1, 2, 3, 4, 5, 6});
  score.add(6, std::vector<int64_t>{1, 2, 3, 4, 5, 6});
  score.add(7, {});
  check_figure(score.top1(), 0);
  check_figure(score.top5(), 1.0 / 3);
  CHECK(score.confusion().back().label == 7);
  CHECK_FALSE(score.confusion().back().found);
  const ClassificationScore none;
  CHECK(std::isnan(none.top1()));
  CHECK(std::isnan(none.balanced_accuracy()));
  CHECK(std::isnan(none.macro_f1()));
}

}  // namespace
}  // namespace nestrt::tools
