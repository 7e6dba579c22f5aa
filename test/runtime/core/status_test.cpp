// SPDX-License-Identifier: Apache-2.0
#include "nestrt/status.h"

#include <catch2/catch.hpp>

#include "test/support/process/allocation_counter.h"

using nestrt::Code;
using nestrt::Status;
using nestrt::test::AllocationCounter;

TEST_CASE("A default Status is ok and carries no message") {
  const Status status;
  CHECK(status.ok());
  CHECK(status.code() == Code::kOk);
  CHECK(status.message().empty());
  CHECK(status.to_string() == "ok");
}

TEST_CASE("A failed Status copies, and context precedes its message") {
  const Status status(Code::kInvalidPlan, "tensor 3 ends outside its buffer");
  const Status copy = status;
  CHECK(copy.to_string() == "invalid plan: tensor 3 ends outside its buffer");
  CHECK(copy.with_context("net.nest").message() == "net.nest: tensor 3 ends outside its buffer");
  CHECK(Status().with_context("net.nest").ok());
}

TEST_CASE("The name of the code for an incompatible file or board fits both") {
  const Status board(Code::kIncompatible, "evta0: memory at 0x80000000");
  CHECK(board.to_string() == "incompatible: evta0: memory at 0x80000000");
}

TEST_CASE("Copying a status and reporting an out-of-memory error do not allocate") {
  const Status status(Code::kInvalidPlan, "a message that is longer than what a string keeps inside itself");
  const AllocationCounter counter;
  const Status copy = status;
  const Status none = Status::out_of_memory();
  const int64_t allocations = counter.count();
  CHECK(allocations == 0);
  CHECK(copy.message() == status.message());
  CHECK(none.code() == Code::kOutOfMemory);
  CHECK_FALSE(none.message().empty());
}
