// SPDX-License-Identifier: Apache-2.0
#include "test/compiler-lite/import/tflite/run_graph.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "compiler-lite/graph/interpreter.h"
#include "compiler-lite/passes/optimise.h"

namespace nestrt::test {

using compiler::Graph;
using compiler::HostTensor;

Graph imported(const LiteWriter& model, const compiler::ImportOptions& options) {
  auto graph = model.import(options);
  INFO(graph.error().to_string());
  REQUIRE(graph);
  return std::move(*graph);
}

Graph optimised(const LiteWriter& model) {
  Graph graph = imported(model);
  REQUIRE(compiler::optimise(graph).ok());
  return graph;
}

std::vector<std::vector<float>> run_floats(const Graph& graph, const std::vector<std::vector<float>>& inputs) {
  std::vector<HostTensor> tensors;
  for (size_t i = 0; i < inputs.size(); ++i)
    tensors.push_back({DataType::kF32, graph.value(graph.inputs.at(i).value).shape, compiler::to_bytes(inputs[i])});
  const auto outputs = compiler::interpret(graph, tensors);
  INFO(outputs.error().to_string());
  REQUIRE(outputs);
  std::vector<std::vector<float>> results;
  for (const HostTensor& output : *outputs) {
    REQUIRE(output.type == DataType::kF32);
    results.emplace_back(output.elements.size() / sizeof(float));
    std::memcpy(results.back().data(), output.elements.data(), output.elements.size());
  }
  return results;
}

}  // namespace nestrt::test
