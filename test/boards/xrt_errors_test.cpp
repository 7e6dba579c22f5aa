// SPDX-License-Identifier: Apache-2.0
// Tests that every exception of XRT becomes a Status.
#include "drivers/evta/xrt/xrt_errors.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <new>
#include <stdexcept>
#include <system_error>

namespace nestrt::evta {
namespace {

template <typename Thrown>
Status status_of_thrown(const Thrown& thrown) {
  return xrt_call("doing something", Code::kUnavailable, [&]() -> Status { throw thrown; });
}

struct Unknown {};

TEST_CASE("An XRT exception becomes a Status with the failed activity and the remedy") {
  CHECK(status_of_thrown(std::bad_alloc()).code() == Code::kOutOfMemory);
  CHECK(status_of_thrown(std::out_of_range("no such key")).code() == Code::kIncompatible);
  CHECK(status_of_thrown(std::runtime_error("XRT's words")).code() == Code::kUnavailable);
  CHECK(status_of_thrown(Unknown()).code() == Code::kUnavailable);
  CHECK(status_of_thrown(3).code() == Code::kUnavailable);
  CHECK(status_of_thrown(std::runtime_error("XRT's words")).message() == "doing something: XRT's words");
}

TEST_CASE("Each known errno of the kernel driver has a code and advice") {
  const std::pair<int, Code> expected[] = {{EOPNOTSUPP, Code::kIncompatible},   {EBUSY, Code::kUnavailable},
                                           {EKEYREJECTED, Code::kIncompatible}, {ETIMEDOUT, Code::kUnavailable},
                                           {EDEADLK, Code::kDeviceFault},       {EIO, Code::kDeviceFault},
                                           {ENODEV, Code::kUnavailable},        {EACCES, Code::kUnavailable},
                                           {ENOMEM, Code::kOutOfMemory},        {EINVAL, Code::kInvalidArgument}};
  for (const auto& [error, code] : expected) {
    const XrtAdvice* const advice = find_xrt_advice(error);
    REQUIRE(advice != nullptr);
    CHECK(advice->code == code);
    for (const int sign : {1, -1}) {  // XRT throws both
      const Status status = status_of_thrown(std::system_error(sign * error, std::system_category()));
      CHECK(status.code() == code);
      CHECK(status.message().find(advice->advice) != std::string_view::npos);
    }
  }
}

TEST_CASE("An unknown errno keeps the system's message") {
  const Status status = status_of_thrown(std::system_error(ENOTTY, std::system_category()));
  CHECK(status.code() == Code::kUnavailable);
  CHECK(status.message().find("error 25") != std::string_view::npos);
}

TEST_CASE("A call that does not throw keeps its result") {
  CHECK(xrt_call("doing something", Code::kInternal, []() -> Status { return {}; }).ok());
  CHECK(*xrt_call("doing something", Code::kInternal, []() -> Result<int> { return 3; }) == 3);
}

}  // namespace
}  // namespace nestrt::evta
