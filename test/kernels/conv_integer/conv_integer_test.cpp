// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "test/support/kernel/kernel_runner.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

struct ConvForm {
  Shape x, weights, y;
  std::vector<int32_t> stride, dilation, pads;  // pads: the same at both ends
  int32_t group = 1;
};

ops::ConvInteger conv_of(const ConvForm& form) {
  ops::ConvInteger conv;
  for (int axis = 2; axis < form.weights.rank(); ++axis)
    conv.kernel.push_back(static_cast<int32_t>(form.weights[axis]));
  conv.stride = form.stride;
  conv.dilation = form.dilation;
  conv.pad_begin = conv.pad_end = form.pads;
  conv.group = form.group;
  return conv;
}

// `zeros`: the number of zero points of the weights. `bits`: 1 scaled, 2 biased, 4 u8 weights, 8 s8 input.
OperatorCase conv_case(const ConvForm& form, int64_t zeros, int bits, bool constant) {
  std::mt19937 generator(3);
  const auto integers = [&](bool is_u8, const Shape& shape) {
    TestTensor result = random_s8(generator, shape);
    result.type = is_u8 ? DataType::kU8 : DataType::kS8;
    return result;
  };
  const bool u8_weights = (bits & 4) != 0, u8_input = (bits & 8) == 0;
  const int64_t outputs = form.weights[0];
  OperatorCase c(conv_of(form));
  c.input(integers(u8_input, form.x));
  const TestTensor weights = integers(u8_weights, form.weights);
  c.input(constant ? as_constant(weights) : weights).input(integers(u8_input, {}));
  c.input(zeros == 0 ? absent() : integers(u8_weights, zeros == 1 ? Shape{} : Shape{outputs}));
  if ((bits & 1) != 0)
    c.input(tensor_f32({}, {0.01f})).input(random_tensor(generator, zeros == 2 ? Shape{outputs} : Shape{}, 0.1f));
  if ((bits & 3) == 3) c.input(random_tensor(generator, {outputs}));
  c.output((bits & 1) != 0 ? DataType::kF32 : DataType::kS32, form.y);
  return c;
}

}  // namespace

TEST_CASE("ConvInteger adds nothing for padding, as in the example of ONNX") {
  ConvForm form{{1, 1, 3, 3}, {1, 1, 2, 2}, {1, 1, 4, 4}, {1, 1}, {1, 1}, {1, 1}};
  OperatorCase c(conv_of(form));
  c.input(tensor_u8({1, 1, 3, 3}, {2, 3, 4, 5, 6, 7, 8, 9, 10})).input(tensor_u8({1, 1, 2, 2}, {1, 1, 1, 1}));
  c.input(tensor_u8({}, {1})).output(DataType::kS32, {1, 1, 4, 4});
  CHECK(reference(c)[0].values<int32_t>() ==
        std::vector<int32_t>{1, 3, 5, 3, 5, 12, 16, 9, 11, 24, 28, 15, 7, 15, 17, 9});
}

TEST_CASE("Every kernel of ConvInteger equals the reference") {
  const ConvForm forms[] = {
      {{1, 3, 9, 8}, {5, 3, 3, 3}, {1, 5, 9, 8}, {1, 1}, {1, 1}, {1, 1}},
      {{2, 6, 7, 5}, {34, 6, 1, 1}, {2, 34, 7, 5}, {1, 1}, {1, 1}, {0, 0}},
      {{1, 8, 11, 9}, {6, 4, 3, 2}, {1, 6, 6, 4}, {2, 2}, {1, 1}, {1, 0}, 2},
      {{1, 5, 10, 10}, {5, 1, 3, 3}, {1, 5, 6, 6}, {1, 1}, {2, 2}, {0, 0}, 5},
      {{1, 4, 30}, {17, 4, 5}, {1, 17, 15}, {2}, {1}, {2}},
      {{1, 2, 4, 5, 3}, {3, 2, 2, 2, 2}, {1, 3, 3, 4, 2}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}},
      {{1, 20, 40, 40}, {16, 20, 3, 3}, {1, 16, 40, 40}, {1, 1}, {1, 1}, {1, 1}},
  };
  for (const ConvForm& form : forms)
    for (const int64_t zeros : {0, 1, 2})
      for (const int bits : {0, 1, 3, 4, 7, 8}) {
        // The large form tests the split, which does not depend on the zero points.
        if (test_level() == TestLevel::kQuick && form.x.num_elements() > 10'000 && zeros != 2) continue;
        const TestTensor expected = reference(conv_case(form, zeros, bits, false))[0];
        REQUIRE(conv_case(form, zeros, bits, true).infer().value()[0].shape == form.y);
        INFO(form.x.to_string() << " and " << form.weights.to_string() << ", " << zeros << " zeros, form " << bits);
        bool ran = false;
        for_each_fast_kernel(conv_case(form, zeros, bits, true),
                             [&](const std::string& what, const std::vector<TestTensor>& outputs) {
                               INFO(what);
                               if ((bits & 1) != 0)
                                 CHECK(relative_error(outputs[0], expected) < 1e-6);
                               else
                                 CHECK(outputs[0].bytes == expected.bytes);
                               ran = true;
                             });
        CHECK(ran);
      }
}

}  // namespace nestrt::test
