// SPDX-License-Identifier: Apache-2.0
// Python's compile() and calibrate().
#pragma once

#include <nanobind/nanobind.h>

namespace nestrt::python {

void bind_compile(nanobind::module_& module);

}  // namespace nestrt::python
