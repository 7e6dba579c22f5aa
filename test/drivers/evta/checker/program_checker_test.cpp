// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/checker/program_checker.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "test/support/evta/random_program.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

using namespace evta;
using Catch::Matchers::Contains;

constexpr uint64_t kInputBytes = 8 * 16;

// A program that uses every feature once, for tests to modify: 8 inputs, one weight, 8 accumulators, 8 outputs.
struct Sample {
  Transfer inp{.memory = Memory::kInp, .y_size = 2, .x_size = 4, .x_stride = 4};
  Transfer wgt{.memory = Memory::kWgt, .y_size = 1, .x_size = 1, .x_stride = 1};
  Transfer uop{.memory = Memory::kUop, .y_size = 1, .x_size = 1, .x_stride = 1};
  Transfer acc{.memory = Memory::kAcc, .y_size = 1, .x_size = 8, .x_stride = 8};
  Transfer out{.memory = Memory::kOut, .y_size = 1, .x_size = 8, .x_stride = 8};
  std::vector<MicroOp> micro_ops = {{0, 0, 0}};
  Gemm gemm{.loop = every()};
  Alu alu{.loop = every(), .opcode = AluOpcode::kShr, .use_immediate = true, .immediate = 3};
  bool has_alu = true;
  MemoryRange::Access output_access = MemoryRange::Access::kWrite;
  MemoryRange::Access input_access = MemoryRange::Access::kRead;
  bool micro_ops_are_constant = true;
  std::vector<Dependencies> flags = {{},
                                     {.push_next = true},
                                     {.pop_prev = true},
                                     {},
                                     {},
                                     {.push_next = true},
                                     {.pop_prev = true, .push_prev = true},
                                     {.pop_next = true}};

  static Loop every() { return {.uop_end = 1, .iter_in = 8, .dst_factor_in = 1, .src_factor_in = 1}; }

  TestProgram build(const std::string& configuration = "1x16_15_15_18_17") const {
    TestProgram program(configuration);
    const auto place = [&](Transfer transfer, uint64_t address) {
      transfer.dram_base += program.element(address, transfer.memory);
      return transfer;
    };
    const uint64_t uops =
        micro_ops_are_constant ? program.add_micro_ops(micro_ops) : program.add(64, MemoryRange::Access::kRead);
    program.load(place(inp, program.add(kInputBytes, input_access)), flags[0]);
    program.load(place(wgt, program.add_constant(std::vector<std::byte>(256))), flags[1]);
    program.load(place(uop, uops), flags[2]);
    program.load(place(acc, program.add_constant(std::vector<std::byte>(8 * 64))), flags[3]);
    program.gemm(gemm, flags[4]);
    if (has_alu) program.alu(alu, flags[5]);
    program.store(place(out, program.add(8 * 16, output_access)), flags[6]);
    program.finish(flags[7]);
    return program;
  }
};

Status check(TestProgram program, Results results = Results::kComplete) {
  return check_program(program.view(), results);
}

void check_refused(TestProgram program, const std::string& reason) {
  const Status status = check(std::move(program));
  CHECK(status.code() == Code::kInvalidPlan);
  CHECK_THAT(std::string(status.message()), Contains(reason));
}

void check_refused(const Sample& sample, const std::string& reason) { check_refused(sample.build(), reason); }

TEST_CASE("A sample program passes the checker and runs in both simulators") {
  TestProgram program = Sample().build();
  const Status status = check_program(program.view());
  INFO(status.message());
  CHECK(status.ok());
  CHECK(program.run_plain().status.ok());
  CHECK(program.run_functional().status.ok());
}

TEST_CASE("Generated programs pass the checker") {
  for (const Configuration& configuration : kConfigurations) {
    for (int seed = 0; seed < by_level(20, 200, 2000); ++seed) {
      TestProgram program = random_program(std::string(configuration.name), static_cast<uint64_t>(seed));
      const Status status = check_program(program.view(), Results::kPartial);
      INFO(configuration.name << " seed " << seed << ": " << status.message());
      REQUIRE(status.ok());
    }
  }
}

TEST_CASE("A program without a configuration is rejected") {
  CHECK(check_program(Program()).code() == Code::kInvalidArgument);
}

TEST_CASE("A word that does not decode is rejected with its number") {
  TestProgram program = Sample().build();
  program.words()[3][0] |= 7;
  check_refused(std::move(program), "instruction 3: undefined opcode 7");
}

TEST_CASE("Transfers beyond an on-chip memory are rejected") {
  Sample sample;
  sample.inp.sram_base = 2041;
  check_refused(sample, "instruction 0 (load): inp[2041, 2049) is beyond the memory's 2048 elements");
  sample = {};
  sample.inp.sram_base = 2036;
  sample.inp.y_pad_end = 2;
  check_refused(sample, "inp[2036, 2052)");
  sample = {};
  sample.wgt.sram_base = 1024;
  check_refused(sample, "wgt[1024, 1025)");
  sample = {};
  sample.uop.sram_base = 8192;
  check_refused(sample, "uop[8192, 8193)");
  sample = {};
  sample.acc.sram_base = 65535;
  check_refused(sample, "acc[65535, 65543)");
  sample = {};
  sample.out.sram_base = 2041;
  check_refused(sample, "out[2041, 2049)");
}

TEST_CASE("Transfers beyond a memory range are rejected") {
  Sample sample;
  sample.inp.x_stride = 5;
  check_refused(sample, "instruction 0 (load): reads 144 bytes at");
  sample = {};
  sample.wgt.dram_base = 1;
  check_refused(sample, "instruction 1 (load): reads 256 bytes");
  sample = {};
  sample.uop.dram_base = 1;
  check_refused(sample, "instruction 2 (load): reads 4 bytes");
  sample = {};
  sample.acc.dram_base = 1;
  check_refused(sample, "instruction 3 (load): reads 512 bytes");
  sample = {};
  sample.out.dram_base = 1;
  check_refused(sample, "instruction 6 (store): writes 128 bytes");
  sample = {};
  sample.out.y_size = 8;
  sample.out.x_size = 1;
  sample.out.x_stride = 0xffff;
  check_refused(sample, "which are not in a memory range");
}

TEST_CASE("Accesses that a memory range does not allow are rejected") {
  Sample sample;
  sample.output_access = MemoryRange::Access::kRead;
  check_refused(sample, "instruction 6 (store): writes to the memory range");
  sample = {};
  sample.input_access = MemoryRange::Access::kWrite;
  check_refused(sample, "instruction 0 (load): reads from the memory range");
  sample = {};
  sample.output_access = sample.input_access = MemoryRange::Access::kReadWrite;
  CHECK(check(sample.build(), Results::kPartial).ok());
}

TEST_CASE("A program with unwritten results is rejected if results must be complete") {
  Sample sample;
  sample.out.x_size = 7;
  check_refused(sample, "leaves a result unwritten: byte 112 of the memory range of 128 bytes");
  CHECK(check(sample.build(), Results::kPartial).ok());
  sample.out = {.memory = Memory::kOut, .y_size = 4, .x_size = 1, .x_stride = 2};  // every second one
  check_refused(sample, "leaves a result unwritten: byte 16 of");
  TestProgram program = Sample().build();
  program.add_output(16);
  check_refused(std::move(program), "leaves a result unwritten: byte 0 of the memory range of 16 bytes");
}

TEST_CASE("A program that reads back unwritten results is rejected if results must be complete") {
  Sample sample;
  sample.input_access = MemoryRange::Access::kReadWrite;
  check_refused(sample,
                "instruction 0 (load): reads data that it has not written: byte 0 of the memory range of 128 bytes");
  CHECK(check(sample.build(), Results::kPartial).ok());
}

// Returns the sample with an additional load of its results after the last store, with these flags.
TestProgram read_back(Dependencies of_alu, Dependencies of_load, Dependencies of_finish) {
  const Sample sample{.output_access = MemoryRange::Access::kReadWrite};
  TestProgram program = sample.build();
  Transfer back{.memory = Memory::kInp, .y_size = 1, .x_size = 8, .x_stride = 8};
  back.dram_base = program.element(program.view().ranges.back().address, Memory::kInp);
  program.words().pop_back();  // FINISH
  program.alu(sample.alu, of_alu);
  program.load(back, of_load);
  program.finish(of_finish);
  return program;
}

TEST_CASE("A program may read back results after writing them") {
  const Status status = check(
      read_back({.pop_next = true, .push_prev = true}, {.pop_next = true, .push_next = true}, {.pop_prev = true}));
  INFO(status.message());
  CHECK(status.ok());
}

TEST_CASE("A program that may read back results before writing them is rejected if results must be complete") {
  check_refused(read_back({.pop_next = true}, {.push_next = true}, {.pop_prev = true}),
                "(load): reads data that it has not");
}

TEST_CASE("Unordered accesses of two modules are rejected if results must be complete") {
  const auto refused = [](const Sample& sample, const std::string& reason) {
    check_refused(sample, reason);
    CHECK(check(sample.build(), Results::kPartial).ok());
  };
  Sample early_gemm;  // does not wait for its operands
  early_gemm.flags[2] = {};
  early_gemm.flags[7] = {.pop_prev = true, .pop_next = true};
  refused(early_gemm, "instruction 4 (gemm): reads inp[0] while load may be writing it");
  Sample early_store;
  early_store.flags[5] = {};
  early_store.flags[6] = {.push_prev = true};
  refused(early_store, "instruction 6 (store): reads out[0] while compute may be writing it");
  Sample early_alu;  // overwrites what is being stored
  early_alu.flags = {{},
                     {.push_next = true},
                     {.pop_prev = true},
                     {},
                     {.push_next = true},
                     {},
                     {.pop_prev = true, .push_prev = true},
                     {.pop_next = true}};
  refused(early_alu, "out[0] while");
}

TEST_CASE("Memory ranges that overlap or exceed 4 GiB are rejected") {
  TestProgram program = Sample().build();
  const auto with = [&](MemoryRange more) {
    Program view = program.view();
    std::vector<MemoryRange> ranges(view.ranges.begin(), view.ranges.end());
    ranges.push_back(more);
    view.ranges = ranges;
    return std::string(check_program(view).message());
  };
  CHECK_THAT(with({0x10001, 1}), Contains("overlaps"));
  CHECK_THAT(with({0xffffffff, 2}), Contains("exceeds 4 GiB"));
  CHECK_THAT(with({UINT64_MAX, 2}), Contains("exceeds 4 GiB"));
  CHECK_THAT(with({1, UINT64_MAX}), Contains("exceeds 4 GiB"));
  CHECK(with({0xffffffff, 1}).empty());
}

TEST_CASE("Micro-ops that the program does not load are rejected") {
  Sample sample;
  sample.gemm.loop.uop_begin = 1;
  sample.gemm.loop.uop_end = 2;
  check_refused(sample, "instruction 4 (gemm): executes uop[1], which was not loaded");
  sample.gemm.loop.uop_begin = 8190;
  sample.gemm.loop.uop_end = 8193;
  check_refused(sample, "uop[8192] is beyond the memory's 8192 elements");
  sample = {};
  sample.micro_ops_are_constant = false;
  check_refused(sample, "instruction 2 (load): micro-ops must be in constant memory");
}

TEST_CASE("Micro-ops whose indices leave a memory in the last iteration are rejected") {
  Sample sample;
  sample.gemm.loop.dst_factor_in = 293;  // 7 * 293 = 2051
  check_refused(sample, "instruction 4 (gemm): accesses acc[2051], beyond the memory's 2048 elements");
  sample = {};
  sample.gemm.loop.iter_out = 3;
  sample.gemm.loop.src_factor_out = 1021;
  check_refused(sample, "accesses inp[2049]");
  sample = {};
  sample.gemm.loop.iter_out = 3;
  sample.gemm.wgt_factor_out = 512;
  check_refused(sample, "accesses wgt[1024]");
  sample = {};
  sample.micro_ops = {{2041, 0, 0}};
  check_refused(sample, "accesses acc[2048]");
  sample = {};
  sample.alu.loop.src_factor_in = 293;
  check_refused(sample, "instruction 5 (alu): accesses acc[2051]");
  sample.gemm.loop.iter_out = sample.gemm.loop.iter_in = 16383;
  sample.gemm.loop.dst_factor_out = sample.gemm.loop.dst_factor_in = 2047;
  check_refused(sample, "accesses acc[67067908]");
}

TEST_CASE("Reads of unwritten on-chip memory are rejected") {
  Sample sample;
  sample.inp.y_size = 1;
  check_refused(sample, "instruction 4 (gemm): reads inp[4], which the program has not written");
  sample = {};
  sample.wgt.sram_base = 3;
  check_refused(sample, "reads wgt[0]");
  sample = {};
  sample.acc.x_size = 7;
  check_refused(sample, "reads acc[7]");
  sample = {};
  sample.alu.use_immediate = false;
  sample.alu.loop.src_factor_in = 2;
  check_refused(sample, "instruction 5 (alu): reads acc[8]");
}

TEST_CASE("A store of accumulators that were only loaded is rejected") {
  Sample sample;
  sample.has_alu = false;
  sample.gemm.loop.iter_in = 7;
  sample.flags[4] = {.push_next = true};
  check_refused(sample, "(store): stores out[7], which no GEMM or ALU operation has written");
}

TEST_CASE("A store of accumulators that were only reset is rejected") {
  Sample sample;
  sample.has_alu = false;
  sample.gemm.reset = true;
  sample.flags[4] = {.push_next = true};
  check_refused(sample, "(store): stores out[0], which no GEMM or ALU operation has written");
  sample.has_alu = true;
  sample.flags[4] = {};
  CHECK(check(sample.build()).ok());
}

TEST_CASE("Immediate shifts beyond 5 bits are rejected") {
  Sample sample;
  for (const int shift : {16, 31, 32, -17}) {
    sample.alu.immediate = static_cast<int16_t>(shift);
    check_refused(sample, "instruction 5 (alu): shifts by " + std::to_string(shift));
  }
  for (const int shift : {-16, -1, 0, 15}) {
    sample.alu.immediate = static_cast<int16_t>(shift);
    CHECK(check(sample.build()).ok());
  }
}

TEST_CASE("Multiplications and 8-bit accumulators, which the hardware lacks, are rejected") {
  Sample sample;
  sample.alu.opcode = AluOpcode::kMul;
  check_refused(sample, "the hardware has no multiplication");
  sample = {};
  sample.acc.memory = Memory::kAcc8Bit;
  check_refused(sample, "the hardware cannot load into acc8");
  sample.acc.memory = Memory::kOut;
  check_refused(sample, "the hardware cannot load into out");
}

TEST_CASE("A store from anything but OUT is rejected") {
  Sample sample;
  sample.out.memory = Memory::kAcc;
  check_refused(sample, "the hardware cannot store from acc");
}

TEST_CASE("Pads on which implementations differ are rejected") {
  Sample sample;
  sample.wgt.x_pad_begin = 1;
  check_refused(sample, "pads of wgt");
  sample = {};
  sample.uop.y_pad_end = 1;
  check_refused(sample, "pads of uop");
  sample = {};
  sample.out.x_pad_end = 1;
  check_refused(sample, "a store has padding");
  sample = {};
  sample.inp.x_size = 0;
  sample.inp.y_pad_begin = 1;
  check_refused(sample, "pads of inp without data");
}

TEST_CASE("Rows on which implementations differ are rejected") {
  Sample sample;
  sample.uop.y_size = 2;
  check_refused(sample, "micro-ops must be loaded as one row");
  sample = {};
  sample.out.x_size = 0;
  check_refused(sample, "instruction 6 (store): a store has rows without elements");
}

TEST_CASE("Empty loads and stores only move tokens") {
  TestProgram program = Sample().build();
  const auto length = static_cast<std::ptrdiff_t>(program.words().size());
  for (const Memory memory : {Memory::kUop, Memory::kInp, Memory::kWgt, Memory::kAcc}) {
    program.load({.memory = memory, .y_size = 3});
    program.load({.memory = memory, .x_size = 3});
  }
  program.store({.memory = Memory::kOut, .x_size = 3});
  std::rotate(program.words().begin(), program.words().begin() + length, program.words().end());
  const Status status = check_program(program.view());
  INFO(status.message());
  CHECK(status.ok());
  CHECK(program.run_plain().written == Sample().build().run_plain().written);
  CHECK(program.run_functional().written == Sample().build().run_plain().written);
}

TEST_CASE("Loops that execute nothing are rejected") {
  Sample sample;
  sample.gemm.loop.uop_end = 0;
  check_refused(sample, "a loop executes nothing");
  sample = {};
  sample.gemm.loop.iter_out = 0;
  check_refused(sample, "a loop executes nothing");
  sample = {};
  sample.alu.loop.iter_in = 0;
  check_refused(sample, "a loop executes nothing");
}

TEST_CASE("A program that executes more micro-ops than any network needs is rejected") {
  Sample sample;
  sample.uop.x_size = 3;
  sample.micro_ops = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  sample.gemm.loop = {.uop_end = 3, .iter_out = 16383, .iter_in = 5461};
  CHECK(check(sample.build()).ok());
  sample.gemm.loop.iter_in = 5462;
  check_refused(sample, "instruction 4 (gemm): the program executes more than 268435456 micro-ops");
}

TEST_CASE("A program that refers to more micro-ops than the checker's limit is rejected") {
  constexpr uint32_t kMicroOps = 8191;
  std::vector<MicroOp> micro_ops(kMicroOps);
  for (uint32_t i = 0; i < kMicroOps; ++i) micro_ops[i].dst = i % 2048;
  TestProgram program;
  program.load_micro_ops(micro_ops);
  Gemm gemm;
  gemm.reset = true;
  gemm.loop.uop_end = kMicroOps;
  gemm.loop.iter_out = gemm.loop.iter_in = 1;
  for (uint64_t i = 0; i < kFreeMicroOps / kMicroOps; ++i) program.gemm(gemm);
  program.finish({});
  check_refused(std::move(program),
                "loads or refers to more than 17408 micro-ops (limit: 16384 plus 256 per instruction)");
}

TEST_CASE("A program that accesses more elements than the checker's limit is rejected") {
  const auto resets = [](int count) {
    TestProgram program;
    program.load_micro_ops({{0, 0, 0}});
    Gemm gemm;
    gemm.reset = true;
    gemm.loop = {.uop_end = 1, .iter_out = 1, .iter_in = 2048, .dst_factor_in = 1};
    for (int i = 0; i < count; ++i) program.gemm(gemm);
    program.finish({});
    return program;
  };
  CHECK(check(resets(1024)).ok());
  check_refused(resets(1100),
                "access more than 2177024 on-chip memory elements (limit: 1048576 plus 1024 per instruction)");
}

TEST_CASE("An accumulator written twice within two micro-ops is rejected") {
  Sample sample;
  sample.gemm.loop.dst_factor_in = 0;
  check_refused(sample, "instruction 4 (gemm): writes an accumulator that one of the two preceding micro-ops wrote");
  sample = {};
  sample.uop.x_size = 3;
  sample.micro_ops = {{0, 0, 0}, {1, 0, 0}, {0, 0, 0}};
  sample.gemm.loop = {.uop_end = 3};
  check_refused(sample, "two preceding micro-ops");
  sample = {};
  sample.alu.loop.dst_factor_in = 0;
  check_refused(sample, "instruction 5 (alu): writes an accumulator");
}

// Returns the sample with an ALU instruction that adds accumulators `ahead` of those that it changes.
Sample adding(int ahead) {
  Sample sample;
  sample.uop.x_size = 2;
  sample.micro_ops = {{0, 0, 0}, {static_cast<uint32_t>(ahead), 0, 0}};
  sample.alu.loop = {.uop_begin = 1,
                     .uop_end = 2,
                     .iter_in = static_cast<uint32_t>(8 - ahead),
                     .dst_factor_in = 1,
                     .src_factor_in = 1};
  sample.alu.opcode = AluOpcode::kAdd;
  sample.alu.use_immediate = false;
  return sample;
}

TEST_CASE("A source written by one of the two preceding micro-ops is rejected") {
  check_refused(adding(1), "instruction 5 (alu): reads as its source an accumulator that one of the two");
  check_refused(adding(2), "reads as its source an accumulator");
  CHECK(check(adding(3).build()).ok());
  for (const int ahead : {1, 2, 3}) {
    TestProgram program = adding(ahead).build();
    CHECK(program.run_plain(Strictness::kPermissive).status.ok());
    CHECK(program.run_plain(Strictness::kStrict).status.ok() == (ahead == 3));
  }
}

TEST_CASE("Idempotent operations may immediately write an accumulator again") {
  Sample sample;
  sample.gemm.loop.dst_factor_in = 0;
  sample.gemm.reset = true;
  sample.alu.loop = {.uop_end = 1, .iter_in = 8};
  sample.alu.opcode = AluOpcode::kMax;
  sample.out.x_size = 1;
  const Status status = check(sample.build(), Results::kPartial);
  INFO(status.message());
  CHECK(status.ok());
  CHECK(sample.build().run_plain().status.ok());
  sample.alu.opcode = AluOpcode::kAdd;
  check_refused(sample, "writes an accumulator");
}

// Returns the sample for the Chisel design.
TestProgram on_chisel(const Sample& sample) { return sample.build("1x16_13_15_18_17"); }

TEST_CASE(
    "On the Chisel design a product may use the same accumulator again immediately, and an operation after one step") {
  Sample sample;
  sample.gemm.loop.dst_factor_in = 0;
  CHECK(check(on_chisel(sample)).ok());
  CHECK(on_chisel(sample).run_plain().status.ok());
  CHECK_FALSE(on_chisel(adding(1)).run_plain().status.ok());
  check_refused(on_chisel(adding(1)), "reads as its source an accumulator");
  CHECK(check(on_chisel(adding(2))).ok());
  CHECK(on_chisel(adding(2)).run_plain().status.ok());
}

TEST_CASE("On the Chisel design an operation with an immediate has equal src and dst") {
  Sample sample;
  sample.alu.loop.src_factor_in = 0;
  CHECK(check(sample.build()).ok());
  check_refused(on_chisel(sample), "an operation with an immediate has src different from dst");
  CHECK_FALSE(on_chisel(sample).run_plain().status.ok());
  CHECK(check(on_chisel({})).ok());
}

TEST_CASE("The Chisel design has 2048 micro-ops") {
  Sample sample;
  sample.uop.sram_base = 2047;
  sample.gemm.loop.uop_begin = sample.alu.loop.uop_begin = 2047;
  sample.gemm.loop.uop_end = sample.alu.loop.uop_end = 2048;
  CHECK(check(on_chisel(sample)).ok());
  sample.uop.sram_base = 2048;
  check_refused(on_chisel(sample), "uop[2048, 2049) is beyond the memory's 2048 elements");
}

}  // namespace
}  // namespace nestrt::test
