// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/export/check_model.h"

#include <fmt/core.h>

#include <onnx/checker.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>
#include <climits>
#include <exception>

namespace nestrt::compiler {
namespace {

Status refused(std::string_view by, const std::exception& error) {
  return Status(Code::kUnsupported, fmt::format("the {} of the ONNX library rejects the model: {}", by, error.what()));
}

}  // namespace

Status check_onnx_model(onnx::ModelProto& model) {
  try {
    onnx::checker::check_model(model);
  } catch (const std::exception& error) {
    return refused("checker", error);
  }
  try {
    const onnx::ShapeInferenceOptions strict(true, 1, true);
    onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(), strict);
  } catch (const std::exception& error) {
    return refused("shape inference", error);
  }
  return {};
}

Status check_onnx_model(std::span<const std::byte> bytes) {
  onnx::ModelProto model;
  if (bytes.size() > INT_MAX || !model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return Status(Code::kInvalidModel, "not an ONNX model");
  return check_onnx_model(model);
}

}  // namespace nestrt::compiler
