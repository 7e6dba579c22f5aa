// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/export/ops/activations.h"
#include "compiler-lite/export/ops/families.h"
#include "compiler-lite/export/ops/products.h"

namespace nestrt::compiler {
namespace {

Result<std::string> write_dense(NodeWriter& node) {
  return write_activation(node, node.attributes<ops::Dense>().activation, node.write("Gemm", product_operands(node)));
}

Result<std::string> write_mat_mul(NodeWriter& node) { return node.write("MatMul", node.reals(2)); }

constexpr ExportRule kRules[] = {
    {ops::Kind::kDense, write_dense},
    {ops::Kind::kMatMul, write_mat_mul},
};

}  // namespace

std::span<const ExportRule> matrix_export_rules() { return kRules; }

}  // namespace nestrt::compiler
