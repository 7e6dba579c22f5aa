// SPDX-License-Identifier: Apache-2.0
// Metrics of outputs whose rows along the last axis are class scores of time steps, or embeddings. The model's results
// show which: rows of probabilities sum to 1, and so do the exponentials of their logarithms; embeddings have length 1.
#pragma once

#include <cstdint>

#include "nestrt/tensor.h"

namespace nestrt::compiler {

// Sums over the rows of one or several runs.
struct RowMetrics {
  bool are_scores = false;      // time steps of a tensor with three axes: [T, N, C] or [N, T, C]
  bool are_embeddings = false;  // of length 1
  // Classes of the decoded sequences of the model, and edits that turn them into the plan's. Decoding as for CTC drops
  // repetitions and blanks; the blank is the first or last class, whichever the model prefers more often.
  int64_t classes = 0, edits = 0;
  double least_cosine = 1;  // of a row

  // Returns the fraction of the decoded classes that are right.
  double sequence_agreement() const;
  // Combines the same output of two runs.
  void add(const RowMetrics& other);
};

// `batch`: number of samples, which tells T from N. Requires: equal numbers of elements. Tensors other than f32 have
// neither kind of rows.
RowMetrics measure_rows(const ConstTensorView& actual, const ConstTensorView& expected, int64_t batch);

}  // namespace nestrt::compiler
