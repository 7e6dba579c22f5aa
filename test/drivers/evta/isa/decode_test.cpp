// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/isa/decode.h"

#include <catch2/catch.hpp>
#include <string>

#include "drivers/evta/isa/disassemble.h"
#include "test/support/evta/evta_configuration.h"

namespace nestrt::evta {
namespace {

using Catch::Matchers::Contains;

void check_refused(const InstructionWord& word, const std::string& reason) {
  const auto instruction = decode(test::stock_configuration(), word);
  REQUIRE_FALSE(instruction);
  CHECK(instruction.error().code() == Code::kInvalidPlan);
  CHECK_THAT(std::string(instruction.error().message()), Contains(reason));
}

TEST_CASE("An undefined opcode is rejected") {
  for (uint64_t opcode = 5; opcode < 8; ++opcode)
    check_refused({opcode, 0}, "undefined opcode " + std::to_string(opcode));
}

TEST_CASE("An undefined memory is rejected") {
  check_refused({0 | 6 << 7, 0}, "undefined memory 6");
  check_refused({1 | 7 << 7, 0}, "undefined memory 7");
}

TEST_CASE("An undefined ALU operation is rejected") {
  for (uint64_t opcode = 5; opcode < 8; ++opcode) check_refused({4, opcode << 44}, "undefined ALU operation");
}

TEST_CASE("Unused bits that are set are rejected") {
  check_refused({uint64_t{1} << 58, 0}, "load: an unused bit");
  check_refused({2 | uint64_t{1} << 63, 0}, "gemm: an unused bit");
  check_refused({4 | uint64_t{1} << 63, 0}, "alu: an unused bit");
  check_refused({4 | uint64_t{1} << 7, 0}, "alu: an unused bit");
  check_refused({3 | uint64_t{1} << 7, 0}, "finish: an unused bit");
  check_refused({3, 1}, "finish: an unused bit");
  CHECK_FALSE(decode_micro_op(test::stock_configuration(), uint64_t{1} << 32));
  const Configuration& wide = *find_configuration("1x32_15_15_18_17");
  CHECK_FALSE(decode_micro_op(wide, uint64_t{1} << 28));
  CHECK(decode_micro_op(wide, (uint64_t{1} << 28) - 1));
}

TEST_CASE("Micro-ops are read little-endian") {
  const std::array<std::byte, 8> bytes = {std::byte{0}, std::byte{0}, std::byte{0},    std::byte{0},
                                          std::byte{1}, std::byte{2}, std::byte{0xff}, std::byte{0x80}};
  CHECK(read_micro_op(test::stock_configuration(), bytes, 1) == 0x80ff0201);
  CHECK(read_micro_op(*find_configuration("1x16_16_16_19_18"), bytes, 0) == 0x80ff020100000000);
}

TEST_CASE("Each instruction belongs to the module that the fetch stage routes it to") {
  CHECK(module_of(make_load({.memory = Memory::kInp})) == Module::kLoad);
  CHECK(module_of(make_load({.memory = Memory::kWgt})) == Module::kLoad);
  CHECK(module_of(make_load({.memory = Memory::kUop})) == Module::kCompute);
  CHECK(module_of(make_load({.memory = Memory::kAcc})) == Module::kCompute);
  CHECK(module_of(make_gemm({})) == Module::kCompute);
  CHECK(module_of(make_alu({})) == Module::kCompute);
  CHECK(module_of(make_finish()) == Module::kCompute);
  CHECK(module_of(make_store({.memory = Memory::kOut})) == Module::kStore);
}

TEST_CASE("An instruction disassembles to one line with all fields") {
  CHECK(disassemble(*decode(test::stock_configuration(), {0x0000048d14004150, 0x4321001000050004})) ==
        "load inp  sram 16 dram 74565 rows 4 x 5 stride 16 pad y 1,2 x 3,4 pop_next push_next");
  CHECK(disassemble(*decode(test::stock_configuration(), {0x7ffe00700160032a, 0x0180500800c01001})) ==
        "gemm  uop [3,11) loop 14 x 16383 dst 1,2 src 3,4 wgt 5,6 pop_prev push_prev");
  CHECK(disassemble(*decode(test::stock_configuration(), {0x0080000800200044, 0xfffdb00200000800})) ==
        "alu shr  uop [0,1) loop 1 x 64 dst 0,1 src 0,1 imm -3 push_next");
  CHECK(disassemble(make_finish()) == "finish");
  CHECK(disassemble(MicroOp{1, 2, 3}) == "dst 1 src 2 wgt 3");
}

}  // namespace
}  // namespace nestrt::evta
