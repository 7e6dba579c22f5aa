// Which bytes of its buffers a branch computes: those of its operators' outputs, but for views (views.h), which lie
// where others have computed, and for the parts of a Concat that lie in their place.
#pragma once

#include <span>
#include <vector>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/result.h"
#include "runtime/plan/verify/verify_parts.h"

namespace nestrt {

// By branch. Requires: a verified plan, from which alone errors could come.
Result<std::vector<plan_verify::Extents>> computed_bytes(const plan::Tables& plan);

namespace plan_verify {

// `writes` are those of all operators, ascending by operator. Requires: the branch's operators follow each other.
Extents computed_bytes(const plan::Branch& branch, std::span<const Write> writes);

}  // namespace plan_verify
}  // namespace nestrt
