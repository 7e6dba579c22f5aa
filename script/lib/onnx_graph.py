# SPDX-License-Identifier: Apache-2.0
"""Builds ONNX graphs whose weights are drawn from a seeded generator."""

import zlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
TYPES = {"f32": TensorProto.FLOAT, "i64": TensorProto.INT64}


class Graph:
    """An ONNX graph under construction. Values are names; `channels` has those of each feature map (axis 1)."""

    def __init__(self, name):
        self.name = name
        self.generator = np.random.default_rng(zlib.crc32(name.encode()))
        self.nodes, self.constants, self.inputs, self.channels = [], [], [], {}

    def input(self, name, shape, type_name="f32"):
        self.inputs.append(helper.make_tensor_value_info(name, TYPES[type_name], shape))
        if len(shape) > 1:
            self.channels[name] = shape[1]
        return name

    def op(self, kind, *inputs, channels=None, outputs=1, **attributes):
        """Adds a node. Inputs that are not names become constants. Returns its outputs, or its only output."""
        names = [value if isinstance(value, str) else self.constant(value) for value in inputs]
        results = [f"{kind.lower()}{len(self.nodes)}" + (f"_{index}" if index else "") for index in range(outputs)]
        self.nodes.append(helper.make_node(kind, names, results, name=results[0], **attributes))
        self.channels[results[0]] = self.channels.get(names[0]) if channels is None else channels
        return results if outputs > 1 else results[0]

    def constant(self, value):
        array = np.asarray(value)
        if array.dtype == np.float64:
            array = array.astype(np.float32)
        self.constants.append(numpy_helper.from_array(array, f"constant{len(self.constants)}"))
        return self.constants[-1].name

    def draw(self, shape, deviation):
        return (self.generator.standard_normal(shape, np.float32) * np.float32(deviation)).astype(np.float32)

    def conv(self, x, channels, kernel, stride=1, pads=None, groups=1, activation=None):
        """Adds a 2-D convolution with bias; batch normalization is folded into it. The default keeps the size."""
        kernel = (kernel, kernel) if isinstance(kernel, int) else kernel
        pads = [size // 2 for size in kernel] * 2 if pads is None else pads
        inputs = self.channels[x] // groups
        fan_in = inputs * kernel[0] * kernel[1]
        weights = self.draw((channels, inputs, *kernel), ((2 if activation else 1) / fan_in) ** 0.5)
        strides = [stride, stride] if isinstance(stride, int) else stride
        y = self.op("Conv", x, weights, self.draw(channels, 0.05), channels=channels, kernel_shape=kernel, strides=strides,
                    pads=pads, group=groups)
        return activation(self, y) if activation else y

    def conv_transpose(self, x, channels, kernel, stride, pad=0, output_pad=0):
        inputs = self.channels[x]
        weights = self.draw((inputs, channels, kernel, kernel), (stride**2 / (inputs * kernel**2)) ** 0.5)
        return self.op("ConvTranspose", x, weights, self.draw(channels, 0.05), channels=channels, strides=[stride] * 2,
                       kernel_shape=[kernel] * 2, pads=[pad] * 4, output_padding=[output_pad] * 2)

    def depthwise(self, x, kernel, stride=1, pads=None, activation=None):
        return self.conv(x, self.channels[x], kernel, stride, pads, self.channels[x], activation)

    def dense(self, x, inputs, outputs, activation=None):
        """Adds a fully connected layer of a matrix with `inputs` columns."""
        weights = self.draw((outputs, inputs), ((2 if activation else 1) / inputs) ** 0.5)
        y = self.op("Gemm", x, weights, self.draw(outputs, 0.05), channels=outputs, transB=1)
        return activation(self, y) if activation else y

    def linear(self, x, inputs, outputs):
        """Adds a linear layer of the last axis, in the form that PyTorch exports: MatMul, then Add."""
        y = self.op("MatMul", x, self.draw((inputs, outputs), inputs**-0.5))
        return self.op("Add", y, self.draw(outputs, 0.05))

    def layer_norm(self, x, width, epsilon):
        scale, bias = 1 + self.draw(width, 0.05), self.draw(width, 0.05)
        return self.op("LayerNormalization", x, scale, bias, axis=-1, epsilon=epsilon)

    def recurrent(self, kind, gates, x, inputs, hidden, is_bidirectional=False):
        """Adds an LSTM (4 gates) or GRU (3) of a sequence with shape [steps, batch, inputs]. Returns the result of all
        steps with shape [steps, directions, batch, hidden]."""
        directions = 2 if is_bidirectional else 1
        weights = self.draw((directions, gates * hidden, inputs), hidden**-0.5)
        recurrences = self.draw((directions, gates * hidden, hidden), hidden**-0.5)
        bias = self.draw((directions, 2 * gates * hidden), 0.05)
        return self.op(kind, x, weights, recurrences, bias, hidden_size=hidden,
                       direction="bidirectional" if is_bidirectional else "forward")

    def reshape(self, x, *shape):
        return self.op("Reshape", x, np.array(shape, np.int64))

    def transpose(self, x, *permutation):
        return self.op("Transpose", x, perm=permutation)

    def classify(self, x, classes):
        """Adds global average pooling and a classifier."""
        flat = self.op("Flatten", self.op("GlobalAveragePool", x))
        return self.op("Softmax", self.dense(flat, self.channels[x], classes), axis=1)

    def write(self, output, path):
        output_info = onnx.ValueInfoProto(name=output)
        graph = helper.make_graph(self.nodes, self.name, self.inputs, [output_info], self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
        shaped = onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
        found = next(info for info in shaped.graph.output if info.name == output)
        model.graph.output[0].CopyFrom(found)
        onnx.checker.check_model(model)
        onnx.save(model, path)


def relu(graph, x):
    return graph.op("Relu", x)


def relu6(graph, x):
    return graph.op("Clip", x, np.float32(0), np.float32(6))


def hard_swish(graph, x):
    return graph.op("HardSwish", x)


def silu(graph, x):
    return graph.op("Mul", x, graph.op("Sigmoid", x), channels=graph.channels[x])


def gelu(graph, x):
    """The exact GELU, in the form that PyTorch exports."""
    error = graph.op("Erf", graph.op("Div", x, np.float32(2**0.5)))
    return graph.op("Mul", graph.op("Mul", x, graph.op("Add", error, np.float32(1))), np.float32(0.5))
