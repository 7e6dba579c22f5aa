# SPDX-License-Identifier: Apache-2.0
"""Writes networks of bench_networks.py as ONNX files."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from bench_networks import PIXELS, QUANTIZATION, quantized


class OnnxWriter:
    """Writes f32, or QuantizeLinear and DequantizeLinear around all layers that compute."""

    def __init__(self, network, is_quantized):
        self.network = network
        self.is_quantized = is_quantized
        self.nodes, self.constants = [], {}
        self.kinds = network.quantization()

    def node(self, kind, inputs, name, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def constant(self, name, value):
        self.constants.setdefault(name, numpy_helper.from_array(np.asarray(value), name))
        return name

    def quantize(self, source, name, kind):
        scale, zero = QUANTIZATION[kind]
        parameters = [self.constant(f"{kind}_scale", np.float32(scale)), self.constant(f"{kind}_zero", np.uint8(zero))]
        code = self.node("QuantizeLinear", [source, *parameters], f"{name}_q")
        return self.node("DequantizeLinear", [code, *parameters], name)

    def weights(self, layer):
        name = layer.name
        if not self.is_quantized:
            return [self.constant(f"{name}_w", layer.weights), self.constant(f"{name}_b", layer.bias)]
        codes, scales = quantized(layer.weights)
        bias_scales = scales * np.float32(QUANTIZATION[self.network.input_quantization(layer)][0])
        bias = np.round(layer.bias / bias_scales).astype(np.int32)
        return [self.dequantized(f"{name}_w", codes, scales), self.dequantized(f"{name}_b", bias, bias_scales)]

    def dequantized(self, name, codes, scales):
        return self.node("DequantizeLinear", [self.constant(f"{name}_codes", codes), self.constant(f"{name}_scales", scales),
                                              self.constant(f"{name}_zeros", np.zeros(len(codes), codes.dtype))], name, axis=0)

    def finish(self, layer, name):
        """Adds the activation, or in 8 bits the quantization, whose zero point implies a ReLU."""
        if self.is_quantized:
            self.quantize(name, layer.name, self.kinds[layer.name])
        elif layer.activation == "relu":
            self.node("Relu", [name], layer.name)
        elif layer.activation == "relu6":
            self.node("Clip", [name, self.constant("zero", np.float32(0)), self.constant("six", np.float32(6))], layer.name)

    def flatten(self, layer, inputs):
        name = self.node("Flatten", inputs, f"{layer.name}_flat")
        if self.is_quantized and layer.kind == "fc":
            name = self.quantize(name, f"{layer.name}_codes", self.kinds[layer.inputs[0]])
        return name

    def layer(self, layer):
        inputs = ["image" if x == "data" and self.is_quantized else x for x in layer.inputs]
        has_more = self.is_quantized or layer.activation != "none"
        name = f"{layer.name}_raw" if has_more and layer.kind != "softmax" else layer.name
        window = dict(kernel_shape=[layer.kernel] * 2, strides=[layer.stride] * 2, pads=[layer.pad] * 2 + [layer.pad_after] * 2)
        if layer.kind == "conv":
            self.node("Conv", [*inputs, *self.weights(layer)], name, group=layer.groups, **window)
        elif layer.kind == "maxpool":
            self.node("MaxPool", inputs, name, **window)
        elif layer.kind == "gap":
            self.node("GlobalAveragePool", inputs, name)
        elif layer.kind == "add":
            self.node("Add", inputs, name)
        elif layer.kind == "concat":
            self.node("Concat", inputs, name, axis=1)
        elif layer.kind == "lrn":
            self.node("LRN", inputs, name, size=5, alpha=1e-4, beta=0.75, bias=1.0)
        elif layer.kind == "fc":
            self.node("Gemm", [self.flatten(layer, inputs), *self.weights(layer)], name, transB=1)
        else:
            is_flat = self.network.layers[-2].kind == "fc"
            self.node("Softmax", inputs if is_flat else [self.flatten(layer, inputs)], name, axis=1)
        if name != layer.name:
            self.finish(layer, name)

    def write(self, path):
        if self.is_quantized:
            self.quantize("data", "image", "input")
        for layer in self.network.layers:
            self.layer(layer)
        ends = [helper.make_tensor_value_info("data", TensorProto.FLOAT, [1, 3, PIXELS, PIXELS]),
                helper.make_tensor_value_info(self.network.layers[-1].name, TensorProto.FLOAT, [1, 1000])]
        graph = helper.make_graph(self.nodes, self.network.name, ends[:1], ends[1:], list(self.constants.values()))
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
        onnx.checker.check_model(model)
        onnx.save(model, path)


def write(network, is_quantized, path):
    OnnxWriter(network, is_quantized).write(path)
