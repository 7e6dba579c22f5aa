// SPDX-License-Identifier: Apache-2.0
// Logging of libnestrt.
//
// Messages of level kWarning and above go to standard error through spdlog, unless the application changes the level or
// sets a hook. On standard error, characters other than printable ASCII are escaped as \xNN. A hook receives unescaped
// messages, with names as they are in files. Failures are returned and not logged, except host fallbacks.
//
// kInfo: Session::create() repacked weights because the plan was compiled for another CPU.
// kWarning: NESTRT_ISA names an instruction set that this CPU does not support; a unit is quarantined; the host ran a
// step because its unit failed.
//
// Threading: set the hook before opening units. Threads that create or run sessions, and threads of units, call the
// hook.
#pragma once

#include <functional>
#include <string_view>

#include "nestrt/visibility.h"

namespace NESTRT_PUBLIC nestrt {

// Severity of a message, lowest first.
enum class LogLevel { kDebug = 0, kInfo = 1, kWarning = 2, kError = 3, kOff = 4 };

// Receives messages at or above the level.
using LogHook = std::function<void(LogLevel level, std::string_view message)>;

// Sets the lowest level that is logged.
void set_log_level(LogLevel level);
// Replaces the output to standard error; an empty hook restores it.
void set_log_hook(LogHook hook);
// Logs a message; cheap if the level is disabled. Session::run() logs only when a unit fails. The message is dropped if
// memory is exhausted.
void log(LogLevel level, std::string_view message);

}  // namespace nestrt
