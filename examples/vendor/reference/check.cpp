// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include <algorithm>
#include <cmath>

namespace reference {
namespace {

constexpr uint64_t kMaxElements = 1u << 28;
constexpr uint64_t kMaxProducts = 100000;  // sums of int8 products that fit 32 bits

void require(bool is_so, const char* what) {
  if (!is_so) throw BadProgram(what);
}

using Shape = std::vector<uint32_t>;

class OperatorCheck {
 public:
  OperatorCheck(const Program& program, const Operator& op) : program_(program), op_(op) {}

  void run() const {
    switch (op_.kind) {
      case Kind::kProduct:
        return product();
      case Kind::kAffine:
        return affine();
      case Kind::kAdd:
        require(op_.inputs.size() == 2 && input(0) == output() && input(1) == output(), "Add: shapes differ");
        return;
      case Kind::kClip:
        same_shape();
        return require(op_.values.size() == 2 && op_.values[0] <= op_.values[1],
                       "Clip: the range is missing or invalid");
      case Kind::kMaxPool:
      case Kind::kAveragePool:
        return pool();
      case Kind::kConcat:
        return concat();
      case Kind::kCopy:
        require(op_.inputs.size() == 1 && elements(input(0)) == elements(output()), "Reshape: elements differ");
        return;
      case Kind::kResponseNorm:
        same_shape();
        return require(output().size() == 4 && op_.values.size() == 3 && op_.size > 0 && op_.size <= 1024,
                       "LRN: wrong attributes");
      case Kind::kSoftmax:
        same_shape();
        return require(op_.axis < output().size(), "Softmax: invalid axis");
      case Kind::kQuantize:
      case Kind::kDequantize:
        same_shape();
        return require(op_.values.size() == 2, "QuantizeLinear: the scale is missing");
    }
    throw BadProgram("unknown operator");
  }

 private:
  const Shape& input(size_t index) const { return program_.tensors[op_.inputs[index]].shape; }
  const Shape& output() const { return program_.tensors[op_.output].shape; }
  static uint64_t elements(const Shape& shape) { return Tensor{shape}.elements(); }

  void same_shape() const { require(op_.inputs.size() == 1 && input(0) == output(), "input and output differ"); }

  void spatial() const {
    require(op_.inputs.size() == 1 && input(0).size() == 4 && output().size() == 4, "expected images");
    require(input(0)[0] == output()[0], "the number of images differs");
    for (int axis = 0; axis < 2; ++axis)
      require(positions(op_.window, axis, input(0)[2 + axis]) == output()[2 + axis],
              "a window does not fit its output");
  }

  void product() const {
    spatial();
    const uint64_t in = input(0)[1], out = output()[1], groups = op_.groups;
    require(groups > 0 && in % groups == 0 && out % groups == 0, "Conv: channels are not a multiple of groups");
    const uint64_t each = in / groups * op_.window.kernel[0] * op_.window.kernel[1];
    require(each <= kMaxProducts && op_.weights.size() == out * each, "Conv: wrong number of weights");
    require(op_.scales.size() == out && op_.bias.size() == out, "Conv: wrong number of scales");
  }

  void affine() const {
    same_shape();
    require(output().size() >= 2 && op_.scales.size() == output()[1] && op_.bias.size() == output()[1],
            "BatchNormalization: wrong number of scales");
  }

  // Requires that every window contains part of the input.
  void pool() const {
    spatial();
    require(input(0)[1] == output()[1], "pool: channels differ");
    for (int axis = 0; axis < 2; ++axis) {
      const Window& window = op_.window;
      require(window.dilation[axis] == 1 && window.begin[axis] < window.kernel[axis], "pool: wrong window");
      const uint64_t last = uint64_t{output()[2 + axis] - 1} * window.stride[axis];
      require(last < uint64_t{input(0)[2 + axis]} + window.begin[axis], "pool: a window is entirely outside the input");
    }
  }

  void concat() const {
    require(op_.axis < output().size() && !op_.inputs.empty(), "Concat: invalid axis");
    uint64_t sum = 0;
    for (size_t i = 0; i < op_.inputs.size(); ++i) {
      Shape shape = input(i);
      require(shape.size() == output().size(), "Concat: ranks differ");
      sum += shape[op_.axis];
      shape[op_.axis] = output()[op_.axis];
      require(shape == output(), "Concat: shapes differ");
    }
    require(sum == output()[op_.axis], "Concat: lengths differ");
  }

  const Program& program_;
  const Operator& op_;
};

void check_tensors(const Program& program) {
  for (const Tensor& tensor : program.tensors) {
    require(tensor.shape.size() <= 6, "a tensor has too many dimensions");
    uint64_t elements = 1;
    for (const uint32_t dim : tensor.shape) {
      require(dim > 0 && dim <= kMaxElements, "a tensor is empty or too large");
      elements *= dim;
      require(elements <= kMaxElements, "a tensor is too large");
    }
  }
}

}  // namespace

uint32_t positions(const Window& window, int axis, uint32_t size) {
  constexpr uint32_t kMost = 1u << 16;
  for (const uint32_t value : {window.kernel[axis], window.stride[axis], window.dilation[axis]})
    require(value > 0 && value < kMost, "a window has a wrong size");
  require(window.begin[axis] < kMost && window.end[axis] < kMost, "a window has wrong padding");
  const uint64_t padded = uint64_t{size} + window.begin[axis] + window.end[axis];
  const uint64_t reach = uint64_t{window.kernel[axis] - 1} * window.dilation[axis] + 1;
  require(reach <= padded, "a window is larger than its input");
  return static_cast<uint32_t>((padded - reach) / window.stride[axis] + 1);
}

void check_program(const Program& program) {
  check_tensors(program);
  std::vector<bool> is_there(program.tensors.size(), false);
  const auto require_tensor = [&](uint32_t tensor) { require(tensor < is_there.size(), "a tensor does not exist"); };
  require(!program.inputs.empty() && !program.outputs.empty(), "the program has no inputs or no outputs");
  for (const uint32_t tensor : program.inputs) {
    require_tensor(tensor);
    require(!is_there[tensor], "an input is named twice");
    is_there[tensor] = true;
  }
  for (const Operator& op : program.operators) {
    for (const uint32_t tensor : op.inputs) {
      require_tensor(tensor);
      require(is_there[tensor], "an operator reads a tensor that is not computed");
    }
    require_tensor(op.output);
    require(!is_there[op.output], "a tensor is computed twice");
    is_there[op.output] = true;
    OperatorCheck(program, op).run();
  }
  for (const uint32_t tensor : program.outputs) {
    require_tensor(tensor);
    require(is_there[tensor], "an output is not computed");
  }
}

}  // namespace reference
