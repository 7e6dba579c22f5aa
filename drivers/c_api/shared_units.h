// SPDX-License-Identifier: Apache-2.0
// Units shared by the sessions of the C API: equal requests receive the same units, and thus the same thread pool, as
// long as any of these sessions exists.
#pragma once

#include <memory>
#include <string>

#include "nestrt/driver/unit.h"
#include "nestrt/open_units.h"

namespace nestrt::c_api {

// Returns the units for a list. Of the options, only the number of threads, the plug-in and its isolation are used. May
// be called from any thread. Errors: as for open_units().
Result<std::shared_ptr<const UnitList>> shared_units(const std::string& spec, const UnitOptions& options);

}  // namespace nestrt::c_api
