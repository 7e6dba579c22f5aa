# SPDX-License-Identifier: Apache-2.0
"""Writes a network with small branches: small_inception.py OUT.onnx

A stem and six Inception blocks (C. Szegedy et al., Going deeper with convolutions, 2015) of 4 x 16 channels on 16 x 16
pixels, with random weights. Each operator takes some microseconds, which is too short to share between two threads.
"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SIZE, CHANNELS, BLOCKS, CLASSES = 16, 16, 6, 10


class Network:
    def __init__(self):
        self.random = np.random.default_rng(0)
        self.nodes, self.weights = [], []

    def add(self, kind, inputs, **attributes):
        name = f"{kind}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def weight(self, shape, scale):
        name = f"weights{len(self.weights)}"
        values = (self.random.standard_normal(shape) * scale).astype(np.float32)
        self.weights.append(numpy_helper.from_array(values, name))
        return name

    def conv(self, x, inputs, outputs, kernel):
        weights = self.weight((outputs, inputs, kernel, kernel), np.sqrt(2 / (inputs * kernel * kernel)))
        y = self.add("Conv", [x, weights], kernel_shape=[kernel] * 2, pads=[kernel // 2] * 4)
        return self.add("Relu", [y])

    def block(self, x, inputs):
        one = self.conv(x, inputs, CHANNELS, 1)
        three = self.conv(self.conv(x, inputs, CHANNELS, 1), CHANNELS, CHANNELS, 3)
        five = self.conv(x, inputs, CHANNELS // 2, 1)
        five = self.conv(self.conv(five, CHANNELS // 2, CHANNELS, 3), CHANNELS, CHANNELS, 3)
        pool = self.conv(self.add("MaxPool", [x], kernel_shape=[3, 3], pads=[1] * 4), inputs, CHANNELS, 1)
        return self.add("Concat", [one, three, five, pool], axis=1)

    def model(self):
        x, channels = self.conv("x", 3, CHANNELS, 3), CHANNELS
        for _ in range(BLOCKS):
            x, channels = self.block(x, channels), 4 * CHANNELS
        features = self.add("Flatten", [self.add("GlobalAveragePool", [x])])
        y = self.add("Gemm", [features, self.weight((CLASSES, channels), 1)], transB=1)
        inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, SIZE, SIZE])]
        outputs = [helper.make_tensor_value_info(y, TensorProto.FLOAT, [1, CLASSES])]
        graph = helper.make_graph(self.nodes, "small_inception", inputs, outputs, self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


if len(sys.argv) != 2:
    sys.exit(__doc__.strip())
network = Network().model()
onnx.checker.check_model(network)
onnx.save(network, sys.argv[1])
