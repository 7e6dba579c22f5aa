// SPDX-License-Identifier: Apache-2.0
// Formats the attributes of an operator as text, based on the operator's list of fields.
#pragma once

#include <string>

#include "nestrt/driver/operators.h"

namespace nestrt {

// Returns every field that differs from its default, such as " kernel=3,3 stride=2,2 activation=(kind=relu alpha=0
// beta=0)", or an empty string. Numbers have full precision.
std::string attribute_text(const ops::Attributes& attributes);

}  // namespace nestrt
