// A program of an EVTA as the bytes of a fuzzer: what it may touch, its instructions, and what its constants hold.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "drivers/evta/program.h"

namespace nestrt::test {

struct EvtaInput {
  const evta::Configuration* configuration = nullptr;
  std::vector<evta::MemoryRange> ranges;  // placed one after the other, as TestProgram places them; no constants
  std::vector<evta::InstructionWord> words;
  std::vector<std::vector<std::byte>> memories;  // by range; those that can be written hold zeros

  // Any bytes are one.
  static EvtaInput from_bytes(std::span<const std::byte> bytes);
  // Requires: a program of TestProgram, whose constants are known.
  static EvtaInput from_program(const evta::Program& program);
  std::vector<std::byte> to_bytes() const;

  // Refers to this object.
  evta::Program program();
};

}  // namespace nestrt::test
