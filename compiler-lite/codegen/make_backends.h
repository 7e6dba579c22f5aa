// SPDX-License-Identifier: Apache-2.0
// Creates the backends of a target's units.
#pragma once

#include "compiler-lite/codegen/backend.h"
#include "compiler-lite/codegen/cpu/cpu_backend.h"
#include "compiler-lite/codegen/evta/evta_backend.h"

namespace nestrt::compiler {

struct TargetDescription;

// The host's backend comes first. Errors: kUnsupported for a unit without a backend.
Result<Backends> make_backends(const TargetDescription& target, const evta::EvtaOptions& evta = {},
                               KernelAlternatives alternatives = KernelAlternatives::kSameBits);

}  // namespace nestrt::compiler
