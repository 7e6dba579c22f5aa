// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/ops/ml/post_transform.h"

namespace nestrt::compiler {
namespace {

enum class PostTransform { kNone, kSoftmax, kLogistic };
constexpr OnnxName<PostTransform> kTransforms[] = {
    {"NONE", PostTransform::kNone}, {"SOFTMAX", PostTransform::kSoftmax}, {"LOGISTIC", PostTransform::kLogistic}};

}  // namespace

Result<ValueId> post_transform(NodeContext& node, ValueId scores) {
  NESTRT_ASSIGN_OR_RETURN(const PostTransform transform, node.keyword("post_transform", kTransforms, "NONE"));
  if (transform == PostTransform::kNone) return scores;
  if (transform == PostTransform::kLogistic) return node.unary(ops::UnaryKind::kSigmoid, scores);
  return node.add(ops::Softmax{.axis = 1}, {scores});
}

Result<std::vector<int64_t>> class_labels(NodeContext& node, const char* name) {
  if (!node.attribute("classlabels_strings", std::vector<std::string>()).empty())
    return node.unsupported(
        "labels that are strings are not supported; train with integer labels, and keep the names outside the model");
  return node.attribute(name, std::vector<int64_t>());
}

Status set_labels(NodeContext& node, ValueId scores, const std::vector<int64_t>& labels) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId best, node.add(ops::ArgReduce{.axis = 1, .keep_dims = false}, {scores}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId table, node.constant(labels, {static_cast<int64_t>(labels.size())}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId label, node.add(ops::Gather(), {table, best}));
  return node.set_output(0, label);
}

}  // namespace nestrt::compiler
