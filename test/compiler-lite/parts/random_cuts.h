// Cuts of a model that nobody has thought of.
#pragma once

#include <random>
#include <vector>

#include "compiler-lite/parts/cutting/cut.h"

namespace nestrt::test {

// One to eight parts, or as many as there are operators: pieces of a random order in which the model can be computed.
// Of every fourth cut some parts are left out, for the rest.
std::vector<compiler::PartSpec> random_parts(const compiler::Graph& graph, std::mt19937& generator);

}  // namespace nestrt::test
