# SPDX-License-Identifier: Apache-2.0
"""Vision networks that people deploy, true to their papers, with generated weights (script/bench/networks)."""

import numpy as np

from onnx_graph import Graph, gelu, hard_swish, relu, relu6, silu
from transformer import encoder_block


def squeeze_excite(graph, x):
    """Squeeze-and-excitation of MobileNetV3: a quarter of the channels, a multiple of 8, and a hard sigmoid."""
    channels = graph.channels[x]
    quarter = channels / 4
    narrow = max(8, int(quarter + 4) // 8 * 8)
    narrow += 8 if narrow < 0.9 * quarter else 0
    gate = graph.conv(graph.op("GlobalAveragePool", x), narrow, 1, activation=relu)
    gate = graph.op("HardSigmoid", graph.conv(gate, channels, 1), alpha=1 / 6, beta=0.5)
    return graph.op("Mul", x, gate)


def mobilenet_v3_small():
    """Howard et al., "Searching for MobileNetV3" (2019), table 2."""
    graph = Graph("mobilenet_v3_small")
    x = graph.conv(graph.input("image", [1, 3, 224, 224]), 16, 3, 2, activation=hard_swish)
    for kernel, wide, out, has_gate, activation, stride in [
            (3, 16, 16, True, relu, 2), (3, 72, 24, False, relu, 2), (3, 88, 24, False, relu, 1),
            (5, 96, 40, True, hard_swish, 2), (5, 240, 40, True, hard_swish, 1), (5, 240, 40, True, hard_swish, 1),
            (5, 120, 48, True, hard_swish, 1), (5, 144, 48, True, hard_swish, 1), (5, 288, 96, True, hard_swish, 2),
            (5, 576, 96, True, hard_swish, 1), (5, 576, 96, True, hard_swish, 1)]:
        y = graph.conv(x, wide, 1, activation=activation) if wide != graph.channels[x] else x
        y = graph.depthwise(y, kernel, stride, activation=activation)
        y = graph.conv(squeeze_excite(graph, y) if has_gate else y, out, 1)
        x = graph.op("Add", x, y) if stride == 1 and graph.channels[x] == out else y
    x = graph.op("GlobalAveragePool", graph.conv(x, 576, 1, activation=hard_swish))
    x = graph.dense(graph.op("Flatten", x), 576, 1024, hard_swish)
    return graph, graph.op("Softmax", graph.dense(x, 1024, 1000), axis=1)


def same_pads(kernel, stride):
    """Returns the "same" padding of TensorFlow for an even size: with stride 2 one more at the end."""
    total = kernel - stride
    return [total // 2] * 2 + [total - total // 2] * 2


def efficientnet_lite0():
    """EfficientNet-B0 (Tan and Le, 2019) without squeeze-and-excitation and with ReLU6, as TensorFlow publishes it."""
    graph = Graph("efficientnet_lite0")
    x = graph.conv(graph.input("image", [1, 3, 224, 224]), 32, 3, 2, same_pads(3, 2), activation=relu6)
    for factor, out, repeats, first_stride, kernel in [(1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3),
                                                       (6, 112, 3, 1, 5), (6, 192, 4, 2, 5), (6, 320, 1, 1, 3)]:
        for stride in [first_stride] + [1] * (repeats - 1):
            channels = graph.channels[x]
            y = graph.conv(x, channels * factor, 1, activation=relu6) if factor > 1 else x
            y = graph.depthwise(y, kernel, stride, same_pads(kernel, stride), relu6)
            y = graph.conv(y, out, 1)
            x = graph.op("Add", x, y) if stride == 1 and channels == out else y
    return graph, graph.classify(graph.conv(x, 1280, 1, activation=relu6), 1000)


class Yolo:
    """YOLOv5n (Ultralytics, release 6): CSP blocks with SiLU, a pyramid of three scales, and decoded boxes."""

    PIXELS = 320
    CLASSES = 80
    ANCHORS = {8: [(10, 13), (16, 30), (33, 23)], 16: [(30, 61), (62, 45), (59, 119)], 32: [(116, 90), (156, 198), (373, 326)]}

    def __init__(self):
        self.graph = Graph("yolov5n")

    def conv(self, x, channels, kernel=1, stride=1, pads=None):
        return self.graph.conv(x, channels, kernel, stride, pads, activation=silu)

    def concat(self, *inputs):
        return self.graph.op("Concat", *inputs, axis=1, channels=sum(self.graph.channels[x] for x in inputs))

    def csp(self, x, channels, repeats, has_shortcut=True):
        half = channels // 2
        y = self.conv(x, half)
        for _ in range(repeats):
            z = self.conv(self.conv(y, half), half, 3)
            y = self.graph.op("Add", y, z) if has_shortcut else z
        return self.conv(self.concat(y, self.conv(x, half)), channels)

    def pooled(self, x):
        """Fast spatial pyramid pooling."""
        maps = [self.conv(x, self.graph.channels[x] // 2)]
        for _ in range(3):
            maps.append(self.graph.op("MaxPool", maps[-1], kernel_shape=[5, 5], strides=[1, 1], pads=[2] * 4))
        return self.conv(self.concat(*maps), self.graph.channels[x])

    def enlarged(self, x):
        return self.graph.op("Resize", x, "", np.array([1, 1, 2, 2], np.float32), mode="nearest", nearest_mode="floor",
                             coordinate_transformation_mode="asymmetric")

    def detect(self, x, stride):
        graph, side, values = self.graph, self.PIXELS // stride, self.CLASSES + 5
        y = graph.reshape(graph.conv(x, 3 * values, 1), 1, 3, values, side, side)
        y = graph.op("Sigmoid", graph.transpose(y, 0, 1, 3, 4, 2))
        center, size, scores = graph.op("Split", y, np.array([2, 2, self.CLASSES + 1], np.int64), axis=-1, outputs=3)
        rows, columns = np.meshgrid(np.arange(side), np.arange(side), indexing="ij")
        grid = np.stack([columns, rows], -1).astype(np.float32) - np.float32(0.5)
        anchors = np.array(self.ANCHORS[stride], np.float32).reshape(1, 3, 1, 1, 2)
        center = graph.op("Mul", graph.op("Add", graph.op("Mul", center, np.float32(2)), grid), np.float32(stride))
        size = graph.op("Mul", graph.op("Pow", graph.op("Mul", size, np.float32(2)), np.float32(2)), anchors)
        return graph.reshape(graph.op("Concat", center, size, scores, axis=-1), 1, -1, values)

    def backbone(self):
        x = self.conv(self.graph.input("image", [1, 3, self.PIXELS, self.PIXELS]), 16, 6, 2, [2] * 4)
        x = self.csp(self.conv(x, 32, 3, 2), 32, 1)
        fine = self.csp(self.conv(x, 64, 3, 2), 64, 2)
        middle = self.csp(self.conv(fine, 128, 3, 2), 128, 3)
        return fine, middle, self.pooled(self.csp(self.conv(middle, 256, 3, 2), 256, 1))

    def network(self):
        fine, middle, coarse = self.backbone()
        coarse = self.conv(coarse, 128)
        middle = self.conv(self.csp(self.concat(self.enlarged(coarse), middle), 128, 1, False), 64)
        fine = self.csp(self.concat(self.enlarged(middle), fine), 64, 1, False)
        middle = self.csp(self.concat(self.conv(fine, 64, 3, 2), middle), 128, 1, False)
        coarse = self.csp(self.concat(self.conv(middle, 128, 3, 2), coarse), 256, 1, False)
        boxes = [self.detect(x, stride) for x, stride in ((fine, 8), (middle, 16), (coarse, 32))]
        return self.graph, self.graph.op("Concat", *boxes, axis=1)


def unet():
    """Ronneberger et al., "U-Net" (2015), with padded convolutions and half as many channels as in the paper."""
    graph = Graph("unet")

    def double(x, channels):
        return graph.conv(graph.conv(x, channels, 3, activation=relu), channels, 3, activation=relu)

    x, skipped = graph.input("image", [1, 1, 128, 128]), []
    for channels in (32, 64, 128, 256):
        skipped.append(double(x, channels))
        x = graph.op("MaxPool", skipped[-1], kernel_shape=[2, 2], strides=[2, 2])
    x = double(x, 512)
    for other in reversed(skipped):
        channels = graph.channels[other]
        x = double(graph.op("Concat", other, graph.conv_transpose(x, channels, 2, 2), axis=1, channels=2 * channels), channels)
    return graph, graph.conv(x, 2, 1)


def fsrcnn():
    """Dong et al., "Accelerating the Super-Resolution Convolutional Neural Network" (2016): d = 56, s = 12, m = 4."""
    graph = Graph("fsrcnn")

    def prelu(this, x):
        return this.op("PRelu", x, np.abs(this.draw((this.channels[x], 1, 1), 0.25)))

    x = graph.conv(graph.input("image", [1, 1, 128, 128]), 56, 5, activation=prelu)
    x = graph.conv(x, 12, 1, activation=prelu)
    for _ in range(4):
        x = graph.conv(x, 12, 3, activation=prelu)
    x = graph.conv(x, 56, 1, activation=prelu)
    return graph, graph.conv_transpose(x, 1, 9, 3, pad=4, output_pad=2)


def deit_tiny():
    """Touvron et al., "Training data-efficient image transformers" (2021): 12 blocks, width 192, 3 heads."""
    graph, width, tokens = Graph("deit_tiny"), 192, 197
    x = graph.conv(graph.input("image", [1, 3, 224, 224]), width, 16, 16, [0] * 4)
    x = graph.transpose(graph.reshape(x, 1, width, tokens - 1), 0, 2, 1)
    x = graph.op("Concat", graph.constant(graph.draw((1, 1, width), 0.02)), x, axis=1)
    x = graph.op("Add", x, graph.draw((1, tokens, width), 0.02))
    for _ in range(12):
        x = encoder_block(graph, x, tokens, width, heads=3, activation=gelu)
    x = graph.op("Gather", graph.layer_norm(x, width, 1e-6), np.int64(0), axis=1)
    return graph, graph.dense(x, width, 1000)


def mobilenet_v1_025():
    """The visual wake words model of MLPerf Tiny: MobileNetV1 (Howard et al., 2017) with a quarter of the channels."""
    graph = Graph("mobilenet_v1_025")
    x = graph.conv(graph.input("image", [1, 3, 96, 96]), 8, 3, 2, same_pads(3, 2), activation=relu)
    for out, stride in [(16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2)] + [(128, 1)] * 5 + [(256, 2), (256, 1)]:
        x = graph.conv(graph.depthwise(x, 3, stride, same_pads(3, stride), relu), out, 1, activation=relu)
    return graph, graph.classify(x, 2)


def resnet8():
    """The image classification model of MLPerf Tiny."""
    graph = Graph("resnet8")
    x = graph.conv(graph.input("image", [1, 3, 32, 32]), 16, 3, activation=relu)
    for out, stride in ((16, 1), (32, 2), (64, 2)):
        y = graph.conv(x, out, 3, stride, same_pads(3, stride), activation=relu)
        y = graph.conv(y, out, 3)
        x = relu(graph, graph.op("Add", y, x if stride == 1 else graph.conv(x, out, 1, stride)))
    return graph, graph.classify(x, 10)
