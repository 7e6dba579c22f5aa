// What an accelerator that does not stop may still use: it is never given back. Few such runs are to be expected: the
// unit is in quarantine from the first on.
#pragma once

#include <memory>

namespace nestrt::evta {

// Until the end of the process, and through its end. Safe from any thread. Throws nothing.
void leak_until_exit(std::shared_ptr<void> used) noexcept;

}  // namespace nestrt::evta
