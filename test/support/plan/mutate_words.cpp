// SPDX-License-Identifier: Apache-2.0
#include "test/support/plan/mutate_words.h"

#include <utility>

namespace nestrt::test {
namespace {

void change(std::vector<evta::InstructionWord>* words, std::mt19937_64& random) {
  const auto up_to = [&](uint64_t most) { return random() % (most + 1); };
  const size_t at = up_to(words->size() - 1);
  auto& half = (*words)[at][up_to(1)];
  const uint64_t field = (uint64_t{1} << (up_to(15) + 1)) - 1;
  const auto shift = up_to(63);
  switch (up_to(6)) {
    case 0:
      half ^= uint64_t{1} << shift;
      break;
    case 1:
      half |= field << shift;
      break;
    case 2:
      half &= ~(field << shift);
      break;
    case 3:
      half = (half & ~(field << shift)) | (random() & field) << shift;
      break;
    case 4:
      words->erase(words->begin() + static_cast<ptrdiff_t>(at));
      break;
    case 5:
      words->insert(words->begin() + static_cast<ptrdiff_t>(at), (*words)[up_to(words->size() - 1)]);
      break;
    default:
      std::swap((*words)[at], (*words)[up_to(words->size() - 1)]);
      break;
  }
}

}  // namespace

void mutate(std::vector<evta::InstructionWord>* words, std::mt19937_64& random) {
  for (uint64_t i = random() % 3 + 1; i > 0 && !words->empty(); --i) change(words, random);
}

}  // namespace nestrt::test
