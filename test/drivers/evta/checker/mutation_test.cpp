// SPDX-License-Identifier: Apache-2.0
// Tests that each damaged program is rejected, or stays within its memory, ends, and computes a result that does not
// depend on the previous contents of memory.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "drivers/evta/checker/program_checker.h"
#include "test/support/evta/random_program.h"
#include "test/support/plan/mutate_words.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

class BitFlipper {
 public:
  explicit BitFlipper(std::mt19937_64& random) : random_(random) {}

  // Flips a bit of micro-ops or data that the program reads. Returns the byte; repeating the change restores it.
  std::byte* flip_bit_of(TestProgram* program, std::byte bit) {
    auto& memory = program->memories()[up_to(program->memories().size() - 1)];
    std::byte* byte = &memory[up_to(memory.size() - 1)];
    *byte ^= bit;
    return byte;
  }
  std::byte any_bit() { return std::byte{1} << static_cast<int>(up_to(7)); }

 private:
  uint64_t up_to(uint64_t most) { return random_() % (most + 1); }

  std::mt19937_64& random_;
};

TEST_CASE("A mutated program is rejected, or runs to its end within its memory") {
  constexpr int kPerProgram = 20;
  const int programs = by_level(10, 100, 5000);
  int refused = 0;
  for (int p = 0; p < programs; ++p) {
    const auto seed = static_cast<uint64_t>(p);
    TestProgram program = random_program(p % 2 == 0 ? "1x16_15_15_18_17" : "1x32_15_15_18_17", seed);
    const auto original = program.words();
    std::mt19937_64 random(seed);
    BitFlipper flipper(random);
    for (int i = 0; i < kPerProgram; ++i) {
      program.words() = original;
      const std::byte bit = flipper.any_bit();
      std::byte* const flipped = flipper.flip_bit_of(&program, bit);
      if (i % 4 != 0) mutate(&program.words(), random);
      const bool accepted = check_program(program.view(), evta::Results::kPartial).ok();
      refused += !accepted;
      const Status status = accepted ? program.run_functional().status : Status();
      INFO("program " << p << " mutation " << i << ": " << status.message());
      REQUIRE(status.ok());
      REQUIRE((!accepted || program.is_steady()));
      *flipped ^= bit;
    }
  }
  CHECK(refused > programs * kPerProgram / 3);
  CHECK(refused < programs * kPerProgram);
}

}  // namespace
}  // namespace nestrt::test
