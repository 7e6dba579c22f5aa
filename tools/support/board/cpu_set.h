// SPDX-License-Identifier: Apache-2.0
// Restricts a command to some of the machine's CPUs.
#pragma once

#include <string_view>

#include "nestrt/status.h"

namespace nestrt::tools {

// Restricts this thread and the threads it starts later to a list of CPUs such as "0-1,3". Errors: kInvalidArgument if
// the list is invalid or names a CPU that this thread may not use; nothing changes then.
Status stay_on_cpus(std::string_view list);

}  // namespace nestrt::tools
