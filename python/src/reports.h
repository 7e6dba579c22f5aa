// SPDX-License-Identifier: Apache-2.0
// check(), bench(), simulate() and profile() of Python: what the commands of the same names find out.
#pragma once

#include <nanobind/nanobind.h>

namespace nestrt::python {

void bind_reports(nanobind::module_& module);

}  // namespace nestrt::python
