// SPDX-License-Identifier: Apache-2.0
// An EVTA program encoded as fuzzer input: its memory ranges, instructions and constants.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "drivers/evta/program.h"

namespace nestrt::test {

struct EvtaInput {
  const evta::Configuration* configuration = nullptr;
  std::vector<evta::MemoryRange> ranges;  // placed consecutively, as TestProgram places them; no constants
  std::vector<evta::InstructionWord> words;
  std::vector<std::vector<std::byte>> memories;  // one per range; writable ones are zero

  // Decodes an input. Any bytes are valid.
  static EvtaInput from_bytes(std::span<const std::byte> bytes);
  // Requires: a program of TestProgram with known constants.
  static EvtaInput from_program(const evta::Program& program);
  std::vector<std::byte> to_bytes() const;

  // Returns the program. The result refers to this object.
  evta::Program program();
};

}  // namespace nestrt::test
