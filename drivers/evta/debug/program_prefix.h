// SPDX-License-Identifier: Apache-2.0
// Programs that end early, to observe a program step by step.
#pragma once

#include <span>
#include <vector>

#include "drivers/evta/isa/instruction.h"

namespace nestrt::evta {

// Returns the first `count` instructions of a program and a FINISH that waits for them, without the tokens that no
// remaining instruction takes. If `observed` is set, appends a STORE of this transfer that waits for all computations
// and shows the low 8 bits of the accumulators. The checker may reject the result, for example if an instruction waits
// for a missing one.
std::vector<Instruction> make_prefix(std::span<const Instruction> program, size_t count,
                                     const Transfer* observed = nullptr);

}  // namespace nestrt::evta
