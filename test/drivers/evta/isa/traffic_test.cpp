// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/isa/traffic.h"

#include <catch2/catch.hpp>
#include <vector>

#include "drivers/evta/isa/encode.h"
#include "test/support/evta/evta_configuration.h"

namespace nestrt::evta::test {
namespace {

Transfer rows_of(Memory memory, uint16_t rows, uint16_t columns) {
  Transfer transfer;
  transfer.memory = memory;
  transfer.y_size = rows;
  transfer.x_size = transfer.x_stride = columns;
  return transfer;
}

InstructionWord word_of(const Instruction& instruction) {
  const Result<InstructionWord> word = encode(stock_configuration(), instruction);
  REQUIRE(word);
  return *word;
}

TEST_CASE("The traffic of a program consists of its transfers, without pads, and its instructions") {
  const Configuration& configuration = stock_configuration();
  Transfer load = rows_of(Memory::kInp, 3, 5);
  load.x_pad_begin = 1;
  const std::vector<InstructionWord> words = {word_of(make_load(load)),
                                              word_of(make_store(rows_of(Memory::kOut, 2, 7)))};
  const Result<uint64_t> bytes = memory_traffic(configuration, words);
  REQUIRE(bytes);
  const auto inputs = static_cast<uint64_t>(configuration.element_bytes(Memory::kInp));
  const auto outputs = static_cast<uint64_t>(configuration.element_bytes(Memory::kOut));
  CHECK(*bytes == 15 * inputs + 14 * outputs + 2 * sizeof(InstructionWord));
}

TEST_CASE("An invalid instruction is rejected") {
  const InstructionWord word = {7, 0};  // an undefined opcode
  CHECK_FALSE(memory_traffic(stock_configuration(), std::span(&word, 1)));
}

}  // namespace
}  // namespace nestrt::evta::test
