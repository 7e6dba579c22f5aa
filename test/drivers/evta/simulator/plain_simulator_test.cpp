// SPDX-License-Identifier: Apache-2.0
// Tests that a strict simulation finds errors.
#include "test/support/evta/plain_simulator.h"

#include <catch2/catch.hpp>

#include "test/support/evta/test_program.h"

namespace nestrt::test {
namespace {

using namespace evta;
using Catch::Matchers::Contains;

// Two rounds of load, GEMM and store on the same on-chip memory.
class Rounds {
 public:
  // The tokens that order the rounds; a test omits one.
  bool load_before_gemm = true;
  bool gemm_before_next_load = true;
  bool gemm_before_store = true;
  bool store_before_next_gemm = true;

  TestProgram build() {
    const uint64_t inp = program_.add_constant(std::vector<std::byte>(16));
    const uint64_t wgt = program_.add_constant(std::vector<std::byte>(256));
    const uint64_t out = program_.add_output(16);
    program_.load_micro_ops({{0, 0, 0}});
    program_.load(
        {Memory::kAcc, 0, program_.element(program_.add_constant(std::vector<std::byte>(64)), Memory::kAcc), 1, 1, 1});
    program_.load({Memory::kWgt, 0, program_.element(wgt, Memory::kWgt), 1, 1, 1});
    for (int round = 0; round < 2; ++round) add_round(round == 1, inp, out);
    program_.finish({.pop_next = true});
    return std::move(program_);
  }

 private:
  // Adds one round. An omitted token is still given and taken, but orders nothing.
  void add_round(bool second, uint64_t inp, uint64_t out) {
    program_.load({Memory::kInp, 0, program_.element(inp, Memory::kInp), 1, 1, 1},
                  {.pop_next = second && gemm_before_next_load, .push_next = true});
    if (second && !gemm_before_next_load) wait_in_load();
    if (load_before_gemm) wait_for_load();
    if (second && store_before_next_gemm) wait_for_store();
    if (!gemm_before_store) program_.load({.memory = Memory::kUop}, {.push_next = true});
    program_.gemm({.loop = {.uop_end = 1}}, {.push_prev = !second, .push_next = gemm_before_store});
    if (!load_before_gemm) wait_for_load();
    program_.store({Memory::kOut, 0, program_.element(out, Memory::kOut), 1, 1, 1},
                   {.pop_prev = true, .push_prev = true});
    if (second && !store_before_next_gemm) wait_for_store();
  }

  void wait_for_load() { program_.load({.memory = Memory::kUop}, {.pop_prev = true}); }
  void wait_for_store() { program_.load({.memory = Memory::kUop}, {.pop_next = true}); }
  void wait_in_load() {
    program_.load({.memory = Memory::kInp}, {.pop_next = true, .push_next = true});
    wait_for_load();
  }

  TestProgram program_;
};

void check_found(Rounds rounds, const std::string& what) {
  TestProgram program = rounds.build();
  const Status permissive = program.run_plain(Strictness::kPermissive).status;
  INFO(permissive.message());
  CHECK(permissive.ok());
  const Status strict = program.run_plain().status;
  CHECK(strict.code() == Code::kDeviceFault);
  CHECK_THAT(std::string(strict.message()), Contains(what));
}

TEST_CASE("Rounds that are ordered by tokens run without errors") {
  const Status status = Rounds().build().run_plain().status;
  INFO(status.message());
  CHECK(status.ok());
}

TEST_CASE("A GEMM that does not wait for its inputs is found") {
  Rounds rounds;
  rounds.load_before_gemm = false;
  check_found(rounds, "no token orders the write of inp[0] by load before this instruction of compute");
}

TEST_CASE("A load that overwrites inputs before a GEMM has read them is found") {
  Rounds rounds;
  rounds.gemm_before_next_load = false;
  check_found(rounds, "inp[0]");
}

TEST_CASE("A store that does not wait for its GEMM is found") {
  Rounds rounds;
  rounds.gemm_before_store = false;
  check_found(rounds, "out[0]");
}

TEST_CASE("A GEMM that overwrites outputs before they are stored is found") {
  Rounds rounds;
  rounds.store_before_next_gemm = false;
  check_found(rounds, "out[0]");
}

TEST_CASE("On-chip memory starts without defined values") {
  TestProgram program;
  program.load_micro_ops({{0, 0, 0}});
  program.alu({.loop = {.uop_end = 1}, .use_immediate = true});
  program.finish();
  CHECK_THAT(std::string(program.run_plain().status.message()), Contains("reads acc[0], which has no defined value"));
  CHECK(program.run_plain(Strictness::kPermissive).status.ok());
}

// Stores the result of a reset and an addition, and loads it back. `ordered`: tokens through compute order the store
// and the load.
TestProgram store_and_load(bool ordered) {
  TestProgram program;
  const uint64_t kept = program.add(16, MemoryRange::Access::kReadWrite);
  const Transfer inp{Memory::kInp, 0, program.element(kept, Memory::kInp), 1, 1, 1};
  program.load_micro_ops({{0, 0, 0}});
  program.gemm({.loop = {.uop_end = 1}, .reset = true});
  program.alu({.loop = {.uop_end = 1}, .use_immediate = true}, {.push_next = true});
  program.store({Memory::kOut, 0, program.element(kept, Memory::kOut), 1, 1, 1}, {.pop_prev = true, .push_prev = true});
  program.load({.memory = Memory::kUop}, {.pop_next = true, .push_prev = ordered});
  program.load(inp, {.pop_next = ordered, .push_next = true});
  program.finish({.pop_prev = true});
  return program;
}

TEST_CASE("Memory that a program stores and loads without an order is found") {
  CHECK(store_and_load(true).run_plain().status.ok());
  const Status status = store_and_load(false).run_plain().status;
  CHECK_THAT(std::string(status.message()), Contains("dram 65536"));
}

TEST_CASE("Memory that a program loads before it has stored it is found") {
  TestProgram program;
  const uint64_t kept = program.add(16, MemoryRange::Access::kReadWrite);
  program.load({Memory::kInp, 0, program.element(kept, Memory::kInp), 1, 1, 1}, {.push_next = true});
  program.finish({.pop_prev = true});
  CHECK_THAT(std::string(program.run_plain().status.message()), Contains("dram 65536[0], which has no defined value"));
}

}  // namespace
}  // namespace nestrt::test
