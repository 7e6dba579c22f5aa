// SPDX-License-Identifier: Apache-2.0
// Python's Plan: a plan and the memory that holds it.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

#include "nestrt/plan.h"
#include "nestrt/preprocessing.h"
#include "nestrt/result.h"

namespace nestrt::python {

struct PlanHandle {
  std::shared_ptr<const Plan> plan;  // also keeps the bytes alive
  std::string where;                 // the file, or "bytes"; for messages
  std::string path;                  // empty for plans from bytes
};

// Loads a plan from bytes, copied into aligned memory that the plan owns.
Result<std::shared_ptr<const Plan>> plan_of_bytes(std::span<const std::byte> bytes, const LoadOptions& options);

// Reads the keywords mean, scale, resize, bgr, letterbox, pad and antialias.
Preprocessing preprocessing_of(const nanobind::dict& values);
nanobind::object as_dict(const Preprocessing* preprocessing);  // Returns None for nullptr.

void bind_plan(nanobind::module_& module);

}  // namespace nestrt::python
