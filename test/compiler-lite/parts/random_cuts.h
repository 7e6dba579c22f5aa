// SPDX-License-Identifier: Apache-2.0
// Creates random cuts of a model.
#pragma once

#include <random>
#include <vector>

#include "compiler-lite/parts/cutting/cut.h"

namespace nestrt::test {

// Returns one to eight parts, but at most one per operator: slices of a random valid order. Every fourth cut omits some
// parts; their operators become the rest.
std::vector<compiler::PartSpec> random_parts(const compiler::Graph& graph, std::mt19937& generator);

}  // namespace nestrt::test
