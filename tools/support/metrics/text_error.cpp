// SPDX-License-Identifier: Apache-2.0
#include "tools/support/metrics/text_error.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace nestrt::tools {
namespace {

// Returns the length that the first byte of a UTF-8 sequence indicates; 1 for other bytes.
size_t stated_length(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte >= 0xf0 && byte < 0xf8 ? 4 : byte >= 0xe0 ? (byte < 0xf0 ? 3 : 1) : byte >= 0xc0 ? 2 : 1;
}

template <typename Element>
size_t count_edits(std::span<const Element> from, std::span<const Element> to) {
  std::vector<size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < from.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < to.size(); ++j) {
      const size_t replaced = diagonal + (from[i] != to[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

}  // namespace

std::vector<size_t> greedy_ctc(size_t num_steps, size_t num_classes, size_t blank,
                               const std::function<double(size_t step, size_t label)>& score) {
  std::vector<size_t> labels;
  size_t previous = blank;
  for (size_t step = 0; step < num_steps; ++step) {
    size_t best = 0;
    double most = -std::numeric_limits<double>::infinity();
    for (size_t label = 0; label < num_classes; ++label) {
      const double value = score(step, label);
      if (!(value > most)) continue;
      most = value;
      best = label;
    }
    if (best != previous && best != blank) labels.push_back(best);
    previous = best;
  }
  return labels;
}

std::vector<std::string_view> code_points(std::string_view text) {
  std::vector<std::string_view> points;
  while (!text.empty()) {
    const size_t length = stated_length(text[0]);
    const bool is_complete = length <= text.size() && std::ranges::all_of(text.substr(1, length - 1), is_continuation);
    points.push_back(text.substr(0, is_complete ? length : 1));
    text.remove_prefix(points.back().size());
  }
  return points;
}

size_t edit_distance(std::string_view truth, std::string_view found) {
  return count_edits<std::string_view>(code_points(truth), code_points(found));
}

size_t edit_distance(std::span<const size_t> truth, std::span<const size_t> found) { return count_edits(truth, found); }

void TextScore::add(std::string_view truth, std::string_view found) {
  num_edits_ += edit_distance(truth, found);
  num_characters_ += code_points(truth).size();
  ++num_texts_;
  num_exact_ += truth == found;
}

double TextScore::error_rate() const {
  return num_characters_ == 0 ? std::numeric_limits<double>::quiet_NaN()
                              : static_cast<double>(num_edits_) / static_cast<double>(num_characters_);
}

}  // namespace nestrt::tools
