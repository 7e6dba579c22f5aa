// SPDX-License-Identifier: Apache-2.0
#include "test/fuzz/evta_input.h"

#include <algorithm>
#include <cstring>

#include "test/fuzz/fuzz_input.h"

namespace nestrt::test {
namespace {

using evta::MemoryRange;

constexpr const char* kNames[] = {"1x16_15_15_18_17", "1x32_15_15_18_17"};
constexpr uint64_t kFirstAddress = 0x10000, kAlignment = 4096;

void place(std::vector<MemoryRange>& ranges) {
  uint64_t next = kFirstAddress;
  for (MemoryRange& range : ranges) {
    range.address = next;
    next = (next + range.size + kAlignment - 1) / kAlignment * kAlignment;
  }
}

template <typename T>
void append(std::vector<std::byte>& bytes, T value) {
  const auto part = std::as_bytes(std::span(&value, 1));
  bytes.insert(bytes.end(), part.begin(), part.end());
}

}  // namespace

EvtaInput EvtaInput::from_bytes(std::span<const std::byte> bytes) {
  FuzzInput input(bytes);
  EvtaInput result;
  result.configuration = evta::find_configuration(kNames[input.take<uint8_t>() % std::size(kNames)]);
  result.ranges.resize(input.take<uint8_t>());
  result.words.resize(input.take<uint8_t>());
  for (MemoryRange& range : result.ranges) {
    range.access = static_cast<MemoryRange::Access>(1 + input.take<uint8_t>() % 3);
    range.size = 1 + uint64_t{input.take<uint16_t>()};
  }
  place(result.ranges);
  for (evta::InstructionWord& word : result.words) word = input.take<evta::InstructionWord>();
  for (const MemoryRange& range : result.ranges) {
    auto& memory = result.memories.emplace_back(range.size);
    if (range.access != MemoryRange::Access::kRead) continue;
    const auto content = input.take_bytes(range.size);
    std::copy(content.begin(), content.end(), memory.begin());
  }
  return result;
}

EvtaInput EvtaInput::from_program(const evta::Program& program) {
  EvtaInput result;
  result.configuration = program.configuration;
  result.ranges.assign(program.ranges.begin(), program.ranges.end());
  result.words.assign(program.instructions.begin(), program.instructions.end());
  for (const MemoryRange& range : result.ranges) {
    auto& memory = result.memories.emplace_back(range.size);
    if (range.constant != nullptr) std::copy_n(range.constant, range.size, memory.begin());
  }
  return result;
}

std::vector<std::byte> EvtaInput::to_bytes() const {
  std::vector<std::byte> bytes;
  append(bytes, static_cast<uint8_t>(configuration->name == kNames[1]));
  append(bytes, static_cast<uint8_t>(ranges.size()));
  append(bytes, static_cast<uint8_t>(words.size()));
  for (const MemoryRange& range : ranges) {
    append(bytes, static_cast<uint8_t>(static_cast<int>(range.access) - 1));
    append(bytes, static_cast<uint16_t>(range.size - 1));
  }
  for (const evta::InstructionWord& word : words) append(bytes, word);
  for (size_t i = 0; i < ranges.size(); ++i)
    if (ranges[i].access == MemoryRange::Access::kRead)
      bytes.insert(bytes.end(), memories[i].begin(), memories[i].end());
  return bytes;
}

evta::Program EvtaInput::program() {
  for (size_t i = 0; i < ranges.size(); ++i)
    if (ranges[i].access == MemoryRange::Access::kRead) ranges[i].constant = memories[i].data();
  return {configuration, words, ranges};
}

}  // namespace nestrt::test
