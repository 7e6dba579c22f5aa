// SPDX-License-Identifier: Apache-2.0
// CpuUnit: the CPU's cores as a unit. Runs programs of kernels, one operator after another, on the submitting thread.
// Kernels distribute their work over the unit's thread pool.
#pragma once

#include <memory>

#include "nestrt/open_units.h"

#include "nestrt/driver/unit.h"

namespace nestrt::drivers {

// Errors: as for scheduler::ThreadPool::create.
Result<std::shared_ptr<Unit>> open_cpu_unit(const UnitOptions& options = {});

}  // namespace nestrt::drivers
