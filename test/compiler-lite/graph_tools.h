// SPDX-License-Identifier: Apache-2.0
// Builds small graphs for tests of the compiler and compares their results.
#pragma once

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "compiler-lite/graph/graph.h"
#include "compiler-lite/graph/host_tensor.h"
#include "compiler-lite/placement/assign_layouts.h"

namespace nestrt::test {

compiler::ValueId add_input(compiler::Graph& graph, const std::string& name, const Shape& shape);
// Adds a constant with elements uniform in [low, high].
compiler::ValueId random_constant(compiler::Graph& graph, std::mt19937& generator, const Shape& shape, float low = -1,
                                  float high = 1);
compiler::ValueId scalar(compiler::Graph& graph, float value);

// Adds a node and returns its only output. Fails the test if the operator's rules reject the node.
compiler::ValueId add(compiler::Graph& graph, ops::Attributes attributes, const std::vector<compiler::ValueId>& inputs,
                      const std::string& name = "");

ops::Conv conv_attributes(const std::vector<int32_t>& kernel, int32_t pad = 0, int32_t stride = 1, int32_t group = 1);
// Adds a Conv with random weights (and bias), `channels` outputs and a kernel of `kernel` elements per spatial axis.
compiler::ValueId add_conv(compiler::Graph& graph, std::mt19937& generator, compiler::ValueId input, int64_t channels,
                           int32_t kernel = 1, int32_t pad = 0, bool bias = true, int32_t group = 1);
ops::Pool pool_attributes(ops::PoolKind kind, const std::vector<int32_t>& kernel, int32_t pad = 0);
ops::Unary unary_attributes(ops::UnaryKind kind, float alpha = 0, float beta = 0);
ops::Binary binary_attributes(ops::BinaryKind kind);
ops::Reshape reshape_attributes(const std::vector<int64_t>& shape);
ops::Transpose transpose_attributes(const std::vector<int32_t>& permutation);
ops::Pad pad_attributes(const std::vector<int64_t>& begin, const std::vector<int64_t>& end, float value = 0);
ops::Concat concat_attributes(int32_t axis);

// Quantizes all supported nodes to s8 with this exponent for every value.
void quantize_all(compiler::Graph& graph, int8_t exponent);

// Chooses layouts and packs weights for the host CPU, as the stages placement and codegen do.
Status choose_layout(compiler::Graph& graph, const compiler::LayoutOptions& options = {});

// Returns the number of nodes of this kind.
int count(const compiler::Graph& graph, ops::Kind kind);

// Returns elements uniform in [low, high] for every f32 input of the graph.
std::vector<compiler::HostTensor> random_inputs(const compiler::Graph& graph, std::mt19937& generator, float low = -4,
                                                float high = 4);
// Returns the largest |a - b| / max(1, |b|) over the outputs of both graphs on the same random inputs. Requires equal
// names, types and shapes of inputs and outputs.
double difference(const compiler::Graph& actual, const compiler::Graph& expected, std::mt19937& generator);

// Runs the pass, checks that the results differ by less than `tolerance` (0 requires equal results), and returns the
// number of remaining nodes.
size_t nodes_left_by(Result<int> (*pass)(compiler::Graph&), compiler::Graph& graph, double tolerance);

}  // namespace nestrt::test
