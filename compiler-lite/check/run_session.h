// SPDX-License-Identifier: Apache-2.0
// Runs one inference and allocates its outputs.
#pragma once

#include <span>
#include <vector>

#include "nestrt/result.h"
#include "tools/support/text/npy.h"

namespace nestrt {
class Session;
}

namespace nestrt::compiler {

// `inputs` and results are in the plan's order. Errors: those of Session::run().
Result<std::vector<tools::Array>> run_session(Session& session, std::span<const tools::Array> inputs);

}  // namespace nestrt::compiler
