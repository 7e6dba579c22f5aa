// SPDX-License-Identifier: Apache-2.0
#include "test/fuzz/evta_input.h"
#include "test/fuzz/seeds.h"
#include "test/support/evta/random_program.h"

namespace nestrt::test {

void add_evta_program_seeds(SeedFolder& folder) {
  constexpr int kPrograms = 12;
  constexpr size_t kMaxBytes = 1 << 14;  // shorter inputs run more often
  for (uint64_t seed = 0, added = 0; added < kPrograms; ++seed) {
    TestProgram program = random_program(seed % 2 == 0 ? "1x16_15_15_18_17" : "1x32_15_15_18_17", seed);
    const auto bytes = EvtaInput::from_program(program.view()).to_bytes();
    if (bytes.size() > kMaxBytes) continue;
    folder.add(bytes);
    ++added;
  }
}

}  // namespace nestrt::test
