// SPDX-License-Identifier: Apache-2.0
// Decodes the scores of CTC networks and counts the errors of the text.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nestrt::tools {

// Returns the classes of the best path: the class with the largest score of each step, without repetitions and blanks.
// `score` returns the score of a class at a step; NaN is never the largest.
std::vector<size_t> greedy_ctc(size_t num_steps, size_t num_classes, size_t blank,
                               const std::function<double(size_t step, size_t label)>& score);

// Returns the code points of UTF-8 text; bytes that are not UTF-8 count as one each.
std::vector<std::string_view> code_points(std::string_view text);

// Returns the number of insertions, deletions and replacements of code points that turn one text into the other.
size_t edit_distance(std::string_view truth, std::string_view found);
// Returns the same number for sequences of classes.
size_t edit_distance(std::span<const size_t> truth, std::span<const size_t> found);

// Character error rate over several texts: edits by characters of the truth.
class TextScore {
 public:
  void add(std::string_view truth, std::string_view found);

  // Returns the character error rate, which exceeds 1 if most characters are insertions; NaN without characters.
  double error_rate() const;
  size_t num_edits() const { return num_edits_; }
  size_t num_characters() const { return num_characters_; }
  size_t num_texts() const { return num_texts_; }
  size_t num_exact() const { return num_exact_; }  // texts without errors

 private:
  size_t num_edits_ = 0, num_characters_ = 0, num_texts_ = 0, num_exact_ = 0;
};

}  // namespace nestrt::tools
