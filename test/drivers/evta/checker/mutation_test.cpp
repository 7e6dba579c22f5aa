// Programs that are wrong somewhere: each is refused, or runs within its memory and comes to its end.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "drivers/evta/checker/program_checker.h"
#include "test/support/random_program.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

class Mutator {
 public:
  explicit Mutator(uint64_t seed) : random_(seed) {}

  // A bit of what the program reads, micro-ops or data. Gives the byte; the same change once more restores it.
  std::byte* flip_bit_of(TestProgram* program, std::byte bit) {
    auto& memory = program->memories()[up_to(program->memories().size() - 1)];
    std::byte* byte = &memory[up_to(memory.size() - 1)];
    *byte ^= bit;
    return byte;
  }
  std::byte any_bit() { return std::byte{1} << static_cast<int>(up_to(7)); }

  // One to three changes.
  void mutate(std::vector<evta::InstructionWord>* words) {
    for (uint64_t i = up_to(2) + 1; i > 0 && !words->empty(); --i) change(words);
  }

 private:
  uint64_t up_to(uint64_t most) { return random_() % (most + 1); }

  void change(std::vector<evta::InstructionWord>* words) {
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
        half = (half & ~(field << shift)) | (random_() & field) << shift;
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

  std::mt19937_64 random_;
};

TEST_CASE("A mutated program is refused, or runs within its memory to its end") {
  constexpr int kPerProgram = 20;
  const int programs = by_level(10, 100, 5000);
  int refused = 0;
  for (int p = 0; p < programs; ++p) {
    const auto seed = static_cast<uint64_t>(p);
    TestProgram program = random_program(p % 2 == 0 ? "1x16_15_15_18_17" : "1x32_15_15_18_17", seed);
    const auto original = program.words();
    Mutator mutator(seed);
    for (int i = 0; i < kPerProgram; ++i) {
      program.words() = original;
      const std::byte bit = mutator.any_bit();
      std::byte* const flipped = mutator.flip_bit_of(&program, bit);
      if (i % 4 != 0) mutator.mutate(&program.words());
      const bool accepted = check_program(program.view(), evta::Results::kPartial).ok();
      refused += !accepted;
      const Status status = accepted ? program.run_functional().status : Status();
      INFO("program " << p << " mutation " << i << ": " << status.message());
      REQUIRE(status.ok());
      *flipped ^= bit;
    }
  }
  CHECK(refused > programs * kPerProgram / 3);
  CHECK(refused < programs * kPerProgram);
}

}  // namespace
}  // namespace nestrt::test
