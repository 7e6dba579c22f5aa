// SPDX-License-Identifier: Apache-2.0
// Runs one operator without a plan: builds its spec, checks the rules, and runs any variant on any instruction set.
//
//   OperatorCase c(ops::Softmax{...});
//   c.input(tensor({2, 3}, {1, 2, 3, 4, 5, 6}));
//   c.output(DataType::kF32, {2, 3});
//   for_each_fast_kernel(c, [&](std::string_view name, const std::vector<TestTensor>& outputs) { ... });
//
// Logical tensors are plain. An operand or output with a blocked layout is converted before and after a run. Every
// kernel runs twice with different previous contents of memory: outputs, scratch, allocations, and padding lanes of
// inputs. A kernel whose outputs depend on them fails. At NESTRT_TEST_LEVEL=quick, kernels run only over NaNs and large
// integers, whose use shows in the comparison with the reference.
#pragma once

#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "runtime/kernel/kernel.h"
#include "test/support/kernel/stale.h"

namespace nestrt::test {

struct TestTensor {
  DataType type = DataType::kF32;
  Shape shape;
  Layout layout = Layout::kPlain;
  Packing packing = Packing::kNone;
  bool constant = false;  // weights: known to prepare()
  bool present = true;
  std::optional<plan::Quantization> quantization;
  std::vector<std::byte> bytes;  // plain, row-major (packed constants: as packed)

  template <typename T>
  std::vector<T> values() const {
    std::vector<T> result(bytes.size() / sizeof(T));
    if (!result.empty()) std::memcpy(result.data(), bytes.data(), bytes.size());
    return result;
  }
};

TestTensor tensor(const Shape& shape, const std::vector<float>& values);
TestTensor tensor(const Shape& shape, const std::vector<int32_t>& values);
TestTensor tensor(const Shape& shape, const std::vector<int64_t>& values);
// Returns an f32 tensor of braced values, for which tensor() is ambiguous.
inline TestTensor tensor_f32(const Shape& shape, const std::vector<float>& values) { return tensor(shape, values); }
TestTensor tensor_s8(const Shape& shape, const std::vector<int>& values);
// Returns an f32 tensor of 1, 2, 3, ...
TestTensor counting(const Shape& shape);
TestTensor tensor_u8(const Shape& shape, const std::vector<int>& values);
TestTensor tensor_bool(const Shape& shape, const std::vector<int>& values);
TestTensor absent();
// Returns a tensor without elements, for infer() and for outputs.
TestTensor shape_only(const Shape& shape, DataType type = DataType::kF32);
// Returns values uniform in [low, high], from the caller's generator.
TestTensor random_tensor(std::mt19937& generator, const Shape& shape, float low = -1, float high = 1);
// Returns s8 values uniform over the whole range.
TestTensor random_s8(std::mt19937& generator, const Shape& shape);
// Return the tensor with one exponent, or with one per channel of `axis`.
TestTensor with_exponent(TestTensor tensor, int exponent);
TestTensor with_exponents(TestTensor tensor, const std::vector<int>& exponents, int axis);
// Return the tensor with one scale and zero point, or with scales per channel of `axis` and zero points of 0.
TestTensor with_scale(TestTensor tensor, float scale, int zero_point);
TestTensor with_scales(TestTensor tensor, const std::vector<float>& scales, int axis);
TestTensor as_constant(TestTensor tensor);
TestTensor with_layout(TestTensor tensor, Layout layout);

class OperatorCase {
 public:
  explicit OperatorCase(ops::Attributes attributes) : attributes_(std::move(attributes)) {}
  OperatorCase& input(TestTensor tensor);
  // Adds an output that infer() must return. `layout`: the layout that kernels must write.
  OperatorCase& output(DataType type, const Shape& shape, Layout layout = Layout::kPlain);
  // Adds an output with the properties of a tensor, ignoring its elements.
  OperatorCase& output(TestTensor tensor);

  // Adds an s8 output with the given exponent.
  OperatorCase& output_s8(const Shape& shape, int exponent, Layout layout = Layout::kPlain);
  // Adds an s8 output with the given scale and zero point.
  OperatorCase& output_s8c(const Shape& shape, float scale, int zero_point, Layout layout = Layout::kPlain);

  // Applies the operator's rules to the inputs: returns their outputs or their error.
  Result<std::vector<TensorSpec>> infer() const;
  // Calls `use` with the operator in the form that kernels receive. The spec is valid only during the call.
  template <typename Use>
  void with_spec(Use use) const {
    use(spec());
  }
  // Returns the names of the variants that accept the operator on the current instruction set, including references.
  std::vector<std::string> variants() const;
  // Runs one variant on the current instruction set, with real threads if `threads` > 1. Returns the outputs in plain
  // layout. Fails the test if the variant does not exist, rejects the operator, cannot be prepared, writes outside its
  // outputs, or depends on stale memory.
  std::vector<TestTensor> run(std::string_view variant, int threads = 1) const;
  // Runs any accepting variant once, with one kind of stale memory.
  std::vector<TestTensor> run_over(Stale stale, const KernelVariant& variant, int threads = 1) const;

 private:
  // Returns the operator's spec. `padding`: contents of the padding lanes of inputs.
  OperatorSpec spec(Stale padding = Stale::kNans) const;
  // Returns the bytes of all inputs in their layouts. The conversion is done once per kind of padding.
  const std::vector<std::vector<std::byte>>& stored_inputs(Stale padding) const;

  ops::Attributes attributes_;
  std::vector<TestTensor> inputs_;
  std::vector<TestTensor> outputs_;
  mutable std::array<std::vector<std::vector<std::byte>>, 2> stored_inputs_;  // by kind of padding; empty until used
  mutable std::vector<TensorSpec> input_specs_;
  mutable std::vector<TensorSpec> output_specs_;
};

bool same_elements(const std::vector<TestTensor>& a, const std::vector<TestTensor>& b);

// Returns the outputs of the variant whose name ends in ".reference". References accept only plain tensors and unpacked
// constants. If the case under test is blocked, create a second, plain case.
std::vector<TestTensor> reference(const OperatorCase& operator_case);

// Runs every variant that accepts the case, except references, on every instruction set of this machine, with 1 and 3
// threads.
void for_each_fast_kernel(
    const OperatorCase& operator_case,
    const std::function<void(const std::string& what, const std::vector<TestTensor>& outputs)>& check);

// Returns the largest |a - b| / max(1, |b|) over the elements of two f32 tensors; infinity if shapes differ or exactly
// one of two elements is NaN.
double relative_error(const TestTensor& actual, const TestTensor& expected);

}  // namespace nestrt::test
