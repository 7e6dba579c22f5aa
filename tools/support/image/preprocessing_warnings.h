// SPDX-License-Identifier: Apache-2.0
// Detects probable preprocessing mistakes, which cause wrong results without an error.
#pragma once

#include <string>
#include <vector>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/preprocessing.h"

namespace nestrt::tools {

// Returns a sentence for each mean or scale that fits other pixel formats or other arithmetic.
std::vector<std::string> remarks_on(const Preprocessing& preprocessing);

// Returns a warning if the first input of a plan is quantized and preprocessed images exceed its range or use only a
// small part of it, which means that calibration used other samples. Empty otherwise.
std::string remark_on_range(const plan::Tables& tables, const Preprocessing& preprocessing);

// Log remarks_on(), and remark_on_range() with the plan's own preprocessing, as warnings.
void warn_about_preprocessing(const Preprocessing& preprocessing);
void warn_about_input_range(const plan::Tables& tables);

}  // namespace nestrt::tools
