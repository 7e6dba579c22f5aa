// SPDX-License-Identifier: Apache-2.0
#include "tools/support/metrics/retrieval.h"

#include <cmath>
#include <limits>
#include <map>

namespace nestrt::tools {
namespace {

constexpr double kFarthest = -std::numeric_limits<double>::infinity();

double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

class Embeddings {
 public:
  Embeddings(std::span<const float> values, size_t count) : values_(values), size_(values.size() / count) {
    for (size_t i = 0; i < count; ++i) norms_.push_back(std::sqrt(dot(row(i), row(i))));
  }

  double similarity(size_t a, size_t b) const {
    const double value = dot(row(a), row(b)) / (norms_[a] * norms_[b]);
    return std::isnan(value) ? kFarthest : value;
  }

 private:
  std::span<const float> row(size_t index) const { return values_.subspan(index * size_, size_); }

  std::span<const float> values_;
  size_t size_;
  std::vector<double> norms_;
};

// Returns the number of samples that are nearer to `query` than the nearest of its class.
size_t rank_of_class(const Embeddings& embeddings, std::span<const int64_t> labels, size_t query) {
  std::vector<double> similarities(labels.size());
  size_t nearest = labels.size();
  for (size_t i = 0; i < labels.size(); ++i) {
    if (i == query) continue;
    similarities[i] = embeddings.similarity(query, i);
    const bool is_nearer = nearest == labels.size() || similarities[i] > similarities[nearest];
    if (labels[i] == labels[query] && is_nearer) nearest = i;
  }
  size_t rank = 0;
  for (size_t i = 0; i < labels.size(); ++i) {
    const bool is_nearer =
        i < nearest ? similarities[i] >= similarities[nearest] : similarities[i] > similarities[nearest];
    rank += i != query && i != nearest && is_nearer;
  }
  return rank;
}

}  // namespace

RetrievalScore score_retrieval(std::span<const float> embeddings, std::span<const int64_t> labels,
                               std::span<const size_t> nearest) {
  RetrievalScore score;
  score.recall.resize(nearest.size());
  if (labels.empty()) return score;
  std::map<int64_t, size_t> sizes;
  for (const int64_t label : labels) ++sizes[label];
  const Embeddings rows(embeddings, labels.size());
  for (size_t query = 0; query < labels.size(); ++query) {
    if (sizes[labels[query]] < 2) continue;
    ++score.num_queries;
    const size_t rank = rank_of_class(rows, labels, query);
    for (size_t k = 0; k < nearest.size(); ++k) score.recall[k] += rank < nearest[k];
  }
  for (double& value : score.recall) value /= static_cast<double>(score.num_queries > 0 ? score.num_queries : 1);
  return score;
}

}  // namespace nestrt::tools
