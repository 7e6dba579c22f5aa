# SPDX-License-Identifier: Apache-2.0
"""Writes networks of bench_networks.py for ncnn: NAME.param (text, one layer per line) and NAME.bin (weights)."""

import numpy as np

from bench_networks import PIXELS, QUANTIZATION, quantized

RAW_F32 = np.uint32(0)
INT8_TAG = np.uint32(0x000D4B38)
ACTIVATIONS = {"none": "", "relu": "9=1", "relu6": "9=3 -23310=2,0.0,6.0"}


class Writer:
    def __init__(self, network, is_quantized):
        self.network = network
        self.is_quantized = is_quantized
        self.lines, self.weights = [], []
        self.users, self.blobs = {}, 0
        for layer in network.layers:
            for x in layer.inputs:
                self.users[x] = self.users.get(x, 0) + 1
        self.next_copy = {}

    def line(self, kind, name, inputs, outputs, parameters=""):
        self.lines.append(" ".join([kind, name, str(len(inputs)), str(len(outputs)), *inputs, *outputs, parameters]).rstrip())
        self.blobs += len(outputs)

    def made(self, name):
        """Adds a Split for a value with several users."""
        count = self.users.get(name, 0)
        if count > 1:
            self.line("Split", f"{name}_split", [name], [f"{name}_{index}" for index in range(count)])
            self.next_copy[name] = 0

    def take(self, name):
        if name not in self.next_copy:
            return name
        self.next_copy[name] += 1
        return f"{name}_{self.next_copy[name] - 1}"

    def put_weights(self, layer):
        if not self.is_quantized:
            self.weights += [RAW_F32, layer.weights, layer.bias]
            return
        codes, scales = quantized(layer.weights)
        padding = np.zeros(-codes.size % 4, np.int8)
        step, zero = QUANTIZATION[self.network.input_quantization(layer)]
        input_scale = np.float32(127 / (step * (255 if zero == 0 else 127)))  # signed, with the same maximum
        if layer.groups > 1:
            scales = scales.reshape(layer.groups, -1).max(1)
        self.weights += [INT8_TAG, codes, padding, layer.bias, 1 / scales, input_scale]

    def convolution(self, layer):
        int8 = f"8={2 if layer.groups == 1 else 1}" if self.is_quantized else ""
        groups = f"7={layer.groups}" if layer.groups > 1 else ""
        self.put_weights(layer)
        return (f"0={layer.shape[0]} 1={layer.kernel} 3={layer.stride} 4={layer.pad} 5=1 6={layer.weights.size} {groups} {int8} "
                f"{ACTIVATIONS[layer.activation]}")

    def dense(self, layer):
        self.put_weights(layer)
        return f"0={layer.shape[0]} 1=1 2={layer.weights.size} {'8=2' if self.is_quantized else ''}"

    def layer(self, layer):
        inputs, name = [self.take(x) for x in layer.inputs], layer.name
        if layer.kind == "conv":
            kind = "Convolution" if layer.groups == 1 else "ConvolutionDepthWise"
            self.line(kind, name, inputs, [name], self.convolution(layer))
        elif layer.kind == "maxpool":
            pads = f"3={layer.pad} 13={layer.pad} 14={layer.pad_after} 15={layer.pad_after}"
            self.line("Pooling", name, inputs, [name], f"0=0 1={layer.kernel} 2={layer.stride} {pads} 5=1")
        elif layer.kind == "gap":
            self.line("Pooling", name, inputs, [name], "0=1 4=1")
        elif layer.kind == "add":
            has_relu = layer.activation == "relu"
            self.line("BinaryOp", name, inputs, [f"{name}_raw" if has_relu else name], "0=0")
            if has_relu:
                self.line("ReLU", f"{name}_relu", [f"{name}_raw"], [name])
        elif layer.kind == "concat":
            self.line("Concat", name, inputs, [name], "0=0")
        elif layer.kind == "lrn":
            self.line("LRN", name, inputs, [name], "0=0 1=5 2=1e-4 3=0.75 4=1.0")
        elif layer.kind == "fc":
            self.line("InnerProduct", name, inputs, [name], self.dense(layer))
        else:
            self.line("Softmax", name, inputs, [name], "0=0 1=1")
        self.made(name)


def write(network, is_quantized, path):
    writer = Writer(network, is_quantized)
    writer.line("Input", "data", [], ["data"], f"0={PIXELS} 1={PIXELS} 2=3")
    writer.made("data")
    for layer in network.layers:
        writer.layer(layer)
    head = f"7767517\n{len(writer.lines)} {writer.blobs}\n"
    path.with_name(path.name + ".param").write_text(head + "\n".join(writer.lines) + "\n")
    path.with_name(path.name + ".bin").write_bytes(b"".join(np.ascontiguousarray(part).tobytes() for part in writer.weights))
