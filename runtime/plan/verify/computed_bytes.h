// SPDX-License-Identifier: Apache-2.0
// The bytes that a branch computes: the outputs of its operators, except views (views.h), whose bytes other operators
// compute, and parts of a Concat that are already in place.
#pragma once

#include <span>
#include <vector>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/result.h"
#include "runtime/plan/verify/verify_parts.h"

namespace nestrt {

// Returns the bytes per branch. Requires: a verified plan; may fail otherwise.
Result<std::vector<plan_verify::Extents>> computed_bytes(const plan::Tables& plan);

namespace plan_verify {

// `writes` contains the writes of all operators, in ascending operator order. Requires: the branch's operators are
// consecutive.
Extents computed_bytes(const plan::Branch& branch, std::span<const Write> writes);

}  // namespace plan_verify
}  // namespace nestrt
