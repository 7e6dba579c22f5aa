// SPDX-License-Identifier: Apache-2.0
// FilesFixture: a folder, and operations on its files with system calls failing one by one.
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
  // Returns the paths of everything in the folder.
  std::set<std::string> files() const;

  // Runs `work` on the existing file `name` and fails each of its calls in turn. The call must either fail with a
  // message that names the file, or succeed, which `look` checks. No descriptor and no other file may remain.
  // Interrupted and short calls must succeed.
  void fail_every_call(const std::string& name, const Work& work, const Work& look = ok_status) const;

  const TemporaryFolder folder_;

 private:
  void fail_one_call(int64_t number, CallFault fault, const std::string& name, const Work& work,
                     const Work& look) const;
};

}  // namespace nestrt::test
