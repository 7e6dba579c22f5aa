// Which of the machine's CPUs work for a command.
#pragma once

#include <string_view>

#include "nestrt/status.h"

namespace nestrt::tools {

// Keeps this thread, and those that it starts from here on, on some CPUs: "0-1,3". Errors: kInvalidArgument where the
// text is no such list, or names a CPU that this thread may not use; then nothing has changed.
Status stay_on_cpus(std::string_view list);

}  // namespace nestrt::tools
