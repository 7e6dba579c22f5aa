// SPDX-License-Identifier: Apache-2.0
// An object that sets an environment variable during its lifetime.
#pragma once

#include <cstdlib>

namespace nestrt::test {

class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Environment() { ::unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
};

}  // namespace nestrt::test
