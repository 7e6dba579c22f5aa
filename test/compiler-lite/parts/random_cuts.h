// SPDX-License-Identifier: Apache-2.0
// Random cuts of a model.
#pragma once

#include <random>
#include <vector>

#include "compiler-lite/parts/cutting/cut.h"

namespace nestrt::test {

// Returns one to eight parts, or as many as there are operators: slices of a random valid order. Every fourth cut omits
// some parts, which become the rest.
std::vector<compiler::PartSpec> random_parts(const compiler::Graph& graph, std::mt19937& generator);

}  // namespace nestrt::test
