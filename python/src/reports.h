// SPDX-License-Identifier: Apache-2.0
// Python's check(), bench(), simulate() and profile(), with the results of the commands of the same names.
#pragma once

#include <nanobind/nanobind.h>

namespace nestrt::python {

void bind_reports(nanobind::module_& module);

}  // namespace nestrt::python
