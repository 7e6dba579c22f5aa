// SPDX-License-Identifier: Apache-2.0
// Products with packed weights of 2, 4 or 8 bits.
#include <fmt/core.h>

#include <algorithm>

#include "compiler-lite/graph/packed_bits.h"
#include "compiler-lite/import/node_context.h"
#include "compiler-lite/import/ops/families.h"

namespace nestrt::compiler {
namespace {

// The operands of a MatMulNBits: B, scales, zero points.
constexpr size_t kMatrix = 1, kMatrixScales = 2, kMatrixZeros = 3, kRowGroups = 4, kSumBias = 5;  // inputs

struct NBitsForm {
  int64_t inner = 0, columns = 0, bits = 4, block = 0;

  int64_t blocks() const { return (inner + block - 1) / block; }
  int64_t block_bytes() const { return block * bits / 8; }
  // Returns the bytes of a column's packed zero points.
  int64_t zero_bytes() const { return (blocks() * bits + 7) / 8; }
};

Result<NBitsForm> read_form(NodeContext& node) {
  NBitsForm form;
  NESTRT_ASSIGN_OR_RETURN(form.inner, node.required_int("K"));
  NESTRT_ASSIGN_OR_RETURN(form.columns, node.required_int("N"));
  NESTRT_ASSIGN_OR_RETURN(form.block, node.required_int("block_size"));
  form.bits = node.attribute("bits", int64_t{4});
  node.ignore("accuracy_level");  // the lowest precision that is allowed; f32 is the highest
  if (form.bits != 2 && form.bits != 4 && form.bits != 8)
    return node.unsupported(fmt::format("{} bits are not supported; supported: 2, 4, 8", form.bits));
  constexpr int64_t kMost = INT32_MAX / 2;
  const auto is_valid = [](int64_t size) { return size >= 1 && size <= kMost; };
  if (!is_valid(form.inner) || !is_valid(form.columns) || !is_valid(form.block) || form.block % 8 != 0)
    return node.invalid(
        fmt::format("K {}, N {} and block_size {} are not valid", form.inner, form.columns, form.block));
  return form;
}

Result<Bytes> constant_bytes(const NodeContext& node, size_t input, int64_t count, std::string_view what) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId id, node.input(input));
  const Value& value = node.value(id);
  if (!value.is_constant()) return node.unsupported(fmt::format("{} must be constant", what));
  if (value.type == DataType::kU8 && value.shape.num_elements() == count) return *value.constant;
  return node.invalid(fmt::format("{} has type {} and shape {}, expected {} elements of uint8", what, name(value.type),
                                  value.shape.to_string(), count));
}

// Returns integer `index` of a row of packed integers.
uint8_t bits_at(const Bytes& packed, int64_t row_start, int64_t index, int64_t bits) {
  const auto byte = static_cast<uint32_t>(packed[static_cast<size_t>(row_start + index * bits / 8)]);
  return static_cast<uint8_t>(byte >> (index * bits % 8) & ((1U << bits) - 1));
}

// Reads the zero points as [blocks][columns].
Status read_zeros(const NodeContext& node, const NBitsForm& form, BitMatrix& matrix) {
  const int64_t count = form.blocks() * form.columns;
  matrix.zero_points.assign(static_cast<size_t>(count), static_cast<float>(1 << (form.bits - 1)));
  if (!node.has_input(kMatrixZeros)) return ok_status();
  const auto set = [&](int64_t n, int64_t block, float zero) {
    matrix.zero_points[static_cast<size_t>(block * form.columns + n)] = zero;
  };
  matrix.has_integer_zeros = node.type(node.optional_input(kMatrixZeros)) == DataType::kU8;
  if (!matrix.has_integer_zeros) {
    NESTRT_ASSIGN_OR_RETURN(const std::vector<float> zeros, node.constant_floats(kMatrixZeros, "the zero points"));
    if (std::ssize(zeros) != count) return node.invalid("the number of zero points differs from the number of blocks");
    for (int64_t i = 0; i < count; ++i) set(i / form.blocks(), i % form.blocks(), zeros[static_cast<size_t>(i)]);
    return ok_status();
  }
  NESTRT_ASSIGN_OR_RETURN(const Bytes zeros,
                          constant_bytes(node, kMatrixZeros, form.columns * form.zero_bytes(), "zero points"));
  for (int64_t n = 0; n < form.columns; ++n)
    for (int64_t block = 0; block < form.blocks(); ++block)
      set(n, block, bits_at(zeros, n * form.zero_bytes(), block, form.bits));
  return ok_status();
}

// Reads the matrix in the order of a BitMatrix.
Result<BitMatrix> read_matrix(const NodeContext& node, const NBitsForm& form) {
  const int64_t row = form.blocks() * form.block_bytes();
  NESTRT_ASSIGN_OR_RETURN(const Bytes packed, constant_bytes(node, kMatrix, form.columns * row, "B"));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<float> scales, node.constant_floats(kMatrixScales, "the scale"));
  if (std::ssize(scales) != form.blocks() * form.columns)
    return node.invalid(fmt::format("{} scales, expected {}", scales.size(), form.blocks() * form.columns));
  NESTRT_RETURN_IF_ERROR(node.check_constant(DataType::kU8, {form.inner, form.columns}));
  BitMatrix matrix;
  matrix.bits = static_cast<int>(form.bits);
  matrix.inner = form.inner;
  matrix.columns = form.columns;
  matrix.block = form.block;
  matrix.integers.resize(static_cast<size_t>(form.inner * form.columns));
  matrix.scales.resize(scales.size());
  for (int64_t n = 0; n < form.columns; ++n) {
    for (int64_t k = 0; k < form.inner; ++k)
      matrix.integers[static_cast<size_t>(k * form.columns + n)] = bits_at(packed, n * row, k, form.bits);
    for (int64_t block = 0; block < form.blocks(); ++block)
      matrix.scales[static_cast<size_t>(block * form.columns + n)] =
          scales[static_cast<size_t>(n * form.blocks() + block)];
  }
  NESTRT_RETURN_IF_ERROR(read_zeros(node, form, matrix));
  return matrix;
}

Status check_absent_groups(const NodeContext& node, const NBitsForm& form) {
  if (!node.has_input(kRowGroups)) return ok_status();
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> groups, node.constant_ints(kRowGroups, "g_idx"));
  for (size_t k = 0; k < groups.size(); ++k)
    if (groups[k] != static_cast<int64_t>(k) / form.block)
      return node.unsupported("g_idx that reorders the rows of B is not supported; quantize without it");
  return ok_status();
}

// Returns the constants of the matrix as inputs of the operator.
Result<std::vector<ValueId>> add_matrix(NodeContext& node, const BitMatrix& matrix) {
  PackedBits bits = pack_bits(matrix);
  std::vector<ValueId> ids;
  NESTRT_ASSIGN_OR_RETURN(ids.emplace_back(),
                          node.constant(DataType::kU8, bits.weights_shape, std::move(bits.weights)));
  NESTRT_ASSIGN_OR_RETURN(ids.emplace_back(), node.constant(DataType::kF32, bits.by_block, std::move(bits.scales)));
  if (!bits.zero_points.empty()) {
    NESTRT_ASSIGN_OR_RETURN(ids.emplace_back(),
                            node.constant(bits.zero_type, bits.by_block, std::move(bits.zero_points)));
  }
  return ids;
}

Status import_mat_mul_nbits(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const NBitsForm form, read_form(node));
  Shape shape = node.shape(x);
  const int last = shape.rank() - 1;
  if (last < 0 || shape[last] != form.inner)
    return node.invalid(fmt::format("A has shape {}, but K is {}", shape.to_string(), form.inner));
  NESTRT_RETURN_IF_ERROR(check_absent_groups(node, form));
  NESTRT_ASSIGN_OR_RETURN(const BitMatrix matrix, read_matrix(node, form));
  NESTRT_ASSIGN_OR_RETURN(std::vector<ValueId> operands, add_matrix(node, matrix));
  NESTRT_ASSIGN_OR_RETURN(const ValueId rows, node.reshape(x, {shape.product(0, last), form.inner}));
  operands.insert(operands.begin(), rows);
  if (node.has_input(kSumBias)) {
    operands.resize(4, kNoValue);
    operands.push_back(node.optional_input(kSumBias));
  }
  const ops::MatMulNBits product{.bits = static_cast<int32_t>(form.bits),
                                 .block = static_cast<int32_t>(form.block),
                                 .columns = static_cast<int32_t>(form.columns)};
  NESTRT_ASSIGN_OR_RETURN(const ValueId y, node.add(product, std::move(operands)));
  shape[last] = form.columns;
  return node.set_output(node.reshape(y, shape));
}

constexpr ImportRule kWeightOnlyRules[] = {
    {"com.microsoft.MatMulNBits", import_mat_mul_nbits, 0},
};

}  // namespace

std::span<const ImportRule> weight_only_rules() { return kWeightOnlyRules; }

}  // namespace nestrt::compiler
