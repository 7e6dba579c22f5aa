// SPDX-License-Identifier: Apache-2.0
// Accuracy of classes: overall, by class, and which classes are confused. Figures by class equal those of scikit-learn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace nestrt::tools {

// Counts of a class, and the figures that follow from them. A figure is NaN if it divides by 0.
struct ClassFigures {
  int64_t label = 0;
  uint64_t num_samples = 0;  // of this class
  uint64_t num_found = 0;    // samples whose first class is this one
  uint64_t num_top1 = 0;     // samples of this class that were found
  uint64_t num_top5 = 0;     // samples of this class for which it is among the first five

  double recall() const;  // fraction of the class's samples that were found: its top-1 accuracy
  double top5() const;
  double precision() const;  // fraction of the samples found as this class that belong to it
  double f1() const;         // harmonic mean of precision and recall
};

struct Confusion {
  int64_t label = 0;
  std::optional<int64_t> found;  // nullopt: no valid result
  uint64_t count = 0;
};

// Counts samples by their true and found classes.
class ClassificationScore {
 public:
  // Adds a sample of class `label`. `found`: the classes with the largest scores, best first; the first five count.
  // Empty if the result is invalid, which counts as wrong.
  void add(int64_t label, std::span<const int64_t> found);

  uint64_t num_samples() const { return num_samples_; }
  uint64_t num_top1() const { return num_top1_; }
  uint64_t num_top5() const { return num_top5_; }
  // Return fractions of all samples; NaN without samples.
  double top1() const;
  double top5() const;
  // Returns the mean recall of the classes that have samples; NaN without samples.
  double balanced_accuracy() const;
  // Returns the mean F1 of the classes that have samples or were found; NaN without samples.
  double macro_f1() const;
  // Returns the classes that have samples or were found, in ascending order.
  std::vector<ClassFigures> classes() const;
  // Returns the counts of all pairs that occur, including correct ones, in ascending order of the classes.
  std::vector<Confusion> confusion() const;

 private:
  using Pair = std::pair<int64_t, std::optional<int64_t>>;

  uint64_t num_samples_ = 0, num_top1_ = 0, num_top5_ = 0;
  std::map<int64_t, ClassFigures> classes_;
  std::map<Pair, uint64_t> pairs_;
};

// Returns the pairs of different classes, the most frequent first.
std::vector<Confusion> frequent_errors(const ClassificationScore& score);

}  // namespace nestrt::tools
