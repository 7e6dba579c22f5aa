// SPDX-License-Identifier: Apache-2.0
// Programs that end early, to observe a program step by step.
#pragma once

#include <span>
#include <vector>

#include "drivers/evta/isa/instruction.h"

namespace nestrt::evta {

// Returns the first `count` instructions of a program and a FINISH that waits for them. Tokens that none of them takes
// are not given. If `observed` is set, a STORE of it follows, which waits for all computations: it shows the
// accumulators' low 8 bits. The result may be a program that the checker rejects, for example if an instruction waits
// for one that is missing.
std::vector<Instruction> make_prefix(std::span<const Instruction> program, size_t count,
                                     const Transfer* observed = nullptr);

}  // namespace nestrt::evta
