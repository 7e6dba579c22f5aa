// SPDX-License-Identifier: Apache-2.0
#include "runtime/platform/environment.h"

#include <cstdlib>

namespace nestrt {

std::string trusted_variable(const char* name) {
  const char* const value = ::secure_getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace nestrt
