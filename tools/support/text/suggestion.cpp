// SPDX-License-Identifier: Apache-2.0
#include "tools/support/text/suggestion.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace nestrt::tools {
namespace {

constexpr size_t kMaxEdits = 2, kLettersOfAnEdit = 3, kMaxLetters = 64;

// Returns the optimal string alignment distance: Damerau's distance without repeated edits of a substring.
size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<size_t> before_last, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = std::exchange(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string> most_like(std::string_view word, std::span<const std::string> candidates) {
  std::optional<std::string> best;
  size_t least = std::min(kMaxEdits, word.size() / kLettersOfAnEdit) + 1;
  for (const std::string& candidate : candidates) {
    if (std::max(word.size(), candidate.size()) > kMaxLetters) continue;
    const size_t edits = edits_between(word, candidate);
    if (edits >= least) continue;
    least = edits;
    best = candidate;
  }
  return best;
}

}  // namespace nestrt::tools
