# SPDX-License-Identifier: Apache-2.0
"""The five classifiers of script/bench/networks, with generated weights that are the same on every run.

A network is a list of layers; onnx_writer.py, ncnn_writer.py and tflite_writer.py write it in the format of each runtime.
"""

import dataclasses

import numpy as np

PIXELS = 224
# Quantization of 8-bit activations by producer: scale, and zero point as uint8.
QUANTIZATION = {"relu": (4 / 255, 0), "relu6": (6 / 255, 0), "none": (8 / 255, 128), "input": (2 / 255, 128)}


@dataclasses.dataclass
class Layer:
    kind: str  # conv, maxpool, gap, add, concat, fc, lrn, softmax
    name: str  # also the name of its output
    inputs: list
    shape: tuple  # channels, height, width
    kernel: int = 1
    stride: int = 1
    pad: int = 0
    pad_after: int = 0  # bottom and right; exceeds `pad` if a pool rounds its output size up
    activation: str = "none"
    groups: int = 1
    weights: np.ndarray = None
    bias: np.ndarray = None


class Network:
    def __init__(self, name):
        self.name = name
        self.layers = []
        self.shapes = {"data": (3, PIXELS, PIXELS)}

    def add(self, kind, inputs, shape, **attributes):
        layer = Layer(kind, f"{kind}{len(self.layers) + 1}", inputs, shape, **attributes)
        self.layers.append(layer)
        self.shapes[layer.name] = shape
        return layer.name

    def conv(self, x, channels, kernel, stride=1, pad=0, activation="relu", groups=1):
        _, height, width = self.shapes[x]
        out = [(size + 2 * pad - kernel) // stride + 1 for size in (height, width)]
        return self.add("conv", [x], (channels, *out), kernel=kernel, stride=stride, pad=pad, pad_after=pad,
                        activation=activation, groups=groups)

    def maxpool(self, x, kernel, stride, pad=0, ceil=False):
        channels, height, _ = self.shapes[x]
        room = height + 2 * pad - kernel
        out = (-(-room // stride) if ceil else room // stride) + 1
        beyond = max(0, (out - 1) * stride + kernel - (height + 2 * pad))
        return self.add("maxpool", [x], (channels, out, out), kernel=kernel, stride=stride, pad=pad, pad_after=pad + beyond)

    def gap(self, x):
        return self.add("gap", [x], (self.shapes[x][0], 1, 1))

    def sum(self, a, b, activation="none"):
        return self.add("add", [a, b], self.shapes[a], activation=activation)

    def concat(self, inputs):
        return self.add("concat", inputs, (sum(self.shapes[x][0] for x in inputs), *self.shapes[inputs[0]][1:]))

    def lrn(self, x):
        return self.add("lrn", [x], self.shapes[x])

    def classify(self, x, dense=True):
        x = self.gap(x)
        if dense:
            x = self.add("fc", [x], (1000, 1, 1))
        self.add("softmax", [x], (1000, 1, 1))
        return self

    def draw_weights(self, generator):
        for layer in self.layers:
            if layer.kind not in ("conv", "fc"):
                continue
            inputs = self.shapes[layer.inputs[0]][0] // layer.groups
            shape = (layer.shape[0], inputs) + ((layer.kernel,) * 2 if layer.kind == "conv" else ())
            gain = 1.0 if layer.kind == "fc" else 0.5 if layer.activation == "none" else 2.0
            deviation = np.float32(np.sqrt(gain / (inputs * layer.kernel**2)))
            layer.weights = generator.standard_normal(shape).astype(np.float32) * deviation
            layer.bias = (generator.standard_normal(layer.shape[0]) * 0.05).astype(np.float32)

    def input_quantization(self, layer):
        """Returns the key in QUANTIZATION for the first input of a layer."""
        return self.quantization()[layer.inputs[0]]

    def quantization(self):
        """Returns the key in QUANTIZATION by value. Layers that only move or average values keep that of their input."""
        found = {"data": "input"}
        for layer in self.layers:
            own = layer.kind in ("conv", "add", "fc")
            found[layer.name] = layer.activation if own else found[layer.inputs[0]]
        return found


def squeezenet():
    net = Network("squeezenet1.1")
    x = net.maxpool(net.conv("data", 64, 3, 2), 3, 2, ceil=True)
    for index, (squeeze, expand) in enumerate([(16, 64), (16, 64), (32, 128), (32, 128), (48, 192), (48, 192), (64, 256),
                                               (64, 256)]):
        if index in (2, 4):
            x = net.maxpool(x, 3, 2, ceil=True)
        x = net.conv(x, squeeze, 1)
        x = net.concat([net.conv(x, expand, 1), net.conv(x, expand, 3, 1, 1)])
    return net.classify(net.conv(x, 1000, 1), dense=False)


def mobilenet_v2():
    net = Network("mobilenet_v2")
    x, channels = net.conv("data", 32, 3, 2, 1, "relu6"), 32
    for factor, out, repeats, first_stride in [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                                               (6, 160, 3, 2), (6, 320, 1, 1)]:
        for stride in [first_stride] + [1] * (repeats - 1):
            wide = channels * factor
            y = net.conv(x, wide, 1, activation="relu6") if factor > 1 else x
            y = net.conv(net.conv(y, wide, 3, stride, 1, "relu6", wide), out, 1, activation="none")
            x = net.sum(x, y) if stride == 1 and channels == out else y
            channels = out
    return net.classify(net.conv(x, 1280, 1, activation="relu6"))


def resnet(name, repeats, bottleneck):
    net = Network(name)
    x, channels = net.maxpool(net.conv("data", 64, 7, 2, 3), 3, 2, 1), 64
    for stage, count in enumerate(repeats):
        width = 64 << stage
        out = width * (4 if bottleneck else 1)
        for block in range(count):
            stride = 2 if stage > 0 and block == 0 else 1
            shortcut = net.conv(x, out, 1, stride, activation="none") if stride != 1 or channels != out else x
            if bottleneck:
                y = net.conv(net.conv(net.conv(x, width, 1), width, 3, stride, 1), out, 1, activation="none")
            else:
                y = net.conv(net.conv(x, width, 3, stride, 1), out, 3, 1, 1, "none")
            x, channels = net.sum(y, shortcut, "relu"), out
    return net.classify(x)


def googlenet():
    net = Network("googlenet")
    x = net.lrn(net.maxpool(net.conv("data", 64, 7, 2, 3), 3, 2, ceil=True))
    x = net.maxpool(net.lrn(net.conv(net.conv(x, 64, 1), 192, 3, 1, 1)), 3, 2, ceil=True)
    for index, (ones, before3, threes, before5, fives, pooled) in enumerate(
            [(64, 96, 128, 16, 32, 32), (128, 128, 192, 32, 96, 64), (192, 96, 208, 16, 48, 64), (160, 112, 224, 24, 64, 64),
             (128, 128, 256, 24, 64, 64), (112, 144, 288, 32, 64, 64), (256, 160, 320, 32, 128, 128),
             (256, 160, 320, 32, 128, 128), (384, 192, 384, 48, 128, 128)]):
        if index in (2, 7):
            x = net.maxpool(x, 3, 2, ceil=True)
        x = net.concat([net.conv(x, ones, 1), net.conv(net.conv(x, before3, 1), threes, 3, 1, 1),
                        net.conv(net.conv(x, before5, 1), fives, 5, 1, 2), net.conv(net.maxpool(x, 3, 1, 1), pooled, 1)])
    return net.classify(x)


def networks():
    """Returns the networks with weights, in the order of bench_names.CLASSIFIERS. One generator draws all weights."""
    generator = np.random.default_rng(1)
    nets = [squeezenet(), mobilenet_v2(), resnet("resnet18", [2, 2, 2, 2], False), resnet("resnet50", [3, 4, 6, 3], True),
            googlenet()]
    for net in nets:
        net.draw_weights(generator)
    return nets


def quantized(weights):
    """Returns int8 weights and the scale of each output channel."""
    each = (-1,) + (1,) * (weights.ndim - 1)
    scales = np.maximum(np.abs(weights.reshape(len(weights), -1)).max(1), 1e-6).astype(np.float32) / np.float32(127)
    return np.clip(np.round(weights / scales.reshape(each)), -127, 127).astype(np.int8), scales
