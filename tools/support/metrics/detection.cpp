// SPDX-License-Identifier: Apache-2.0
#include "tools/support/metrics/detection.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

namespace nestrt::tools {
namespace {

constexpr size_t kOverlaps = 10;
constexpr size_t kRecalls = 101;
constexpr size_t kMaxDetections = 100;
constexpr std::array<size_t, 3> kDetectionLimits = {1, 10, kMaxDetections};

struct AreaRange {
  double least, most;

  bool excludes(double area) const { return area < least || area > most; }
};
constexpr std::array<AreaRange, 4> kAreas = {{{0, 1e10}, {0, 32 * 32}, {32 * 32, 96 * 96}, {96 * 96, 1e10}}};

// Thresholds are computed as numpy.linspace does, because the last bit decides whether a box matches.
double overlap_threshold(size_t index) {
  return index + 1 == kOverlaps ? 0.95 : 0.5 + static_cast<double>(index) * ((0.95 - 0.5) / (kOverlaps - 1));
}
double recall_threshold(size_t index) {
  return index + 1 == kRecalls ? 1.0 : static_cast<double>(index) * (1.0 / (kRecalls - 1));
}

// The boxes of one category in one image.
struct Group {
  std::vector<const AnnotatedBox*> annotated;
  std::vector<const DetectedBox*> detected;  // the best kMaxDetections, best first
  std::vector<double> overlaps;              // [detected][annotated]
};
using Groups = std::map<int64_t, Group>;  // by image

// A detection after matching.
struct Match {
  double score = 0;
  bool is_right = false;
  bool is_ignored = false;
};

void prepare(Group& group) {
  std::ranges::stable_sort(group.detected, std::ranges::greater{}, &DetectedBox::score);
  if (group.detected.size() > kMaxDetections) group.detected.resize(kMaxDetections);
  for (const DetectedBox* found : group.detected)
    for (const AnnotatedBox* truth : group.annotated)
      group.overlaps.push_back(overlap(found->box, truth->box, truth->is_crowd));
}

// Matches the detections of a group with its objects, for one threshold and range of areas.
class Matcher {
 public:
  Matcher(const Group& group, const AreaRange& area) : group_(group), area_(area), order_(group.annotated.size()) {
    for (const AnnotatedBox* truth : group.annotated) ignored_.push_back(truth->is_crowd || area.excludes(truth->area));
    std::iota(order_.begin(), order_.end(), size_t{0});
    std::ranges::stable_sort(order_, {}, [&](size_t index) { return ignored_[index]; });
  }

  size_t num_counted() const { return static_cast<size_t>(std::ranges::count(ignored_, false)); }

  std::vector<Match> match(double threshold) const {
    std::vector<bool> is_taken(order_.size());
    std::vector<Match> matches;
    for (size_t i = 0; i < group_.detected.size(); ++i) {
      const DetectedBox& found = *group_.detected[i];
      const std::optional<size_t> truth = best(i, threshold, is_taken);
      if (truth) is_taken[*truth] = true;
      const bool is_ignored = truth ? ignored_[*truth] : area_.excludes(found.box.area());
      matches.push_back({found.score, truth && !is_ignored, is_ignored});
    }
    return matches;
  }

 private:
  // Returns the object with the largest overlap; ignored ones only if no other matches, the last one on a tie.
  std::optional<size_t> best(size_t detection, double threshold, const std::vector<bool>& is_taken) const {
    std::optional<size_t> result;
    double most = std::min(threshold, 1 - 1e-10);
    for (const size_t truth : order_) {
      if (is_taken[truth] && !group_.annotated[truth]->is_crowd) continue;
      if (result && !ignored_[*result] && ignored_[truth]) break;
      const double value = group_.overlaps[detection * order_.size() + truth];
      if (value < most) continue;
      most = value;
      result = truth;
    }
    return result;
  }

  const Group& group_;
  const AreaRange& area_;
  std::vector<bool> ignored_;
  std::vector<size_t> order_;  // of the objects, ignored ones last
};

// Precision at 101 recalls, and the largest recall.
struct Curve {
  std::array<double, kRecalls> precision = {};
  double recall = 0;
};

Curve curve_of(std::vector<Match> matches, size_t num_objects) {
  std::ranges::stable_sort(matches, std::ranges::greater{}, &Match::score);
  std::vector<double> precision, recall;
  double right = 0, wrong = 0;
  for (const Match& match : matches) {
    right += match.is_right;
    wrong += !match.is_right && !match.is_ignored;
    recall.push_back(right / static_cast<double>(num_objects));
    precision.push_back(right / (wrong + right + std::numeric_limits<double>::epsilon()));
  }
  for (size_t i = precision.size(); i-- > 1;) precision[i - 1] = std::max(precision[i - 1], precision[i]);
  Curve curve;
  curve.recall = recall.empty() ? 0 : recall.back();
  for (size_t i = 0; i < kRecalls; ++i) {
    const auto at = std::ranges::lower_bound(recall, recall_threshold(i));
    if (at != recall.end()) curve.precision[i] = precision[static_cast<size_t>(at - recall.begin())];
  }
  return curve;
}

// The curves of a category for each threshold; empty if no object counts.
std::vector<Curve> curves_of(const Groups& groups, const AreaRange& area, size_t limit) {
  std::vector<Matcher> matchers;
  size_t num_objects = 0;
  for (const auto& entry : groups) num_objects += matchers.emplace_back(entry.second, area).num_counted();
  if (num_objects == 0) return {};
  std::vector<Curve> curves;
  for (size_t t = 0; t < kOverlaps; ++t) {
    std::vector<Match> matches;
    for (const Matcher& matcher : matchers) {
      const std::vector<Match> found = matcher.match(overlap_threshold(t));
      matches.insert(matches.end(), found.begin(),
                     found.begin() + static_cast<ptrdiff_t>(std::min(limit, found.size())));
    }
    curves.push_back(curve_of(std::move(matches), num_objects));
  }
  return curves;
}

// The mean of the values added; -1 without values.
class Mean {
 public:
  void add(double value) {
    sum_ += value;
    ++count_;
  }
  double value() const { return count_ == 0 ? -1 : sum_ / static_cast<double>(count_); }

 private:
  double sum_ = 0;
  size_t count_ = 0;
};

void add_precision(Mean& mean, const Curve& curve) {
  for (const double value : curve.precision) mean.add(value);
}

struct Means {
  std::array<Mean, kAreas.size()> ap;  // by area
  std::array<Mean, kAreas.size()> ar;
  std::array<Mean, kDetectionLimits.size()> recall;  // by limit, for all areas
  Mean ap50, ap75;

  // Adds a category and returns its AP.
  double add(const Groups& groups) {
    Mean own;
    for (size_t a = 0; a < kAreas.size(); ++a) {
      const std::vector<Curve> curves = curves_of(groups, kAreas[a], kMaxDetections);
      for (const Curve& curve : curves) {
        add_precision(ap[a], curve);
        ar[a].add(curve.recall);
        if (a == 0) add_precision(own, curve);
      }
      if (a > 0 || curves.empty()) continue;
      add_precision(ap50, curves[0]);
      add_precision(ap75, curves[5]);
    }
    for (size_t m = 0; m < kDetectionLimits.size(); ++m)
      for (const Curve& curve : curves_of(groups, kAreas[0], kDetectionLimits[m])) recall[m].add(curve.recall);
    return own.value();
  }
};

}  // namespace

double overlap(const Box& detected, const Box& annotated, bool is_crowd) {
  const double width =
      std::min(detected.x + detected.width, annotated.x + annotated.width) - std::max(detected.x, annotated.x);
  const double height =
      std::min(detected.y + detected.height, annotated.y + annotated.height) - std::max(detected.y, annotated.y);
  if (width <= 0 || height <= 0) return 0;
  const double intersection = width * height;
  return intersection / (is_crowd ? detected.area() : detected.area() + annotated.area() - intersection);
}

DetectionScore score_detections(std::span<const AnnotatedBox> annotated, std::span<const DetectedBox> detected,
                                std::span<const int64_t> categories) {
  std::map<int64_t, Groups> by_category;
  for (const int64_t category : categories) by_category[category];
  for (const AnnotatedBox& box : annotated)
    if (const auto at = by_category.find(box.category); at != by_category.end())
      at->second[box.image].annotated.push_back(&box);
  for (const DetectedBox& box : detected)
    if (const auto at = by_category.find(box.category); at != by_category.end())
      at->second[box.image].detected.push_back(&box);
  Means means;
  DetectionScore score;
  for (auto& entry : by_category) {
    for (auto& group : entry.second) prepare(group.second);
    score.ap_of_category.push_back(means.add(entry.second));
  }
  score.ap = means.ap[0].value();
  score.ap50 = means.ap50.value();
  score.ap75 = means.ap75.value();
  score.ap_small = means.ap[1].value();
  score.ap_medium = means.ap[2].value();
  score.ap_large = means.ap[3].value();
  score.ar1 = means.recall[0].value();
  score.ar10 = means.recall[1].value();
  score.ar100 = means.recall[2].value();
  score.ar_small = means.ar[1].value();
  score.ar_medium = means.ar[2].value();
  score.ar_large = means.ar[3].value();
  return score;
}

}  // namespace nestrt::tools
