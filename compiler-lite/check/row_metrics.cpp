// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/check/row_metrics.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "tools/support/metrics/text_error.h"

namespace nestrt::compiler {
namespace {

constexpr double kMaxSumError = 1e-3;  // of f32 sums over up to 20,000 classes, or of probabilities stored in 8 bits
constexpr int64_t kMinEmbedding = 8;   // shorter vectors of length 1 are rather directions
constexpr int64_t kMinClasses = 2;

using Row = std::span<const float>;

// The rows of a tensor along its last axis.
struct Rows {
  explicit Rows(const ConstTensorView& tensor)
      : elements(static_cast<const float*>(tensor.data)),
        length(tensor.shape[tensor.shape.rank() - 1]),
        count(tensor.shape.num_elements() / length) {}

  Row operator[](int64_t row) const { return {elements + row * length, static_cast<size_t>(length)}; }
  template <typename Test>
  bool all(Test test) const {
    for (int64_t row = 0; row < count; ++row)
      if (!test((*this)[row])) return false;
    return count > 0;
  }

  const float* elements;
  int64_t length, count;
};

template <typename Term>
double sum_of(Row row, Term term) {
  double sum = 0;
  for (const float element : row) sum += term(double{element});
  return sum;
}

bool is_near_one(double sum) { return std::abs(sum - 1) <= kMaxSumError; }

bool has_probabilities(Row row) {
  return std::ranges::all_of(row, [](float element) { return element >= 0; }) &&
         is_near_one(sum_of(row, [](double element) { return element; }));
}

bool has_log_probabilities(Row row) {
  return std::ranges::all_of(row, [](float element) { return element <= 0; }) &&
         is_near_one(sum_of(row, [](double element) { return std::exp(element); }));
}

bool has_length_one(Row row) {
  return is_near_one(sum_of(row, [](double element) { return element * element; }));
}

size_t top_of(Row row) { return static_cast<size_t>(std::ranges::max_element(row) - row.begin()); }

// Returns 0 if a row is zero or contains numbers that are not finite.
double cosine_of(Row a, Row b) {
  double product = 0, length_a = 0, length_b = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    product += double{a[i]} * double{b[i]};
    length_a += double{a[i]} * double{a[i]};
    length_b += double{b[i]} * double{b[i]};
  }
  const double cosine = product / (std::sqrt(length_a) * std::sqrt(length_b));
  return std::isfinite(cosine) ? cosine : 0;
}

// Returns the first or the last class.
size_t blank_of(const Rows& rows) {
  const size_t last = static_cast<size_t>(rows.length) - 1;
  int64_t balance = 0;
  for (int64_t row = 0; row < rows.count; ++row) {
    const size_t top = top_of(rows[row]);
    balance += top == 0 ? 1 : top == last ? -1 : 0;
  }
  return balance >= 0 ? 0 : last;
}

// How the rows of a tensor form sequences.
struct Sequences {
  int64_t count, steps, stride_of_sequence, stride_of_step;
};

Sequences sequences_of(const Shape& shape, int64_t batch) {
  const int64_t first = shape[0], second = shape[1];
  const bool steps_first = first != batch && second == batch;
  return steps_first ? Sequences{second, first, 1, second} : Sequences{first, second, second, 1};
}

void compare_sequences(const Rows& actual, const Rows& expected, const Sequences& sequences, RowMetrics& metrics) {
  const size_t blank = blank_of(expected);
  for (int64_t sequence = 0; sequence < sequences.count; ++sequence) {
    const auto decode = [&](const Rows& rows) {
      const auto score = [&](size_t step, size_t label) {
        const int64_t row =
            sequence * sequences.stride_of_sequence + static_cast<int64_t>(step) * sequences.stride_of_step;
        return double{rows[row][label]};
      };
      return tools::greedy_ctc(static_cast<size_t>(sequences.steps), static_cast<size_t>(rows.length), blank, score);
    };
    const auto truth = decode(expected);
    metrics.classes += static_cast<int64_t>(truth.size());
    metrics.edits += static_cast<int64_t>(tools::edit_distance(truth, decode(actual)));
  }
}

}  // namespace

double RowMetrics::sequence_agreement() const {
  if (classes == 0) return edits == 0 ? 1 : 0;
  return std::max(0.0, 1 - static_cast<double>(edits) / static_cast<double>(classes));
}

void RowMetrics::add(const RowMetrics& other) {
  are_scores = are_scores && other.are_scores;
  are_embeddings = are_embeddings && other.are_embeddings;
  classes += other.classes;
  edits += other.edits;
  least_cosine = std::min(least_cosine, other.least_cosine);
}

RowMetrics measure_rows(const ConstTensorView& actual, const ConstTensorView& expected, int64_t batch) {
  RowMetrics metrics;
  const Shape& shape = expected.shape;
  if (expected.type != DataType::kF32 || shape.rank() < 2 || shape.num_elements() == 0) return metrics;
  const Rows mine(ConstTensorView(actual.type, shape, actual.data)), theirs(expected);
  metrics.are_scores = shape.rank() == 3 && theirs.length >= kMinClasses && shape[0] * shape[1] > 1 &&
                       (theirs.all(has_probabilities) || theirs.all(has_log_probabilities));
  metrics.are_embeddings = !metrics.are_scores && theirs.length >= kMinEmbedding && theirs.all(has_length_one) &&
                           !theirs.all(has_probabilities);
  if (metrics.are_scores) compare_sequences(mine, theirs, sequences_of(shape, batch), metrics);
  for (int64_t row = 0; metrics.are_embeddings && row < theirs.count; ++row)
    metrics.least_cosine = std::min(metrics.least_cosine, cosine_of(mine[row], theirs[row]));
  return metrics;
}

}  // namespace nestrt::compiler
