// SPDX-License-Identifier: Apache-2.0
// Session and Units of Python.
#pragma once

#include <nanobind/nanobind.h>

namespace nestrt::python {

void bind_session(nanobind::module_& module);

}  // namespace nestrt::python
