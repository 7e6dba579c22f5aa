#include "nestrt/status.h"

#include <catch2/catch.hpp>

using nestrt::Code;
using nestrt::Status;

TEST_CASE("A default Status is ok and carries no message") {
  const Status status;
  CHECK(status.ok());
  CHECK(status.code() == Code::kOk);
  CHECK(status.message().empty());
  CHECK(status.to_string() == "ok");
}

TEST_CASE("A failed Status copies, and context goes in front of its message") {
  const Status status(Code::kInvalidPlan, "tensor 3 ends outside its buffer");
  const Status copy = status;
  CHECK(copy.to_string() == "invalid plan: tensor 3 ends outside its buffer");
  CHECK(copy.with_context("net.nest").message() == "net.nest: tensor 3 ends outside its buffer");
  CHECK(Status().with_context("net.nest").ok());
}
