// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/parts/borders.h"

#include "compiler-lite/export/node_writer.h"

namespace nestrt::compiler {
namespace {

// Returns the quantization of the tensor, or of the tensor that it renames.
std::optional<plan::Quantization> quantization_of(const Graph& graph, ValueId id) {
  const Node* producer = graph.producer(id);
  const bool is_renamed = producer != nullptr && producer->kind() == ops::Kind::kReshape &&
                          graph.value(producer->inputs[0]).shape == graph.value(id).shape;
  return graph.value(is_renamed ? producer->inputs[0] : id).quantization;
}

// Expresses exponents as scales.
plan::Quantization as_scales(const plan::Quantization& quantization) {
  plan::Quantization result;
  result.scales = scales_of(quantization);
  result.zero_points = quantization.zero_points;
  result.zero_points.resize(result.scales.size(), 0);
  result.axis = quantization.axis;
  return result;
}

}  // namespace

std::vector<Border> borders_of(const Graph& graph, const ValueNames& names, const std::vector<ValueId>& ids) {
  std::vector<Border> result;
  for (const ValueId id : ids) {
    Border& border = result.emplace_back();
    border = {names.of(id), graph.value(id).type, graph.value(id).shape, quantization_of(graph, id)};
    if (border.quantization) border.quantization = as_scales(*border.quantization);
  }
  return result;
}

tools::Json json_of(const Border& border) {
  tools::Json json = {{"name", border.name}, {"type", name(border.type)}, {"shape", tools::Json::array(border.shape)}};
  if (!border.quantization) return json;
  json.set("scales", tools::Json::array(border.quantization->scales));
  json.set("zero_points", tools::Json::array(border.quantization->zero_points));
  if (border.quantization->scales.size() > 1) json.set("axis", border.quantization->axis);
  return json;
}

tools::Json json_of(const std::vector<Border>& borders) {
  tools::Json list = tools::Json::array();
  for (const Border& border : borders) list.push_back(json_of(border));
  return list;
}

}  // namespace nestrt::compiler
