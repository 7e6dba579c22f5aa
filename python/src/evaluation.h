// SPDX-License-Identifier: Apache-2.0
// The figures of `nestrt eval` for Python's evaluate() and evaluate_task().
#pragma once

#include <nanobind/nanobind.h>

namespace nestrt::python {

void bind_evaluation(nanobind::module_& module);

}  // namespace nestrt::python
