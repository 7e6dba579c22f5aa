// Logging of libnestrt. By default messages of level kWarning and above go to standard error through spdlog;
// an application may take them over, or choose another level. There they are escaped: what is no printable ASCII is
// shown as \xNN; a hook gets them as they are, with names as files have them. Failures are not logged: they are
// returned, but for those that were healed.
//
// kInfo: Session::create() packed weights anew because the plan was compiled for another CPU.
// kWarning: NESTRT_ISA in the environment names an instruction set that this CPU does not have; a unit goes into
// quarantine; the host computes what a unit did not.
//
// Threads: set the hook before units are opened; it is called from threads that create or run sessions, and from
// those of units.
#pragma once

#include <functional>
#include <string_view>

#include "nestrt/driver/visibility.h"

namespace NESTRT_PUBLIC nestrt {

enum class LogLevel { kDebug = 0, kInfo = 1, kWarning = 2, kError = 3, kOff = 4 };

using LogHook = std::function<void(LogLevel level, std::string_view message)>;

void set_log_level(LogLevel level);
// An empty hook restores the default.
void set_log_hook(LogHook hook);
// Cheap when the level is off. Session::run calls it only where a unit fails. What there is no memory for is not
// logged.
void log(LogLevel level, std::string_view message);

}  // namespace nestrt
