// SPDX-License-Identifier: Apache-2.0
#include "test/faults/files_fixture.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "test/faults/open_descriptors.h"

namespace nestrt::test {
namespace {

// Returns whether a correct program handles the fault without failing.
bool is_recoverable(CallFault fault) { return fault == CallFault::kInterrupted || fault == CallFault::kShort; }

int64_t calls_of(CallFault fault, const std::function<Status()>& work) {
  REQUIRE(work().to_string() == "ok");
  const FailingCalls counting(-1, fault);
  static_cast<void>(work());
  return counting.count();
}

}  // namespace

std::set<std::string> FilesFixture::files() const {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) names.insert(entry.path());
  return names;
}

void FilesFixture::fail_every_call(const std::string& name, const Work& work, const Work& look) const {
  for (const CallFault fault : kCallFaults) {
    const int64_t count = calls_of(fault, work);
    for (int64_t number = 0; number < count; ++number) fail_one_call(number, fault, name, work, look);
  }
  CHECK(work().to_string() == "ok");
}

void FilesFixture::fail_one_call(int64_t number, CallFault fault, const std::string& name, const Work& work,
                                 const Work& look) const {
  const std::set<std::string> before = files();
  const int descriptors = open_descriptors();
  Status status;
  {
    const FailingCalls calls(number, fault);
    status = work();
  }
  INFO("call " << number << ", fault " << static_cast<int>(fault) << ": " << status.to_string());
  CHECK((status.ok() || !is_recoverable(fault)));
  CHECK((status.ok() || status.code() == Code::kIo));
  if (status.ok()) CHECK(look().to_string() == "ok");
  if (!status.ok()) CHECK_THAT(std::string(status.message()), Catch::Matchers::Contains(name));
  CHECK(files() == before);
  CHECK(open_descriptors() == descriptors);
}

}  // namespace nestrt::test
