// SPDX-License-Identifier: Apache-2.0
// compile() and calibrate() of Python.
#pragma once

#include <nanobind/nanobind.h>

namespace nestrt::python {

void bind_compile(nanobind::module_& module);

}  // namespace nestrt::python
