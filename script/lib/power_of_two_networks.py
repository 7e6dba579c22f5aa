# SPDX-License-Identifier: Apache-2.0
"""Writes networks in the forms of quantizers whose scales are powers of two, such as AMD Quark's XINT8.

power_of_two_networks.py FOLDER [COUNT]

Writes COUNT networks (default 4) as FOLDER/NAME.onnx with random weights, which need the packages onnx and numpy. The
forms are those of the tools: a scale per tensor, zero points of 0 (int8) or 128 (uint8), biases as int8 with their own
coarser scale, activations between Conv and QuantizeLinear, averages followed by a factor that makes their divisor a
power of two, operands of Add and Concat with different scales.
"""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 13
IMAGE = ("batch", 3, 32, 32)
# By name: type of the activations, and whether operators are between DequantizeLinear and QuantizeLinear or compute
# with integers themselves.
FORMS = (("int8", "qdq"), ("uint8", "qdq"), ("int8", "qoperator"), ("uint8", "qoperator"))
NUM_CLASSES = 10
LEAKY_SLOPE = 26 / 256
BIAS_EXPONENT = 5


class Network:
    """A network under construction. Values are names of integers, whose exponents `exponents` holds."""

    def __init__(self, seed, activations, form):
        self.random = np.random.default_rng(seed)
        self.zero = np.array(0 if activations == "int8" else 128, activations)
        self.form = form
        self.nodes, self.constants, self.exponents, self.channels = [], [], {}, {}

    def constant(self, array):
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, op_type, *inputs, domain="", **attributes):
        name = f"{op_type.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op_type, list(inputs), [name], name, domain=domain, **attributes))
        return name

    def scale(self, exponent):
        return self.constant(np.float32(2.0 ** -exponent))

    def quantization(self, value):
        """Returns the names of a value's scale and zero point."""
        return self.scale(self.exponents[value]), self.constant(self.zero)

    def named(self, value, exponent, channels):
        self.exponents[value], self.channels[value] = exponent, channels
        return value

    def quantize(self, real, exponent, channels):
        value = self.node("QuantizeLinear", real, self.scale(exponent), self.constant(self.zero))
        return self.named(value, exponent, channels)

    def real(self, value):
        return self.node("DequantizeLinear", value, *self.quantization(value))

    def integers(self, shape, fan_in):
        """Returns random weights, as integers and their exponent."""
        weights = self.random.normal(0, np.sqrt(2 / fan_in), shape)
        exponent = int(np.floor(np.log2(127 / np.abs(weights).max())))
        return np.rint(weights * 2.0 ** exponent).astype(np.int8), exponent

    def product(self, op_type, value, weights, exponent, bias, to, activation=None, **attributes):
        """Conv or Gemm, with an activation: a function that adds nodes to a real value."""
        channels = weights.shape[0]
        operands = [self.real(value)]
        for array, own in ((weights, exponent), (bias, BIAS_EXPONENT)):
            operands.append(self.node("DequantizeLinear", self.constant(array), self.scale(own),
                                      self.constant(np.int8(0))))
        real = self.node(op_type, *operands, **attributes)
        return self.quantize(activation(real) if activation else real, to, channels)

    def integer_product(self, value, weights, exponent, bias, to, **attributes):
        """Conv with integer operands. The bias has the scale of the products."""
        shifted = bias.astype(np.int32) << (self.exponents[value] + exponent - BIAS_EXPONENT)
        operands = [value, *self.quantization(value), self.constant(weights), self.scale(exponent),
                    self.constant(np.int8(0)), self.scale(to), self.constant(self.zero), self.constant(shifted)]
        return self.named(self.node("QLinearConv", *operands, **attributes), to, weights.shape[0])

    def conv(self, value, outputs, kernel, to, stride=1, depthwise=False, activation=None):
        inputs = self.channels[value]
        group = inputs if depthwise else 1
        weights, exponent = self.integers((outputs, inputs // group, kernel, kernel), inputs // group * kernel ** 2)
        bias = self.random.integers(-20, 20, outputs).astype(np.int8)
        attributes = {"strides": [stride] * 2, "pads": [kernel // 2] * 4, "group": group, "kernel_shape": [kernel] * 2}
        if self.form == "qdq":
            return self.product("Conv", value, weights, exponent, bias, to, activation, **attributes)
        return self.integer_product(value, weights, exponent, bias, to, **attributes)

    def relu(self, real):
        return self.node("Relu", real)

    def clip(self, real):
        return self.node("Clip", real, self.constant(np.float32(0)), self.constant(np.float32(2.5)))

    def leaky(self, real):
        return self.node("LeakyRelu", real, alpha=LEAKY_SLOPE)

    def move(self, op_type, value, to, channels=None, **attributes):
        """An operator that moves elements, between two scales."""
        return self.quantize(self.node(op_type, self.real(value), **attributes), to,
                             channels or self.channels[value])

    def add(self, a, b, to, activation=None):
        if self.form == "qdq":
            real = self.node("Add", self.real(a), self.real(b))
            return self.quantize(activation(real) if activation else real, to, self.channels[a])
        operands = [name for value in (a, b) for name in (value, *self.quantization(value))]
        operands += [self.scale(to), self.constant(self.zero)]
        return self.named(self.node("QLinearAdd", *operands, domain="com.microsoft"), to, self.channels[a])

    def max_pool(self, value):
        attributes = {"kernel_shape": [2, 2], "strides": [2, 2]}
        if self.form == "qdq":
            return self.move("MaxPool", value, self.exponents[value], **attributes)
        pooled = self.node("MaxPool", value, **attributes)
        return self.named(pooled, self.exponents[value], self.channels[value])

    def concat(self, values, to):
        channels = sum(self.channels[value] for value in values)
        if self.form == "qdq":
            return self.quantize(self.node("Concat", *map(self.real, values), axis=1), to, channels)
        operands = [self.scale(to), self.constant(self.zero)]
        operands += [name for value in values for name in (value, *self.quantization(value))]
        return self.named(self.node("QLinearConcat", *operands, domain="com.microsoft", axis=1), to, channels)

    def average(self, value, to, factor=None, op_type="GlobalAveragePool", **attributes):
        """An average with a factor after it. Operators of integers have none."""
        real = self.node(op_type, self.real(value), **attributes)
        if factor:
            real = self.node("Mul", real, self.constant(np.float32(factor)))
        return self.quantize(real, to, self.channels[value])

    def gemm(self, value, outputs, to):
        inputs = self.channels[value]
        weights, exponent = self.integers((outputs, inputs), inputs)
        bias = self.random.integers(-20, 20, outputs).astype(np.int8)
        return self.product("Gemm", value, weights, exponent, bias, to, transB=1)

    def model(self, value):
        self.nodes.append(helper.make_node("DequantizeLinear", [value, *self.quantization(value)], ["scores"], "scores"))
        graph = helper.make_graph(
            self.nodes, "network", [helper.make_tensor_value_info("image", TensorProto.FLOAT, IMAGE)],
            [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["batch", NUM_CLASSES])], self.constants)
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
        onnx.checker.check_model(model)
        return model


def network(seed, activations, form):
    """Returns a network in which every form occurs at least once."""
    net = Network(seed, activations, form)
    relu = net.relu if form == "qdq" else None
    x = net.quantize("image", 5, IMAGE[1])
    x = net.conv(x, 32, 3, 4, stride=2, activation=relu)
    branch = net.conv(net.conv(x, 32, 3, 5, depthwise=True, activation=relu), 32, 1, 4)
    x = net.add(x, net.move("Identity", branch, 5), 3, relu)
    left = net.conv(net.max_pool(x), 48, 3, 4, activation=net.clip if form == "qdq" else None)
    right = net.conv(net.max_pool(x), 16, 1, 3)
    x = net.concat([left, right], 3)
    x = net.move("LeakyRelu", x, 4, alpha=LEAKY_SLOPE)
    x = net.average(x, 5, 63 / 64, "AveragePool", kernel_shape=[3, 3], strides=[1, 1])
    x = net.conv(x, 64, 1, 4, activation=net.leaky if form == "qdq" and seed % 2 else relu)
    x = net.move("Transpose", net.move("Transpose", x, 3, perm=[0, 1, 3, 2]), 4, perm=[0, 1, 3, 2])
    x = net.conv(x, 64, 3, 4, activation=relu)
    x = net.average(x, 6, None, "AveragePool", kernel_shape=[2, 2], strides=[2, 2])
    x = net.average(x, 7, 63 / 64)
    x = net.move("Flatten", x, 8)
    return net.model(net.gemm(x, NUM_CLASSES, 5))


def main():
    folder, count = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else len(FORMS)
    for seed in range(count):
        activations, form = FORMS[seed % len(FORMS)]
        onnx.save(network(seed, activations, form), folder / f"{form}_{activations}_{seed}.onnx")


if __name__ == "__main__":
    main()
