// SPDX-License-Identifier: Apache-2.0
// Preprocessing operators and linear models of the domain ai.onnx.ml, as skl2onnx writes them. Numbers become f32.
#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "compiler-lite/import/node_context.h"
#include "compiler-lite/import/ops/families.h"
#include "compiler-lite/import/ops/float_forms.h"
#include "compiler-lite/import/ops/ml/post_transform.h"

namespace nestrt::compiler {
namespace {

using ops::BinaryKind;

// Returns input 0 as f32 [rows, features].
Result<ValueId> feature_rows(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(ValueId x, node.input(0));
  const Shape shape = node.shape(x);
  if (shape.rank() < 1 || shape.rank() > 2) return node.invalid("the input must have 1 or 2 axes");
  NESTRT_ASSIGN_OR_RETURN(x, node.cast(x, DataType::kF32));
  return shape.rank() == 2 ? Result<ValueId>(x) : node.reshape(x, {1, shape[0]});
}

// Returns the attribute as a constant with a single element or one element per feature.
Result<ValueId> per_feature(NodeContext& node, const char* name, int64_t features, float fallback) {
  std::vector<float> list = node.attribute(name, std::vector<float>());
  if (list.empty()) list.push_back(fallback);
  const auto count = static_cast<int64_t>(list.size());
  if (count == 1 || count == features) return node.constant(list, {count});
  return node.invalid(fmt::format("{} has {} elements, expected 1 or {}", name, count, features));
}

Status import_scaler(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(ValueId x, node.input(0));
  const Shape shape = node.shape(x);
  if (shape.rank() < 1) return node.invalid("the input is a scalar; expected an axis of features");
  NESTRT_ASSIGN_OR_RETURN(x, node.cast(x, DataType::kF32));
  NESTRT_ASSIGN_OR_RETURN(const ValueId offset, per_feature(node, "offset", shape[shape.rank() - 1], 0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId scale, per_feature(node, "scale", shape[shape.rank() - 1], 1));
  NESTRT_ASSIGN_OR_RETURN(x, node.binary(BinaryKind::kSub, x, offset));
  return node.set_output(node.binary(BinaryKind::kMul, x, scale));
}

constexpr OnnxName<ops::ReduceKind> kNorms[] = {
    {"MAX", ops::ReduceKind::kMax}, {"L1", ops::ReduceKind::kL1}, {"L2", ops::ReduceKind::kL2}};

// Rows with a norm of 0 stay unchanged.
Status import_normalizer(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ops::ReduceKind kind, node.keyword("norm", kNorms, "MAX"));
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, feature_rows(node));
  NESTRT_ASSIGN_OR_RETURN(const ValueId norm, node.add(ops::Reduce{.kind = kind, .axes = {1}, .keep_dims = true}, {x}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId zero, node.scalar(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId one, node.scalar(1));
  NESTRT_ASSIGN_OR_RETURN(const ValueId is_zero, node.binary(BinaryKind::kEqual, norm, zero));
  NESTRT_ASSIGN_OR_RETURN(const ValueId divisor, node.add(ops::Select(), {is_zero, one, norm}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId y, node.binary(BinaryKind::kDiv, x, divisor));
  return node.set_output(node.reshape(y, node.shape(node.optional_input(0))));
}

Status import_binarizer(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId threshold, node.scalar_of(node.type(x), node.attribute("threshold", 0.0f)));
  NESTRT_ASSIGN_OR_RETURN(const ValueId above, node.binary(BinaryKind::kGreater, x, threshold));
  return node.set_output(node.cast(above, node.type(x)));
}

Status import_array_feature_extractor(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(ValueId indices, node.input(1));
  const Shape shape = node.shape(x);
  if (shape.rank() < 1) return node.invalid("the input is a scalar; expected an axis of features");
  if (shape.rank() == 1) {
    NESTRT_ASSIGN_OR_RETURN(x, node.reshape(x, {1, shape[0]}));
  }
  NESTRT_ASSIGN_OR_RETURN(indices, node.reshape(indices, {node.shape(indices).num_elements()}));
  return node.finish(ops::Gather{.axis = node.shape(x).rank() - 1}, {x, indices});
}

Status import_imputer(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  if (node.type(x) != DataType::kF32) return node.unsupported("imputed values other than floats are not supported");
  const Shape shape = node.shape(x);
  const float replaced = node.attribute("replaced_value_float", std::numeric_limits<float>::quiet_NaN());
  NESTRT_ASSIGN_OR_RETURN(const ValueId imputed, per_feature(node, "imputed_value_floats",
                                                             shape.rank() == 0 ? 1 : shape[shape.rank() - 1], 0));
  if (std::isnan(replaced)) {
    NESTRT_ASSIGN_OR_RETURN(const ValueId is_nan, node.unary(ops::UnaryKind::kIsNan, x));
    return node.finish(ops::Select(), {is_nan, imputed, x});
  }
  NESTRT_ASSIGN_OR_RETURN(const ValueId value, node.scalar(replaced));
  NESTRT_ASSIGN_OR_RETURN(const ValueId is_value, node.binary(BinaryKind::kEqual, x, value));
  return node.finish(ops::Select(), {is_value, imputed, x});
}

// Returns x * coefficients + intercepts, [rows, outputs].
Result<ValueId> linear(NodeContext& node, int64_t outputs) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, feature_rows(node));
  const int64_t features = node.shape(x)[1];
  const std::vector<float> coefficients = node.attribute("coefficients", std::vector<float>());
  const std::vector<float> intercepts = node.attribute("intercepts", std::vector<float>());
  if (outputs < 1 || static_cast<int64_t>(coefficients.size()) % outputs != 0 ||
      static_cast<int64_t>(coefficients.size()) / outputs != features)
    return node.invalid(fmt::format("has {} coefficients, expected {} for each of {} features", coefficients.size(),
                                    outputs, features));
  if (!intercepts.empty() && static_cast<int64_t>(intercepts.size()) != outputs)
    return node.invalid(fmt::format("has {} intercepts, expected {}", intercepts.size(), outputs));
  NESTRT_ASSIGN_OR_RETURN(ValueId weights, node.constant(coefficients, {outputs, features}));
  NESTRT_ASSIGN_OR_RETURN(weights, node.transpose(weights, {1, 0}));
  ValueId bias = kNoValue;
  if (!intercepts.empty()) {
    NESTRT_ASSIGN_OR_RETURN(bias, node.constant(intercepts, {outputs}));
  }
  return gemm(node, x, weights, bias, 1);
}

Status import_linear_regressor(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId y, linear(node, node.attribute("targets", int64_t{1})));
  return node.set_output(post_transform(node, y));
}

Status import_linear_classifier(NodeContext& node) {
  node.ignore("multi_class");  // has no effect on the scores of one row of coefficients per class
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> labels, class_labels(node, "classlabels_ints"));
  if (labels.size() < 2) return node.unsupported("fewer than two classes are not supported");
  const auto classes = static_cast<int64_t>(labels.size());
  if (const auto coefficients = node.attribute("coefficients", std::vector<float>());
      classes == 2 && node.has_input(0) && node.shape(node.optional_input(0)).rank() == 2 &&
      static_cast<int64_t>(coefficients.size()) == node.shape(node.optional_input(0))[1])
    return node.unsupported("one row of coefficients for two classes is not supported; specify one row per class");
  NESTRT_ASSIGN_OR_RETURN(const ValueId scores, linear(node, classes));
  NESTRT_RETURN_IF_ERROR(set_labels(node, scores, labels));
  NESTRT_ASSIGN_OR_RETURN(const ValueId shown, post_transform(node, scores));
  return node.set_output(1, shown);
}

Status refuse_zip_map(NodeContext& node) {
  return node.unsupported(
      "maps are not tensors; export the model without them, e.g. skl2onnx with options={'zipmap': False}, and read the "
      "scores as a tensor");
}

Status refuse_trees(NodeContext& node) {
  return node.unsupported(
      "ensembles of trees are not supported; convert the trained model to tensor operators before exporting it, e.g. "
      "with hummingbird.ml.convert(model, 'torch')");
}

constexpr ImportRule kMachineLearningRules[] = {
    {"ai.onnx.ml.ArrayFeatureExtractor", import_array_feature_extractor},
    {"ai.onnx.ml.Binarizer", import_binarizer},
    {"ai.onnx.ml.Imputer", import_imputer},
    {"ai.onnx.ml.LinearClassifier", import_linear_classifier},
    {"ai.onnx.ml.LinearRegressor", import_linear_regressor},
    {"ai.onnx.ml.Normalizer", import_normalizer},
    {"ai.onnx.ml.Scaler", import_scaler},
    {"ai.onnx.ml.TreeEnsemble", refuse_trees},
    {"ai.onnx.ml.TreeEnsembleClassifier", refuse_trees},
    {"ai.onnx.ml.TreeEnsembleRegressor", refuse_trees},
    {"ai.onnx.ml.ZipMap", refuse_zip_map},
};

}  // namespace

std::span<const ImportRule> machine_learning_rules() { return kMachineLearningRules; }

}  // namespace nestrt::compiler
