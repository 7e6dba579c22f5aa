// Small graphs for tests of the compiler: building them, and comparing what two of them compute.
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
// A constant with elements uniform in [low, high].
compiler::ValueId random_constant(compiler::Graph& graph, std::mt19937& generator, const Shape& shape, float low = -1,
                                  float high = 1);
compiler::ValueId scalar(compiler::Graph& graph, float value);

// The node's only output. Fails the test where the operator's rules refuse the node.
compiler::ValueId add(compiler::Graph& graph, ops::Attributes attributes, const std::vector<compiler::ValueId>& inputs,
                      const std::string& name = "");

ops::Conv conv_attributes(const std::vector<int32_t>& kernel, int32_t pad = 0, int32_t stride = 1, int32_t group = 1);
// A Conv with random weights (and bias) of `channels` outputs and a square or, for rank 3, single kernel.
compiler::ValueId add_conv(compiler::Graph& graph, std::mt19937& generator, compiler::ValueId input, int64_t channels,
                           int32_t kernel = 1, int32_t pad = 0, bool bias = true, int32_t group = 1);
ops::Pool pool_attributes(ops::PoolKind kind, const std::vector<int32_t>& kernel, int32_t pad = 0);
ops::Unary unary_attributes(ops::UnaryKind kind, float alpha = 0, float beta = 0);
ops::Binary binary_attributes(ops::BinaryKind kind);
ops::Reshape reshape_attributes(const std::vector<int64_t>& shape);
ops::Transpose transpose_attributes(const std::vector<int32_t>& permutation);
ops::Pad pad_attributes(const std::vector<int64_t>& begin, const std::vector<int64_t>& end, float value = 0);
ops::Concat concat_attributes(int32_t axis);

// Makes s8 of what can be, every value with this exponent.
void quantize_all(compiler::Graph& graph, int8_t exponent);

// Layouts chosen and weights packed for the CPUs of the host: the stages placement and codegen.
Status choose_layout(compiler::Graph& graph, const compiler::LayoutOptions& options = {});

// Nodes of this kind.
int count(const compiler::Graph& graph, ops::Kind kind);

// Elements uniform in [low, high] for every f32 input of the graph.
std::vector<compiler::HostTensor> random_inputs(const compiler::Graph& graph, std::mt19937& generator, float low = -4,
                                                float high = 4);
// Largest |a - b| / max(1, |b|) over the outputs of both graphs on the same random inputs; names, types and shapes of
// inputs and outputs are required to be equal.
double difference(const compiler::Graph& actual, const compiler::Graph& expected, std::mt19937& generator);

// Runs the pass, checks that the results differ by less than `tolerance` (0: not at all), and returns how many nodes
// are left.
size_t nodes_left_by(Result<int> (*pass)(compiler::Graph&), compiler::Graph& graph, double tolerance);

}  // namespace nestrt::test
