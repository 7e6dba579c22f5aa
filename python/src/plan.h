// SPDX-License-Identifier: Apache-2.0
// Plan of Python: a plan, with the memory that it lies in.
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
  std::shared_ptr<const Plan> plan;  // keeps the bytes alive, too
  std::string where;                 // the file, or "bytes"; for messages
  std::string path;                  // empty where it was made of bytes
};

// Reads bytes into aligned memory that the plan keeps.
Result<std::shared_ptr<const Plan>> plan_of_bytes(std::span<const std::byte> bytes, const LoadOptions& options);

// Of keywords mean, scale, resize, bgr, letterbox, pad.
Preprocessing preprocessing_of(const nanobind::dict& values);
nanobind::object as_dict(const Preprocessing* preprocessing);  // None where there is none

void bind_plan(nanobind::module_& module);

}  // namespace nestrt::python
