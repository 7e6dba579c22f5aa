// Units shared by the sessions of the C API: those that ask for the same get the same, and so one thread pool, as long
// as any of them lives.
#pragma once

#include <memory>
#include <string>

#include "nestrt/driver/unit.h"
#include "nestrt/open_units.h"

namespace nestrt::c_api {

// Of the options: threads, plug-in and whether it is isolated. Safe to call from any thread. Errors: those of
// open_units().
Result<std::shared_ptr<const UnitList>> shared_units(const std::string& spec, const UnitOptions& options);

}  // namespace nestrt::c_api
