// SPDX-License-Identifier: Apache-2.0
// Recall of embeddings: how often the nearest other samples have the same class.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace nestrt::tools {

struct RetrievalScore {
  size_t num_queries = 0;      // samples whose class has another sample
  std::vector<double> recall;  // at each K: the fraction of queries with a sample of their class among the K nearest
};

// Compares each sample with all others by cosine similarity; the first one is nearer on a tie, and embeddings with NaN
// are the farthest. `embeddings` has `labels.size()` rows. The time is quadratic in the number of samples.
RetrievalScore score_retrieval(std::span<const float> embeddings, std::span<const int64_t> labels,
                               std::span<const size_t> nearest);

}  // namespace nestrt::tools
