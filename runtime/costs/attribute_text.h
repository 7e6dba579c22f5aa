// The attributes of an operator as text. Made from the operator's own list of fields, so that none can be forgotten.
#pragma once

#include <string>

#include "nestrt/driver/operators.h"

namespace nestrt {

// " kernel=3,3 stride=2,2 activation=(kind=relu alpha=0 beta=0)": every field that has another value than a
// default-constructed operator's, empty where there is none. Numbers in full.
std::string attribute_text(const ops::Attributes& attributes);

}  // namespace nestrt
