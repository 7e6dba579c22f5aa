// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/export/export.h"
#include "compiler-lite/export/ops/activations.h"
#include "compiler-lite/export/ops/families.h"
#include "compiler-lite/export/ops/products.h"

namespace nestrt::compiler {
namespace {

Result<std::string> write_dense(NodeWriter& node) {
  const bool transposes = node.form().gemm_trans_b && node.operand(1).is_constant();
  WrittenAttributes attributes;
  if (node.form().all_attributes) attributes = {{"alpha", 1.0f}, {"beta", 1.0f}, {"transA", false}};
  if (transposes || node.form().all_attributes) attributes.emplace_back("transB", transposes);
  const std::string y = node.write("Gemm", product_operands(node, transposes), std::move(attributes));
  return write_activation(node, node.attributes<ops::Dense>().activation, y);
}

Result<std::string> write_mat_mul(NodeWriter& node) { return node.write("MatMul", node.reals(2)); }

constexpr ExportRule kMatrixExportRules[] = {
    {ops::Kind::kDense, write_dense},
    {ops::Kind::kMatMul, write_mat_mul},
};

}  // namespace

std::span<const ExportRule> matrix_export_rules() { return kMatrixExportRules; }

}  // namespace nestrt::compiler
