// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/export/onnx_forms.h"

#include <onnx/onnx_pb.h>

#include "compiler-lite/export/model_writer.h"

namespace nestrt::compiler {
namespace {

OnnxForm form_of(const onnx::NodeProto& node) {
  OnnxForm form{node.op_type(), {}, {}};
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.type() == onnx::AttributeProto::STRING) {
      form.texts[attribute.name()] = attribute.s();
      continue;
    }
    std::vector<double>& numbers = form.numbers[attribute.name()];
    if (attribute.type() == onnx::AttributeProto::INT) numbers.push_back(static_cast<double>(attribute.i()));
    if (attribute.type() == onnx::AttributeProto::FLOAT) numbers.push_back(attribute.f());
    for (const int64_t entry : attribute.ints()) numbers.push_back(static_cast<double>(entry));
  }
  return form;
}

}  // namespace

Result<std::vector<std::vector<OnnxForm>>> onnx_forms(const Graph& graph, const ExportForm& form) {
  NESTRT_RETURN_IF_ERROR(check_export_opset(form.opset));
  ValueNames names(graph);
  onnx::GraphProto proto;
  const ExportedPart part = whole_graph(graph);
  ModelWriter writer(graph, part, names, form, proto);
  NESTRT_RETURN_IF_ERROR(writer.write());
  std::vector<std::vector<OnnxForm>> forms(part.nodes.size());
  int first = 0;
  for (size_t i = 0; i < forms.size(); ++i) {
    for (; first < writer.ends()[i]; ++first) forms[i].push_back(form_of(proto.node(first)));
  }
  return forms;
}

}  // namespace nestrt::compiler
