// SPDX-License-Identifier: Apache-2.0
// Keeps resources that an accelerator which does not stop may still use. Such runs are rare, because the first one puts
// the unit into quarantine.
#pragma once

#include <memory>

namespace nestrt::evta {

// Keeps `used` until after the end of the process. Safe from any thread. Throws nothing.
void leak_until_exit(std::shared_ptr<void> used) noexcept;

}  // namespace nestrt::evta
