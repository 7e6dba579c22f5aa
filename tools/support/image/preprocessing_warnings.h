// What is hardly meant of preprocessing: mistakes that give a network values that it was not trained on, and no error.
#pragma once

#include <string>
#include <vector>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/preprocessing.h"

namespace nestrt::tools {

// Mean and scale that are for other pixels, or for other arithmetic. A sentence each.
std::vector<std::string> remarks_on(const Preprocessing& preprocessing);

// Where the first input of a plan becomes integers, and what images become by `preprocessing` is far more than these
// can express, or a small part of it: the plan was calibrated with other samples. Else empty.
std::string remark_on_range(const plan::Tables& tables, const Preprocessing& preprocessing);

// Log remarks_on(), and remark_on_range() with the plan's own preprocessing, as warnings.
void warn_about_preprocessing(const Preprocessing& preprocessing);
void warn_about_input_range(const plan::Tables& tables);

}  // namespace nestrt::tools
