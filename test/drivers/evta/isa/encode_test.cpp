// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/isa/encode.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "drivers/evta/isa/decode.h"
#include "test/support/evta/evta_configuration.h"
#include "test/support/test_level.h"

namespace nestrt::evta {
namespace {

using Catch::Matchers::Contains;

struct Golden {
  Instruction instruction;
  InstructionWord word;
};

// Returns the words that VTA's own header produces.
std::vector<Golden> golden_words() {
  return {
      {make_load({.memory = Memory::kInp,
                  .sram_base = 0x10,
                  .dram_base = 0x12345,
                  .y_size = 4,
                  .x_size = 5,
                  .x_stride = 16,
                  .y_pad_begin = 1,
                  .y_pad_end = 2,
                  .x_pad_begin = 3,
                  .x_pad_end = 4},
                 {.pop_next = true, .push_next = true}),
       {0x0000048d14004150, 0x4321001000050004}},
      {make_store({.memory = Memory::kOut,
                   .sram_base = 0x7ff,
                   .dram_base = 0xffffffff,
                   .y_size = 1,
                   .x_size = 0xffff,
                   .x_stride = 0xffff},
                  {.pop_prev = true, .push_prev = true}),
       {0x03fffffffc1ffe29, 0x0000ffffffff0001}},
      {make_gemm({.loop = {.uop_begin = 3,
                           .uop_end = 11,
                           .iter_out = 14,
                           .iter_in = 16383,
                           .dst_factor_out = 1,
                           .dst_factor_in = 2,
                           .src_factor_out = 3,
                           .src_factor_in = 4},
                  .wgt_factor_out = 5,
                  .wgt_factor_in = 6},
                 {.pop_prev = true, .push_prev = true}),
       {0x7ffe00700160032a, 0x0180500800c01001}},
      {make_alu(
           {.loop =
                {.uop_begin = 0, .uop_end = 1, .iter_out = 1, .iter_in = 64, .dst_factor_in = 1, .src_factor_in = 1},
            .opcode = AluOpcode::kShr,
            .use_immediate = true,
            .immediate = -3},
           {.push_next = true}),
       {0x0080000800200044, 0xfffdb00200000800}},
      {make_finish({.pop_next = true}), {0x0000000000000013, 0}},
  };
}

TEST_CASE("Instructions encode to the words of VTA's header") {
  for (const Golden& golden : golden_words()) {
    const auto word = encode(test::stock_configuration(), golden.instruction);
    REQUIRE(word);
    CHECK(*word == golden.word);
    CHECK(*decode(test::stock_configuration(), golden.word) == golden.instruction);
  }
}

TEST_CASE("A micro-op encodes to the word of VTA's header") {
  const MicroOp micro_op = {.dst = 0x7ff, .src = 1, .wgt = 2};
  CHECK(*encode(test::stock_configuration(), micro_op) == 0x00800fff);
  CHECK(*decode_micro_op(test::stock_configuration(), 0x00800fff) == micro_op);
}

class RandomInstruction {
 public:
  RandomInstruction(const Configuration& configuration, uint32_t seed) : configuration_(configuration), random_(seed) {}

  Instruction next() {
    const Dependencies dependencies = {flag(), flag(), flag(), flag()};
    switch (bits(3) % 5) {
      case 0:
        return make_load(transfer(), dependencies);
      case 1:
        return make_store(transfer(), dependencies);
      case 2:
        return make_gemm(gemm(), dependencies);
      case 3:
        return make_alu(alu(), dependencies);
      default:
        return make_finish(dependencies);
    }
  }
  MicroOp micro_op() {
    return {bits(configuration_.acc_index_bits()), bits(configuration_.inp_index_bits()),
            bits(configuration_.wgt_index_bits())};
  }

 private:
  uint32_t bits(int count) { return static_cast<uint32_t>(random_() & ((uint64_t{1} << count) - 1)); }
  bool flag() { return bits(1) != 0; }
  template <typename T>
  T bits_as(int count) {
    return static_cast<T>(bits(count));
  }

  Transfer transfer() {
    return {static_cast<Memory>(bits(4) % kNumMemories),
            bits(16),
            bits(32),
            bits_as<uint16_t>(16),
            bits_as<uint16_t>(16),
            bits_as<uint16_t>(16),
            bits_as<uint8_t>(4),
            bits_as<uint8_t>(4),
            bits_as<uint8_t>(4),
            bits_as<uint8_t>(4)};
  }
  Loop loop(int src_bits) {
    const int dst_bits = configuration_.acc_factor_bits();
    return {bits(configuration_.uop_index_bits()),
            bits(configuration_.uop_index_bits() + 1),
            bits(configuration_.iter_out_bits),
            bits(configuration_.iter_in_bits),
            bits(dst_bits),
            bits(dst_bits),
            bits(src_bits),
            bits(src_bits)};
  }
  Gemm gemm() {
    return {loop(configuration_.inp_factor_bits()), flag(), bits(configuration_.wgt_factor_bits()),
            bits(configuration_.wgt_factor_bits())};
  }
  Alu alu() {
    return {loop(configuration_.acc_factor_bits()), static_cast<AluOpcode>(bits(4) % 5), flag(), bits_as<int16_t>(16)};
  }

  const Configuration& configuration_;
  std::mt19937_64 random_;
};

TEST_CASE("Decoding an encoded instruction returns the original, in every configuration") {
  for (const Configuration& configuration : kConfigurations) {
    RandomInstruction random(configuration, 1);
    for (int i = 0; i < nestrt::test::by_level(200, 5000, 200000); ++i) {
      const Instruction instruction = random.next();
      const auto word = encode(configuration, instruction);
      REQUIRE(word);
      const auto decoded = decode(configuration, *word);
      REQUIRE(decoded);
      REQUIRE(*decoded == instruction);
      const MicroOp micro_op = random.micro_op();
      REQUIRE(*decode_micro_op(configuration, *encode(configuration, micro_op)) == micro_op);
    }
  }
}

void check_refused(const Instruction& instruction, const std::string& field) {
  const auto word = encode(test::stock_configuration(), instruction);
  REQUIRE_FALSE(word);
  CHECK(word.error().code() == Code::kInvalidArgument);
  CHECK_THAT(std::string(word.error().message()), Contains(field));
}

TEST_CASE("A field that does not fit is rejected by name") {
  check_refused(make_load({.sram_base = 0x10000}),
                "load: field sram_base is 65536, which does not fit into 16 bits (0 to 65535)");
  check_refused(make_load({.y_pad_begin = 16}), "y_pad_begin");
  check_refused(make_store({.memory = Memory::kOut, .x_pad_end = 16}), "x_pad_end");
  check_refused(make_gemm({.loop = {.uop_begin = 8192}}), "gemm: field uop_begin");
  check_refused(make_gemm({.loop = {.uop_end = 16384}}), "uop_end");
  check_refused(make_gemm({.loop = {.iter_out = 16384}}), "iter_out");
  check_refused(make_gemm({.loop = {.iter_in = 16384}}), "iter_in");
  check_refused(make_gemm({.loop = {.dst_factor_out = 2048}}), "dst_factor_out");
  check_refused(make_gemm({.loop = {.src_factor_in = 2048}}), "src_factor_in");
  check_refused(make_gemm({.wgt_factor_out = 1024}), "wgt_factor_out");
  check_refused(make_alu({.loop = {.src_factor_out = 2048}}), "alu: field src_factor_out");
  CHECK_THAT(std::string(encode(test::stock_configuration(), MicroOp{.dst = 2048}).error().message()),
             Contains("micro-op: field dst"));
  CHECK_THAT(std::string(encode(test::stock_configuration(), MicroOp{.wgt = 1024}).error().message()), Contains("wgt"));
}

TEST_CASE("Operands of a different opcode are rejected") {
  CHECK_FALSE(encode(test::stock_configuration(), Instruction{Opcode::kGemm, {}, Alu()}));
  CHECK_FALSE(encode(test::stock_configuration(), Instruction{Opcode::kLoad, {}, {}}));
  CHECK_FALSE(encode(test::stock_configuration(), Instruction{Opcode::kFinish, {}, Gemm()}));
  CHECK_FALSE(encode(test::stock_configuration(), Instruction{static_cast<Opcode>(5), {}, {}}));
}

}  // namespace
}  // namespace nestrt::evta
