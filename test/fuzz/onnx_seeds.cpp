// SPDX-License-Identifier: Apache-2.0
#include <onnx/onnx_pb.h>

#include "test/compiler-lite/import/model_builder.h"
#include "test/fuzz/seeds.h"

namespace nestrt::test {
namespace {

std::string classifier() {
  ModelBuilder model;
  model.input("x", {1, 2, 4, 4}).output("y").constant("w", {3, 2, 1, 1}, std::vector<float>(6, 1));
  model.constant("scale", {3}, std::vector<float>(3, 2)).constant("shift", {3}, std::vector<float>(3, 1));
  model.node("Conv", {"x", "w"}, {"c"});
  model.node("BatchNormalization", {"c", "scale", "shift", "shift", "scale"}, {"b"});
  model.node("Relu", {"b"}, {"r"});
  model.node("GlobalAveragePool", {"r"}, {"p"});
  set_attribute(model.node("Flatten", {"p"}, {"f"}), "axis", int64_t{1});
  set_attribute(model.node("Softmax", {"f"}, {"y"}), "axis", int64_t{-1});
  return model.bytes();
}

// Returns the shape arithmetic that exporters emit for a reshape.
std::string shape_arithmetic() {
  ModelBuilder model;
  model.input("x", {2, 3, 4}).output("y").constant("zero", {0}).constant("rest", {-1});
  model.node("Shape", {"x"}, {"s"});
  model.node("Gather", {"s", "zero"}, {"n"});
  set_attribute(model.node("Concat", {"n", "rest"}, {"to"}), "axis", int64_t{0});
  model.node("Reshape", {"x", "to"}, {"y"});
  return model.bytes();
}

std::string movement() {
  ModelBuilder model;
  model.input("x", {1, 2, 4, 4}).output("y").constant("pads", {0, 0, 1, 1, 0, 0, 1, 1});
  model.constant("starts", {1}).constant("ends", {5}).constant("axes", {2});
  model.node("Pad", {"x", "pads"}, {"p"});
  model.node("Slice", {"p", "starts", "ends", "axes"}, {"s"});
  set_attribute(model.node("Transpose", {"s"}, {"t"}), "perm", std::vector<int64_t>{0, 2, 3, 1});
  set_attribute(model.node("ReduceMean", {"t"}, {"y"}), "axes", std::vector<int64_t>{1, 2});
  return model.bytes();
}

std::string quantized() {
  ModelBuilder model;
  model.input("x", {1, 4}).output("y").constant("s", {}, std::vector<float>{0.5f});
  model.constant("z", {}, std::vector<int32_t>{0}, onnx_type::kInt8);
  model.constant("w", {4, 4}, std::vector<float>(16, 0.5f));
  model.node("QuantizeLinear", {"x", "s", "z"}, {"q"});
  model.node("DequantizeLinear", {"q", "s", "z"}, {"d"});
  model.node("Gemm", {"d", "w"}, {"y"});
  return model.bytes();
}

std::string of_one_node(const std::string& op_type, const std::vector<std::string>& inputs) {
  ModelBuilder model;
  model.input("a", {1, 2, 3, 3}).input("b", {1, 2, 3, 3}).output("y");
  model.node(op_type, inputs, {"y"});
  return model.bytes();
}

}  // namespace

void add_onnx_seeds(SeedFolder& folder) {
  for (const std::string& model : {classifier(), shape_arithmetic(), movement(), quantized()}) folder.add(model);
  for (const char* op_type : {"Add", "Mul", "Div", "Pow", "Max", "MatMul", "Equal", "PRelu", "Concat"})
    folder.add(of_one_node(op_type, {"a", "b"}));
  for (const char* op_type : {"Sigmoid", "Erf", "HardSigmoid", "Softplus", "LpNormalization", "ArgMax", "Identity",
                              "ReduceSum", "GlobalMaxPool"})
    folder.add(of_one_node(op_type, {"a"}));
}

}  // namespace nestrt::test
