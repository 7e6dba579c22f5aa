// SPDX-License-Identifier: Apache-2.0
// Keeps resources that an accelerator may still use because it does not stop. Such runs are rare, because the first one
// quarantines the unit.
#pragma once

#include <memory>

namespace nestrt::evta {

// Keeps `used` until the process ends. Safe from any thread. Does not throw.
void leak_until_exit(std::shared_ptr<void> used) noexcept;

}  // namespace nestrt::evta
