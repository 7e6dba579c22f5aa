// SPDX-License-Identifier: Apache-2.0
#include "kernels/registry.h"

#include <catch2/catch.hpp>
#include <set>

#include "kernels/common/packing/packing.h"
#include "kernels/common/simd/simd.h"
#include "runtime/kernel/packing.h"
#include "test/support/kernel/kernel_runner.h"

namespace nestrt::test {
namespace {

// An operator whose weights support packings.
struct Product {
  ops::Attributes attributes;
  Shape x, weights, output;
  Layout in, out;
  bool has_s8 = true;
  bool has_f32 = true;
};

// Returns a convolution that keeps the number of pixels or, with stride 2, halves it along each axis.
ops::Conv conv(int side, int group, int stride) {
  ops::Conv conv;
  conv.kernel = {side, side};
  conv.dilation = {1, 1};
  conv.pad_begin = conv.pad_end = {side / 2, side / 2};
  conv.stride = {stride, stride};
  conv.group = group;
  return conv;
}
ops::Conv conv3x3(int group, int stride = 1) { return conv(3, group, stride); }

// Returns zeros, which are the same in every packing.
TestTensor zeros(const Shape& shape, DataType type, Packing packing = Packing::kNone) {
  TestTensor result = shape_only(shape, type);
  result.packing = packing;
  const auto bytes =
      packing == Packing::kNone ? storage_bytes(type, shape, Layout::kPlain) : kernels::packed_bytes(packing, shape);
  result.bytes.resize(static_cast<size_t>(bytes));
  return result;
}

// Returns a case without quantized tensors: a product of integers, or a recurrent layer whose s8 weights have a scale.
OperatorCase make_integer_case(const Product& product, Packing packing) {
  OperatorCase c(product.attributes);
  const TestTensor weights = as_constant(zeros(product.weights, DataType::kS8, packing));
  if (ops::kind_of(product.attributes) == ops::Kind::kMatMulInteger)
    return c.input(zeros(product.x, DataType::kS8)).input(weights).output(DataType::kS32, product.output);
  c.input(zeros(product.x, DataType::kF32)).input(weights);
  for (int i = 0; i < 4; ++i) c.input(absent());
  return c.input(zeros({}, DataType::kF32)).output(DataType::kF32, product.output);
}

OperatorCase make_case(const Product& product, DataType type, Packing packing) {
  const ops::Kind kind = ops::kind_of(product.attributes);
  if (type == DataType::kS8 && (kind == ops::Kind::kMatMulInteger || kind == ops::Kind::kRecurrent))
    return make_integer_case(product, packing);
  OperatorCase c(product.attributes);
  const TestTensor x = with_layout(zeros(product.x, type), product.in);
  const TestTensor weights = as_constant(zeros(product.weights, type, packing));
  if (type == DataType::kF32) return c.input(x).input(weights).output(type, product.output, product.out);
  return c.input(with_exponent(x, 4)).input(with_exponent(weights, 7)).output_s8(product.output, 3, product.out);
}

bool runs_here(const KernelVariant& variant) {
  return includes(kernels::supported_instruction_sets().front(), variant.needs);
}

// Returns the names of the variants that accept the packed weights and use `packing`. Checks that weights are repacked
// only for other packings.
std::set<std::string> check_packing(const Product& product, DataType type, Packing packing) {
  std::set<std::string> names;
  make_case(product, type, packing).with_spec([&](const OperatorSpec& spec) {
    for (const KernelVariant& variant : kernels::operators().find(spec.kind())->kernels.get()) {
      if (!variant.accepts(spec) || !runs_here(variant)) continue;
      INFO(variant.name << " of " << name(packing));
      const auto kernel = variant.prepare(spec);
      if (!kernel) FAIL(kernel.error().to_string());
      CHECK((*kernel)->repacked() == (packing != variant.packing));
      if (packing != Packing::kNone && packing == variant.packing) names.emplace(variant.name);
    }
  });
  return names;
}

std::vector<Packing> packings_of(DataType type) {
  std::vector<Packing> packings = {Packing::kNone};
  for (const PackingRow& row : kPackings)
    if (row.packing != Packing::kNone && row.type == type) packings.push_back(row.packing);
  return packings;
}

}  // namespace

TEST_CASE("Every operator has a row with a reference and unique names") {
  const auto rows = kernels::operators().rows();
  std::set<std::string_view> names;
  for (size_t kind = 1; kind < ops::kNumKinds; ++kind) {
    INFO(ops::name(static_cast<ops::Kind>(kind)));
    REQUIRE(rows[kind] != nullptr);
    bool has_reference = false;
    for (const KernelVariant& variant : rows[kind]->kernels.get()) {
      CHECK(names.insert(variant.name).second);
      has_reference = has_reference || (variant.preference == 0 && variant.needs == InstructionSet::kPortable);
    }
    CHECK(has_reference != (static_cast<ops::Kind>(kind) == ops::Kind::kOpaque));  // only vendors' units compute Opaque
  }
  CHECK(rows[0] == nullptr);
}

TEST_CASE("Weights in a variant's packing are used in place, and other weights are repacked") {
  const Layout plain = Layout::kPlain, blocked = Layout::kBlocked16;
  const Product products[] = {
      {conv3x3(1), {1, 3, 5, 5}, {16, 3, 3, 3}, {1, 16, 5, 5}, plain, blocked},
      {conv(7, 1, 2), {1, 3, 26, 26}, {16, 3, 7, 7}, {1, 16, 13, 13}, plain, blocked, /*has_s8=*/false},
      {conv3x3(1), {1, 32, 13, 13}, {64, 32, 3, 3}, {1, 64, 13, 13}, blocked, blocked},
      {conv3x3(1, 2), {1, 128, 26, 26}, {64, 128, 3, 3}, {1, 64, 13, 13}, blocked, blocked},
      {conv3x3(32), {1, 32, 5, 5}, {32, 1, 3, 3}, {1, 32, 5, 5}, blocked, blocked},
      {ops::Dense(), {2, 20}, {20, 17}, {2, 17}, plain, plain},
      {ops::Recurrent(), {3, 2, 24}, {24, 24}, {3, 2, 24}, plain, plain},
      {ops::MatMulInteger(), {2, 20}, {20, 17}, {2, 17}, plain, plain, /*has_s8=*/true, /*has_f32=*/false},
  };
  std::set<std::string> checked, all;
  for (const Product& product : products)
    for (DataType type : {DataType::kF32, DataType::kS8})
      for (Packing packing : packings_of(type))
        if ((type == DataType::kF32 ? product.has_f32 : product.has_s8) &&
            kernels::packing_fits(packing, product.weights))
          checked.merge(check_packing(product, type, packing));
  for (const OperatorRules* row : kernels::operators().rows().subspan(1))
    for (const KernelVariant& variant : row->kernels.get())
      if (variant.packing != Packing::kNone && runs_here(variant)) all.emplace(variant.name);
  CHECK(checked == all);
}

}  // namespace nestrt::test
