// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/driver/relocate.h"

#include <catch2/catch.hpp>

#include "drivers/evta/isa/decode.h"
#include "drivers/evta/isa/encode.h"

namespace nestrt::evta::test {
namespace {

const Configuration& configuration() { return kConfigurations[0]; }

InstructionWord load(Memory memory, uint32_t dram_base, uint16_t columns = 2) {
  Transfer transfer;
  transfer.memory = memory;
  transfer.dram_base = dram_base;
  transfer.y_size = 1;
  transfer.x_size = transfer.x_stride = columns;
  return encode(configuration(), make_load(transfer, {.push_next = true})).value();
}

const std::vector<MemoryRange> kRanges = {{0x8000, 0x400, MemoryRange::Access::kRead, nullptr},
                                          {0x4100, 0x100, MemoryRange::Access::kRead, nullptr}};
constexpr uint64_t kTargets[] = {0xfff00000, 0x1100};

TEST_CASE("Transfers move with the range in which they start, and everything else is unchanged") {
  const std::vector<InstructionWord> words = {
      load(Memory::kWgt, 0x8200 / 256), load(Memory::kInp, 0x41f0 / 16), load(Memory::kInp, 0x10, 0),
      encode(configuration(), make_gemm({})).value(), encode(configuration(), make_finish()).value()};
  const auto moved = relocate({&configuration(), words, kRanges}, kTargets);
  REQUIRE(moved);
  CHECK((*moved)[0] == load(Memory::kWgt, 0xfff00200 / 256));
  CHECK((*moved)[1] == load(Memory::kInp, 0x11f0 / 16));
  CHECK((*moved)[2] == words[2]);  // moves tokens only
  CHECK((*moved)[3] == words[3]);
  CHECK((*moved)[4] == words[4]);
}

TEST_CASE("A transfer that starts in no range is rejected") {
  for (uint32_t address : {0x0u, 0x4200u, 0x7ff0u, 0x8400u}) {
    const std::vector<InstructionWord> words = {load(Memory::kInp, address / 16)};
    const auto moved = relocate({&configuration(), words, kRanges}, kTargets);
    REQUIRE_FALSE(moved);
    CHECK(moved.error().code() == Code::kInvalidPlan);
    CHECK(moved.error().message().find("instruction 0: address ") == 0);
  }
}

}  // namespace
}  // namespace nestrt::evta::test
