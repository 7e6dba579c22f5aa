// SPDX-License-Identifier: Apache-2.0
// Units shared by the sessions of the C API. Equal requests receive the same units, and thus the same thread pool, as
// long as one of these sessions exists.
#pragma once

#include <memory>
#include <string>

#include "nestrt/driver/unit.h"
#include "nestrt/open_units.h"

namespace nestrt::c_api {

// Returns the units for a list. Only uses the number of threads, the plug-in and its isolation from the options. May be
// called from any thread. Errors: as for open_units().
Result<std::shared_ptr<const UnitList>> shared_units(const std::string& spec, const UnitOptions& options);

}  // namespace nestrt::c_api
