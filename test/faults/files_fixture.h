// FilesFixture: a folder, and work on its files whose system calls fail one by one.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "nestrt/status.h"
#include "test/faults/failing_calls.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::test {

inline constexpr CallFault kCallFaults[] = {CallFault::kIo, CallFault::kNoMemory, CallFault::kDiskFull,
                                            CallFault::kInterrupted, CallFault::kShort};

class FilesFixture {
 protected:
  using Work = std::function<Status()>;

  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  // Everything in the folder.
  std::set<std::string> files() const;

  // Work with the file `name`, which is there: each of its calls fails in turn. It says so and names the file, or
  // succeeds, which `look` makes sure of; nothing is left open, or beside the file. Whatever is interrupted or cut
  // short succeeds.
  void fail_every_call(const std::string& name, const Work& work, const Work& look = ok_status) const;

  const TemporaryFolder folder_;

 private:
  void fail_one_call(int64_t number, CallFault fault, const std::string& name, const Work& work,
                     const Work& look) const;
};

}  // namespace nestrt::test
