// Runs one operator without a plan: builds its spec, checks the rules, and runs any variant on any instruction set.
//
//   OperatorCase c(ops::Softmax{...});
//   c.input(tensor({2, 3}, {1, 2, 3, 4, 5, 6}));
//   c.output(DataType::kF32, {2, 3});
//   for_each_fast_kernel(c, [&](std::string_view name, const std::vector<TestTensor>& outputs) { ... });
//
// Logical tensors are plain; an operand or output given a blocked layout is converted on the way in and out. Every run
// is made twice, over memory that held different bytes before: outputs, scratch, allocations, and padding lanes of
// inputs. A kernel whose outputs depend on them is caught.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "nestrt/driver/kernel.h"
#include "test/support/kernel/stale.h"

namespace nestrt::test {

struct TestTensor {
  DataType type = DataType::kF32;
  Shape shape;
  Layout layout = Layout::kPlain;
  Packing packing = Packing::kInvalidIndex;
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
// For braced values, which do not say their type.
inline TestTensor tensor_f32(const Shape& shape, const std::vector<float>& values) { return tensor(shape, values); }
TestTensor tensor_s8(const Shape& shape, const std::vector<int>& values);
// 1, 2, 3, ...
TestTensor counting(const Shape& shape);
TestTensor tensor_u8(const Shape& shape, const std::vector<int>& values);
TestTensor tensor_bool(const Shape& shape, const std::vector<int>& values);
TestTensor absent();
// Without elements: for infer() alone, and for outputs.
TestTensor shape_only(const Shape& shape, DataType type = DataType::kF32);
// Uniform in [low, high], seeded by the caller's generator.
TestTensor random_tensor(std::mt19937& generator, const Shape& shape, float low = -1, float high = 1);
// s8, uniform over all its values.
TestTensor random_s8(std::mt19937& generator, const Shape& shape);
// The tensor with one exponent, or with one for each channel of `axis`.
TestTensor with_exponent(TestTensor tensor, int exponent);
TestTensor with_exponents(TestTensor tensor, const std::vector<int>& exponents, int axis);
// The tensor with one scale and zero point, or with scales for each channel of `axis` and zero points of 0.
TestTensor with_scale(TestTensor tensor, float scale, int zero_point);
TestTensor with_scales(TestTensor tensor, const std::vector<float>& scales, int axis);
TestTensor as_constant(TestTensor tensor);
TestTensor with_layout(TestTensor tensor, Layout layout);

class OperatorCase {
 public:
  explicit OperatorCase(ops::Attributes attributes) : attributes_(std::move(attributes)) {}
  OperatorCase& input(TestTensor tensor);
  // What infer() must give; the layout is the one that kernels are asked to write.
  OperatorCase& output(DataType type, const Shape& shape, Layout layout = Layout::kPlain);
  // The same of a tensor, whose elements do not matter.
  OperatorCase& output(TestTensor tensor);

  // An s8 output of that exponent.
  OperatorCase& output_s8(const Shape& shape, int exponent, Layout layout = Layout::kPlain);
  // An s8 output of that scale and zero point.
  OperatorCase& output_s8c(const Shape& shape, float scale, int zero_point, Layout layout = Layout::kPlain);

  // The outcome of the operator's rules on the inputs: their outputs, or their complaint.
  Result<std::vector<TensorSpec>> infer() const;
  // Lends the operator as kernels see it.
  template <typename Use>
  void with_spec(Use use) const {
    use(spec());
  }
  // Names of the variants that accept the operator on the current instruction set, references included.
  std::vector<std::string> variants() const;
  // Runs one variant on the current instruction set, with `threads` slots used by real threads where > 1; outputs in
  // plain layout. Fails the test where the variant does not exist, accept or prepare, writes outside its outputs, or
  // gives others over other stale memory.
  std::vector<TestTensor> run(std::string_view variant, int threads = 1) const;
  // One of the two runs, of any variant that accepts the operator.
  std::vector<TestTensor> run_over(Stale stale, const KernelVariant& variant, int threads = 1) const;

 private:
  // With that in the padding lanes of inputs.
  OperatorSpec spec(Stale padding = Stale::kNans) const;

  ops::Attributes attributes_;
  std::vector<TestTensor> inputs_;
  std::vector<TestTensor> outputs_;
  mutable std::vector<std::vector<std::byte>> stored_inputs_;
  mutable std::vector<TensorSpec> input_specs_;
  mutable std::vector<TensorSpec> output_specs_;
};

bool same_elements(const std::vector<TestTensor>& a, const std::vector<TestTensor>& b);

// The outputs of the variant whose name ends in ".reference". References accept plain tensors and unpacked constants
// only: make a second, plain case where the one under test is blocked.
std::vector<TestTensor> reference(const OperatorCase& operator_case);

// Every variant that accepts the case but the references, on every instruction set this machine has, with 1 and 3
// threads.
void for_each_fast_kernel(
    const OperatorCase& operator_case,
    const std::function<void(const std::string& what, const std::vector<TestTensor>& outputs)>& check);

// Largest |a - b| / max(1, |b|) over the elements of two f32 tensors; infinite where shapes differ or exactly one is
// NaN.
double relative_error(const TestTensor& actual, const TestTensor& expected);

}  // namespace nestrt::test
