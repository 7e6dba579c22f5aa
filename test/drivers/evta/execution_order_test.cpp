// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/execution_order.h"

#include <catch2/catch.hpp>
#include <string>

namespace nestrt::evta {
namespace {

using Catch::Matchers::Contains;

Instruction load(Dependencies flags = {}) { return make_load({.memory = Memory::kInp}, flags); }
Instruction compute(Dependencies flags = {}) { return make_load({.memory = Memory::kUop}, flags); }
Instruction store(Dependencies flags = {}) { return make_store({.memory = Memory::kOut}, flags); }

void check_refused(const std::vector<Instruction>& instructions, const std::string& reason) {
  const auto order = execution_order(instructions);
  REQUIRE_FALSE(order);
  CHECK(order.error().code() == Code::kInvalidPlan);
  CHECK_THAT(std::string(order.error().message()), Contains(reason));
}

TEST_CASE("Only tokens order modules") {
  const auto order = execution_order(std::vector<Instruction>{
      load(), load({.push_next = true}), compute(), compute({.pop_prev = true, .push_next = true}),
      store({.pop_prev = true, .push_prev = true}), make_finish({.pop_next = true})});
  REQUIRE(order);
  CHECK(order->size() == 6);
  for (const OrderedInstruction& step : *order) {
    const std::vector<ModuleCounts> before = {{0, 0, 0}, {1, 0, 0}, {0, 0, 0}, {2, 1, 0}, {2, 2, 0}, {2, 2, 1}};
    CHECK(step.before == before[step.index]);
  }
}

TEST_CASE("A program that does not end with FINISH is rejected") {
  check_refused({}, "the last instruction is not FINISH");
  check_refused({compute()}, "the last instruction is not FINISH");
}

TEST_CASE("Instructions after FINISH are rejected") {
  check_refused({make_finish(), compute(), make_finish()}, "instruction 0 is FINISH, but 2 more follow");
}

TEST_CASE("A token that never arrives is a deadlock") {
  check_refused({compute({.pop_prev = true}), make_finish()},
                "deadlock: instruction 0 (load) waits for a token from load to compute");
  check_refused({load({.pop_next = true}), make_finish()},
                "instruction 0 (load) waits for a token from compute to load");
  check_refused({store({.pop_prev = true}), make_finish()}, "waits for a token from compute to store");
  check_refused({make_finish({.pop_next = true})}, "waits for a token from store to compute");
}

TEST_CASE("Modules that wait for each other are a deadlock") {
  check_refused(
      {load({.pop_next = true, .push_next = true}), compute({.pop_prev = true, .push_prev = true}), make_finish()},
      "deadlock");
}

TEST_CASE("Remaining tokens are rejected") {
  check_refused({load({.push_next = true}), load({.push_next = true}), make_finish({.pop_prev = true})},
                "1 tokens from load to compute remain");
  check_refused({compute({.push_prev = true}), make_finish()}, "1 tokens from compute to load remain");
}

TEST_CASE("Tokens between load and store are rejected") {
  check_refused({load({.pop_prev = true}), make_finish()}, "instruction 0 (load) exchanges tokens");
  check_refused({load({.push_prev = true}), make_finish()}, "not adjacent to load");
  check_refused({store({.pop_next = true}), make_finish()}, "not adjacent to store");
  check_refused({store({.push_next = true}), make_finish()}, "not adjacent to store");
}

TEST_CASE("FINISH that does not wait for the last load or store is rejected") {
  check_refused({store(), make_finish()}, "FINISH does not wait for the last of the 1 instructions of store");
  check_refused({load({.push_next = true}), load(), make_finish({.pop_prev = true})},
                "FINISH does not wait for the last of the 2 instructions of load");
}

// Returns a load that compute waits for, after `count` instructions of compute.
std::vector<Instruction> load_after(size_t count) {
  std::vector<Instruction> instructions(count, compute());
  instructions.front() = compute({.pop_prev = true});
  instructions.push_back(load({.push_next = true}));
  instructions.push_back(make_finish());
  return instructions;
}

TEST_CASE("A token that is fetched only after a full command queue is a deadlock") {
  CHECK(execution_order(load_after(kCommandQueueDepth)));
  check_refused(load_after(kCommandQueueDepth + 1), "deadlock: instruction 0 (load) waits for a token");
}

// Returns a program in which compute gives `count` tokens to stores that are fetched after all compute instructions.
std::vector<Instruction> tokens_in_advance(size_t count) {
  std::vector<Instruction> instructions(count, compute({.push_next = true}));
  for (size_t i = 0; i < count; ++i) instructions.push_back(store({.pop_prev = true, .push_prev = i + 1 == count}));
  instructions.push_back(make_finish({.pop_next = true}));
  return instructions;
}

TEST_CASE("A full token queue stops the module that gives tokens") {
  // In addition to the full token queue, one completed instruction waits to give its token, and a full command queue
  // waits behind it.
  const size_t most = kTokenQueueDepth + 1 + kCommandQueueDepth;
  CHECK(execution_order(tokens_in_advance(most)));
  check_refused(tokens_in_advance(most + 1), "deadlock: instruction 1024 (load) has no space for its token");
}

}  // namespace
}  // namespace nestrt::evta
