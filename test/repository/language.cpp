// SPDX-License-Identifier: Apache-2.0
#include "test/repository/language.h"

#include <algorithm>
#include <cctype>

namespace nestrt::test {
namespace {

// Prefixes of the checked paths. To check the whole repository, replace the list by {""}.
// clang-format off
constexpr std::string_view kChecked[] = {
    "ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "boards/", "docs/", "kernels/", "scheduler/",
    "test/boards/", "test/compiler-lite/", "test/faults/", "test/fuzz/", "test/kernels/",
    "test/lock_annotations/", "test/repository/", "test/scheduler/", "test/soak/", "test/support/",
    "toolchains/", "tools/"};
// clang-format on

struct Term {
  std::string_view replaced;
  std::string_view use;
};

constexpr Term kTerms[] = {
    {"beside", "next to; in addition to"},
    {"but for", "except"},
    {"whoever", "the caller"},
    {"so many", "N"},
    {"is none", "is not a valid ...; is not set"},
    {"are none", "are not valid"},
    {"there is none", "does not exist"},
    {"of one's own", "its own; custom"},
    {"hungriest", "largest"},
    {"patience", "timeout"},
    {"healed", "fell back to the host"},
    {"heals", "falls back to the host"},
    {"lends", "shares"},
    {"mended", "fixed"},
    {"now and then", "periodically"},
    {"for ever", "forever"},
    {"side by side", "concurrently; adjacent"},
    {"stands for", "represents"},
    {"lies in", "is stored in; is inside"},
    {"worth it", "worthwhile"},
    {"hands over", "passes; transfers"},
    {"is told", "receives; is notified of"},
    {"picture", "image"},
    {"pictures", "images"},
};

// Returns whether a path is checked. This file and its test contain the terms.
bool is_checked(std::string_view path) {
  return !path.starts_with("test/repository/language") &&
         std::ranges::any_of(kChecked, [&](std::string_view prefix) { return path.starts_with(prefix); });
}

// A lower-case text without newlines and comment markers, and the line of each character.
struct FlatText {
  explicit FlatText(std::string_view source) {
    size_t number = 0;
    for (std::string_view line : lines_of(source)) {
      line.remove_prefix(std::min(line.find_first_not_of(" \t/#*>"), line.size()));
      for (const char c : line) text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      text += ' ';
      line_of.resize(text.size(), ++number);
    }
  }

  std::string text;
  std::vector<size_t> line_of;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Returns whether the term is a whole word or phrase there. "but for (" is prose before a loop.
bool is_occurrence(std::string_view text, size_t at, std::string_view term) {
  const std::string_view after = text.substr(at + term.size());
  const bool is_whole = (at == 0 || !is_word(text[at - 1])) && (after.empty() || !is_word(after.front()));
  return is_whole && !(term == "but for" && after.starts_with(" ("));
}

}  // namespace

Findings replaced_terms(const SourceTree& tree) {
  Findings findings;
  for (const auto& [path, source] : tree) {
    if (!is_checked(path)) continue;
    const FlatText flat(source);
    for (const Term& term : kTerms)
      for (size_t at = flat.text.find(term.replaced); at != std::string::npos;
           at = flat.text.find(term.replaced, at + 1))
        if (is_occurrence(flat.text, at, term.replaced))
          findings.push_back(path + ":" + std::to_string(flat.line_of[at]) + ": '" + std::string(term.replaced) +
                             "'; use: " + std::string(term.use));
  }
  return findings;
}

}  // namespace nestrt::test
