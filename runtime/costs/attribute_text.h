// The attributes of an operator as text. Made from the schema's own description, so that no field can be forgotten.
#pragma once

#include <string>

#include "nestrt/plan_generated.h"

namespace nestrt {

// " kernel=3,3 stride=2,2 group=1 activation=(kind=relu alpha=0 beta=0)": every field that the plan states (one that
// has its default value is absent from a plan), empty where there is none. Numbers in full.
// Requires: a verified plan.
std::string attribute_text(const plan::Operator& op);

}  // namespace nestrt
