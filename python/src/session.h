// SPDX-License-Identifier: Apache-2.0
// Python's Session, Pipeline and Units.
#pragma once

#include <nanobind/nanobind.h>

namespace nestrt::python {

void bind_session(nanobind::module_& module);

}  // namespace nestrt::python
