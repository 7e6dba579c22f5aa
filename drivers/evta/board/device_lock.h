// SPDX-License-Identifier: Apache-2.0
// DeviceLock: exclusive ownership of an accelerator, or of its memory, among the processes of a system.
//
// The kernel holds the lock (flock(2) on a file in /run/lock, or in /tmp if not every user may create files there), so
// that it is released when the process ends for any reason. The file contains the holder's process id for messages.
// Containers that share a board must share that folder.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/evta/board/system_files.h"
#include "nestrt/result.h"
#include "runtime/platform/file_descriptor.h"

namespace nestrt::evta {

class DeviceLock {
 public:
  // `name`: the locked object, such as "evta0", the same in every process. If it is locked, also within this process,
  // waits for `limit`, or for the short time that another process may need to inspect the device, whichever is longer.
  // Errors: kUnavailable, with the holder's process id.
  static Result<DeviceLock> acquire(const SystemFiles& system, std::string_view name,
                                    std::chrono::milliseconds limit = {});
  // Acquires the locks `names`, and those that exist with names that start with `prefix`. `limit`: for all together.
  static Result<std::vector<DeviceLock>> acquire_all(const SystemFiles& system, std::string_view prefix,
                                                     const std::vector<std::string>& names,
                                                     std::chrono::milliseconds limit = {});

 private:
  explicit DeviceLock(FileDescriptor file) : file_(std::move(file)) {}

  FileDescriptor file_;
};

}  // namespace nestrt::evta
