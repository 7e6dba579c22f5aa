// SPDX-License-Identifier: Apache-2.0
// Tests properties that both simulators share.
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "drivers/evta/simulator/functional_simulator.h"
#include "kernels/common/simd/simd.h"
#include "test/support/evta/random_program.h"
#include "test/support/evta/replay_in_both.h"
#include "test/support/shared_data.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

using namespace evta;
using Catch::Matchers::Contains;

TEST_CASE("All vectors of the accelerator's reference model pass in both simulators") {
  const auto path = shared_data("vta/vectors.bin");
  if (!path) return;
  std::ifstream file(*path, std::ios::binary);
  const std::vector<char> contents{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto cases = parse_vectors(std::as_bytes(std::span(contents)));
  REQUIRE(cases);
  CHECK(cases->size() == 360);
  for (const VectorCase& vector : *cases) {
    const Status status = replay_in_both(vector, *find_configuration("1x16_15_15_18_17"));
    INFO(vector.name << ": " << status.message());
    CHECK(status.ok());
  }
}

void check_agreement(const std::string& configuration, uint64_t seed) {
  TestProgram program = random_program(configuration, seed);
  const auto plain = program.run_plain();
  const auto functional = program.run_functional();
  INFO(configuration << " seed " << seed << ": " << plain.status.message() << functional.status.message());
  REQUIRE(plain.status.ok());
  REQUIRE(functional.status.ok());
  REQUIRE(plain.written == functional.written);
  REQUIRE(program.is_steady());
}

TEST_CASE("Generated programs produce the same results in both simulators, in configurations with other sizes") {
  const int count = by_level(60, 1000, 10000);
  for (const char* const configuration : {"1x8_15_14_16_16", "1x16_14_14_17_16", "1x32_15_14_18_16"}) {
    for (int seed = 0; seed < count; ++seed) check_agreement(configuration, static_cast<uint64_t>(seed));
  }
}

TEST_CASE("Generated programs produce the same results in both simulators, in every configuration") {
  const int count = by_level(120, 2500, 20000);
  for (const Configuration& configuration : kConfigurations) {
    for (int seed = 0; seed < count / (configuration.encoding_assumed ? 10 : 1); ++seed)
      check_agreement(std::string(configuration.name), static_cast<uint64_t>(seed));
  }
}

TEST_CASE("Generated programs produce the same results with every instruction set of this machine") {
  const InstructionSet best = kernels::current_instruction_set();
  for (const InstructionSet set : kernels::supported_instruction_sets()) {
    REQUIRE(kernels::force_instruction_set(set));
    for (uint64_t seed = 0; seed < 20; ++seed) {
      check_agreement("1x8_15_14_16_16", 1000000 + seed);
      check_agreement("1x16_15_15_18_17", 1000000 + seed);
      check_agreement("1x32_15_15_18_17", 1000000 + seed);
    }
  }
  kernels::force_instruction_set(best);
}

// One GEMM or ALU instruction on acc[0..1) with the given accumulators, and a store of out[0].
class OneElement {
 public:
  explicit OneElement(int32_t value) {
    std::vector<std::byte> acc;
    for (int lane = 0; lane < 16; ++lane) {
      for (int i = 0; i < 4; ++i) acc.push_back(static_cast<std::byte>(static_cast<uint32_t>(value) >> (8 * i)));
    }
    program.load({.memory = Memory::kAcc,
                  .dram_base = program.element(program.add_constant(acc), Memory::kAcc),
                  .y_size = 1,
                  .x_size = 1,
                  .x_stride = 1});
    program.load_micro_ops({{0, 0, 0}});
  }

  OneElement& alu(AluOpcode opcode, int16_t immediate) {
    program.alu({.loop = {.uop_end = 1}, .opcode = opcode, .use_immediate = true, .immediate = immediate});
    return *this;
  }

  // Returns the stored byte, which must be the same in both simulators; `strictness` applies to the plain one.
  int stored(Strictness strictness = Strictness::kStrict) {
    program.load({.memory = Memory::kUop}, {.push_next = true});
    const uint64_t address = program.add_output(16);
    program.store({.memory = Memory::kOut,
                   .dram_base = program.element(address, Memory::kOut),
                   .y_size = 1,
                   .x_size = 1,
                   .x_stride = 1},
                  {.pop_prev = true, .push_prev = true});
    program.finish({.pop_next = true});
    const auto plain = program.run_plain(strictness), functional = program.run_functional();
    INFO(plain.status.message() << functional.status.message());
    REQUIRE(plain.status.ok());
    REQUIRE(functional.status.ok());
    REQUIRE(plain.written == functional.written);
    return static_cast<int8_t>(plain.written[0]);
  }

  TestProgram program;
};

TEST_CASE("A store keeps the low 8 bits and saturates nothing") {
  CHECK(OneElement(200).alu(AluOpcode::kAdd, 0).stored() == -56);
  CHECK(OneElement(300).alu(AluOpcode::kAdd, 0).stored() == 44);
  CHECK(OneElement(400).alu(AluOpcode::kAdd, 0).stored() == -112);
}

TEST_CASE("Right shifts round towards minus infinity") {
  CHECK(OneElement(-1).alu(AluOpcode::kShr, 15).stored() == -1);
  CHECK(OneElement(-1000000).alu(AluOpcode::kShr, 8).stored() == static_cast<int8_t>(-3907));
}

TEST_CASE("A shift uses the low 5 bits of its amount, signed") {
  CHECK(OneElement(3).alu(AluOpcode::kShr, -2).stored() == 12);
  CHECK(OneElement(3).alu(AluOpcode::kShr, 31).stored() == 6);
  CHECK(OneElement(3).alu(AluOpcode::kShr, 32).stored() == 3);
  CHECK(OneElement(1 << 20).alu(AluOpcode::kShr, -17).alu(AluOpcode::kShr, 0).stored() == 32);
  CHECK(OneElement(5).alu(AluOpcode::kShr, 16).alu(AluOpcode::kShr, 15).stored() == static_cast<int8_t>(5 << 1));
}

// Returns acc[0] after acc[0] = operation(acc[0], acc[1]) on lanes of 3 and `amount`, or with `amount` as immediate.
int stored_with_operand(AluOpcode opcode, bool use_immediate, int32_t amount) {
  OneElement element(3);
  std::vector<std::byte> bytes;
  for (int lane = 0; lane < 16; ++lane) {
    for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<std::byte>(static_cast<uint32_t>(amount) >> (8 * i)));
  }
  TestProgram& program = element.program;
  program.load({Memory::kAcc, 1, program.element(program.add_constant(bytes), Memory::kAcc), 1, 1, 1});
  program.load_micro_ops({{0, 1, 0}}, 1);
  program.alu({{.uop_begin = 1, .uop_end = 2}, opcode, use_immediate, static_cast<int16_t>(amount)});
  return element.stored();
}

TEST_CASE("Shifts by a negative accumulator are left shifts") {
  CHECK(stored_with_operand(AluOpcode::kShr, false, -4) == 48);
  CHECK(stored_with_operand(AluOpcode::kShr, false, 1) == 1);
  CHECK(stored_with_operand(AluOpcode::kShr, false, 30) == 12);
}

TEST_CASE("An operation with an immediate changes dst, regardless of src") {
  CHECK(stored_with_operand(AluOpcode::kAdd, true, 40) == 43);
  CHECK(stored_with_operand(AluOpcode::kAdd, false, 40) == 43);
  CHECK(stored_with_operand(AluOpcode::kShr, true, 1) == 1);
}

TEST_CASE("Sums wrap at 32 bits") {
  CHECK(OneElement(INT32_MAX).alu(AluOpcode::kAdd, 1).alu(AluOpcode::kMax, -3).stored() == -3);
}

TEST_CASE("A store of loaded accumulators writes the result of the last operation") {
  CHECK(OneElement(77).stored(Strictness::kPermissive) == 0);
  OneElement strict(77);
  strict.program.load({.memory = Memory::kUop}, {.push_next = true});
  const uint64_t address = strict.program.add_output(16);
  strict.program.store({.memory = Memory::kOut,
                        .dram_base = strict.program.element(address, Memory::kOut),
                        .y_size = 1,
                        .x_size = 1,
                        .x_stride = 1},
                       {.pop_prev = true, .push_prev = true});
  strict.program.finish({.pop_next = true});
  CHECK_THAT(std::string(strict.program.run_plain().status.message()), Contains("out[0], which has no defined value"));
}

// Returns a program that stores four elements. It computes only one of them, from an accumulator that it has not
// written.
TestProgram unsteady_program() {
  TestProgram program;
  program.load_micro_ops({{3, 3, 0}});
  program.alu({.loop = {.uop_end = 1}, .opcode = AluOpcode::kAdd, .use_immediate = true, .immediate = 5});
  program.load({.memory = Memory::kUop}, {.push_next = true});
  const uint32_t output = program.element(program.add_output(4 * 16), Memory::kOut);
  program.store({.memory = Memory::kOut, .dram_base = output, .y_size = 1, .x_size = 4, .x_stride = 4},
                {.pop_prev = true, .push_prev = true});
  program.finish({.pop_next = true});
  return program;
}

TEST_CASE("Every run of a simulator starts with zero memories") {
  TestProgram program = unsteady_program();
  const auto first = program.run_functional(1), third = program.run_functional(3);
  REQUIRE(first.status.ok());
  REQUIRE(third.status.ok());
  CHECK(first.written[3 * 16] == std::byte{5});
  CHECK(first.written == third.written);
}

TEST_CASE("A program that reads old contents of memory is detected") { CHECK_FALSE(unsteady_program().is_steady()); }

TEST_CASE("A GEMM that resets leaves the low bits of the accumulated value for a store") {
  OneElement reset(77);
  reset.program.gemm({.loop = {.uop_end = 1}, .reset = true});
  CHECK(reset.stored(Strictness::kPermissive) == 77);
  OneElement again(77);
  again.program.gemm({.loop = {.uop_end = 1}, .reset = true});
  CHECK(again.alu(AluOpcode::kAdd, 5).stored() == 5);
}

TEST_CASE("Both simulators reject a multiplication") {
  OneElement mul(1);
  mul.alu(AluOpcode::kMul, 2);
  mul.program.finish();
  CHECK(mul.program.run_plain().status.code() == Code::kUnsupported);
  CHECK(mul.program.run_functional().status.code() == Code::kUnsupported);
}

TEST_CASE("An access outside a memory or a range stops both simulators") {
  const auto check = [](TestProgram& program, const std::string& reason) {
    program.finish({.pop_prev = true});
    const auto plain = program.run_plain(Strictness::kPermissive), functional = program.run_functional();
    CHECK(plain.status.code() == Code::kDeviceFault);
    CHECK(functional.status.code() == Code::kDeviceFault);
    CHECK_THAT(std::string(plain.status.message()), Contains(reason));
  };
  TestProgram sram;
  const uint32_t base = sram.element(sram.add_constant(std::vector<std::byte>(64)), Memory::kInp);
  sram.load({.memory = Memory::kInp, .sram_base = 2046, .dram_base = base, .y_size = 1, .x_size = 3, .x_stride = 3},
            {.push_next = true});
  check(sram, "inp[2048] is beyond the memory's 2048 elements");
  TestProgram dram;
  const uint32_t small = dram.element(dram.add_constant(std::vector<std::byte>(64)), Memory::kInp);
  dram.load({.memory = Memory::kInp, .dram_base = small, .y_size = 1, .x_size = 5, .x_stride = 5}, {.push_next = true});
  check(dram, "which no range permits");
}

}  // namespace
}  // namespace nestrt::test
