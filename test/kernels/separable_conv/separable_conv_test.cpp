// SeparableConv gives what its convolutions give one after the other: s8 bit for bit, f32 within 1e-5 of the
// references.
#include <catch2/catch.hpp>
#include <random>

#include "test/support/kernel_runner.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

class SeparableCase {
 public:
  SeparableCase(uint32_t seed, DataType type) : generator_(seed), type_(type) { draw(); }

  OperatorCase make(Layout layout) const {
    OperatorCase c(op_);
    c.input(with_layout(x_, layout));
    for (const TestTensor& constant : constants_) c.input(constant);
    c.input(residual_.present ? with_layout(residual_, layout) : residual_);
    for (const TestTensor& constant : before_) c.input(constant);
    if (type_ == DataType::kS8)
      c.output_s8(output_, exponent_, layout);
    else
      c.output(type_, output_, layout);
    return c;
  }

 private:
  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator_); }

  TestTensor elements(const Shape& shape, int exponent) {
    return type_ == DataType::kS8 ? with_exponent(random_s8(generator_, shape), exponent)
                                  : random_tensor(generator_, shape);
  }
  TestTensor weights(const Shape& shape) { return as_constant(elements(shape, 7)); }
  TestTensor bias(int channels) {
    if (between(0, 2) == 0) return absent();
    if (type_ == DataType::kF32) return as_constant(random_tensor(generator_, {channels}));
    std::vector<int32_t> values(static_cast<size_t>(channels));
    for (int32_t& value : values) value = between(-3000, 3000);
    return as_constant(tensor({channels}, values));
  }
  ops::Activation activation() {
    const auto kind = static_cast<ops::ActivationKind>(between(0, 2));
    return {kind, kind == ops::ActivationKind::kClip ? 0.0f : 0.0f, kind == ops::ActivationKind::kClip ? 6.0f : 0.0f};
  }

  void draw() {
    const bool has_before = between(0, 1) == 1;
    const int channels = between(1, 40), outputs = between(1, 50), inputs = has_before ? between(1, 40) : channels;
    Shape x{between(1, 2), inputs};
    output_ = {x[0], outputs};
    for (int axis = 0; axis < 2; ++axis) {
      const int kernel = between(1, 5), stride = between(1, 3), begin = between(0, 2), end = between(0, 2);
      op_.kernel.push_back(kernel);
      op_.stride.push_back(stride);
      op_.pad_begin.push_back(begin);
      op_.pad_end.push_back(end);
      x.push_back(between(kernel, 40));
      output_.push_back((x[2 + axis] + begin + end - kernel) / stride + 1);
    }
    op_.before_activation = activation();
    op_.depthwise_activation = activation();
    op_.activation = activation();
    op_.before_exponent = 4;
    op_.depthwise_exponent = 4;
    op_.inner_exponent = exponent_;
    op_.rounding = between(0, 1) == 0 ? ops::Rounding::kHalfUp : ops::Rounding::kFloor;
    x_ = elements(x, 5);
    constants_ = {weights({channels, 1, op_.kernel[0], op_.kernel[1]}), bias(channels),
                  weights({outputs, channels, 1, 1}), bias(outputs)};
    residual_ = between(0, 1) == 0 ? absent() : elements(output_, exponent_);
    if (has_before) before_ = {weights({channels, inputs, 1, 1}), bias(channels)};
  }

  std::mt19937 generator_;
  DataType type_;
  ops::SeparableConv op_;
  TestTensor x_, residual_;
  std::vector<TestTensor> constants_, before_;
  Shape output_;
  int8_t exponent_ = 3;
};

}  // namespace

TEST_CASE("A SeparableConv of s8 gives the bits of its convolutions one after the other") {
  for (uint32_t seed = 1; seed <= static_cast<uint32_t>(by_level(20, 200, 2000)); ++seed) {
    const SeparableCase drawn(seed, DataType::kS8);
    const TestTensor expected = reference(drawn.make(Layout::kPlain))[0];
    for_each_fast_kernel(drawn.make(Layout::kBlocked16), [&](const std::string& what, const auto& outputs) {
      INFO(what << " with seed " << seed);
      CHECK(outputs[0].bytes == expected.bytes);
    });
  }
}

TEST_CASE("A SeparableConv of f32 gives what its convolutions give one after the other") {
  for (uint32_t seed = 1; seed <= static_cast<uint32_t>(by_level(20, 200, 2000)); ++seed) {
    const SeparableCase drawn(seed, DataType::kF32);
    const TestTensor expected = reference(drawn.make(Layout::kPlain))[0];
    for_each_fast_kernel(drawn.make(Layout::kBlocked16), [&](const std::string& what, const auto& outputs) {
      INFO(what << " with seed " << seed);
      CHECK(relative_error(outputs[0], expected) < 1e-5);
    });
  }
}

}  // namespace nestrt::test
