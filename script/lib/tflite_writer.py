# SPDX-License-Identifier: Apache-2.0
"""Writes networks of bench_networks.py as .tflite files with the schema classes of the LiteRT wheel."""

import importlib.util

import numpy as np

from bench_networks import PIXELS, QUANTIZATION, quantized


def is_available():
    return importlib.util.find_spec("ai_edge_litert") is not None


class Writer:
    """Writes channels last. Adds a Pad operator if the padding differs from TensorFlow's rules."""

    def __init__(self, network, is_quantized):
        from ai_edge_litert import schema_py_generated
        self.schema = schema_py_generated
        self.network, self.is_quantized = network, is_quantized
        self.kinds = network.quantization()
        self.graph = self.schema.SubGraphT()
        self.graph.tensors, self.graph.operators = [], []
        self.buffers, self.codes = [self.schema.BufferT()], []
        self.indices = {}

    def tensor(self, name, shape, type_name, quantization=None, data=None):
        tensor = self.schema.TensorT()
        tensor.name, tensor.shape, tensor.type = name, list(shape), getattr(self.schema.TensorType, type_name)
        if quantization is not None:
            tensor.quantization = self.schema.QuantizationParametersT()
            scales, tensor.quantization.zeroPoint, tensor.quantization.quantizedDimension = quantization
            tensor.quantization.scale = [float(scale) for scale in scales]
        if data is not None:
            buffer = self.schema.BufferT()
            buffer.data = np.frombuffer(np.ascontiguousarray(data).tobytes(), np.uint8)
            tensor.buffer = len(self.buffers)
            self.buffers.append(buffer)
        self.indices[name] = len(self.graph.tensors)
        self.graph.tensors.append(tensor)
        return self.indices[name]

    def value(self, name, shape, kind, is_float=False):
        """Adds an activation tensor in the type of the network."""
        if is_float or not self.is_quantized:
            return self.tensor(name, shape, "FLOAT32")
        scale, zero = QUANTIZATION[kind]
        return self.tensor(name, shape, "INT8", ([scale], [zero - 128], 0))

    def operator(self, kind, inputs, output, options=None, **fields):
        code = getattr(self.schema.BuiltinOperator, kind)
        if code not in self.codes:
            self.codes.append(code)
        operator = self.schema.OperatorT()
        operator.opcodeIndex, operator.inputs, operator.outputs = self.codes.index(code), inputs, [output]
        if options:
            operator.builtinOptionsType = getattr(self.schema.BuiltinOptions, options)
            operator.builtinOptions = getattr(self.schema, options + "T")()
            for field, setting in fields.items():
                setattr(operator.builtinOptions, field, setting)
        self.graph.operators.append(operator)
        return output

    def weights(self, layer, order, channel_axis):
        name = layer.name
        values = layer.weights.transpose(order)
        if not self.is_quantized:
            return [self.tensor(f"{name}_w", values.shape, "FLOAT32", data=values),
                    self.tensor(f"{name}_b", layer.bias.shape, "FLOAT32", data=layer.bias)]
        codes, scales = quantized(layer.weights)
        bias_scales = scales * np.float32(QUANTIZATION[self.network.input_quantization(layer)][0])
        zeros = [0] * len(scales)
        return [self.tensor(f"{name}_w", values.shape, "INT8", (scales, zeros, channel_axis), codes.transpose(order)),
                self.tensor(f"{name}_b", layer.bias.shape, "INT32", (bias_scales, zeros, 0),
                            np.round(layer.bias / bias_scales).astype(np.int32))]

    def padded(self, layer, x):
        """Returns the input, padded if necessary, and the operator's padding. Pools here have inputs of at least 0."""
        if layer.pad == 0 and layer.pad_after == 0:
            return x, self.schema.Padding.VALID
        if layer.stride == 1 and layer.pad == layer.pad_after == layer.kernel // 2:
            return x, self.schema.Padding.SAME
        name = layer.inputs[0]
        channels, height, width = self.network.shapes[name]
        more = layer.pad + layer.pad_after
        amounts = np.array([[0, 0], [layer.pad, layer.pad_after], [layer.pad, layer.pad_after], [0, 0]], np.int32)
        sizes = self.tensor(f"{layer.name}_pads", amounts.shape, "INT32", data=amounts)
        out = self.value(f"{layer.name}_padded", (1, height + more, width + more, channels), self.kinds[name])
        return self.operator("PAD", [x, sizes], out, "PadOptions"), self.schema.Padding.VALID

    def window(self, layer, x, out):
        x, padding = self.padded(layer, x)
        fields = dict(padding=padding, strideH=layer.stride, strideW=layer.stride)
        activation = {"relu": 1, "relu6": 3, "none": 0}[layer.activation]
        if layer.kind == "maxpool":
            self.operator("MAX_POOL_2D", [x], out, "Pool2DOptions", filterHeight=layer.kernel, filterWidth=layer.kernel, **fields)
        elif layer.groups > 1:
            self.operator("DEPTHWISE_CONV_2D", [x, *self.weights(layer, (1, 2, 3, 0), 3)], out, "DepthwiseConv2DOptions",
                          depthMultiplier=1, fusedActivationFunction=activation, **fields)
        else:
            self.operator("CONV_2D", [x, *self.weights(layer, (0, 2, 3, 1), 0)], out, "Conv2DOptions",
                          fusedActivationFunction=activation, **fields)

    def in_float(self, layer, x, compute):
        """Calls compute(input) for an operator without an 8-bit version; returns the output's tensor."""
        if self.is_quantized:
            source = self.graph.tensors[x]
            x = self.operator("DEQUANTIZE", [x], self.value(f"{layer.name}_float", source.shape, None, is_float=True))
        return compute(x)

    def lrn(self, layer, x, shape):
        def compute(x):
            name = f"{layer.name}_raw" if self.is_quantized else layer.name
            return self.operator("LOCAL_RESPONSE_NORMALIZATION", [x], self.value(name, shape, None, is_float=True),
                                 "LocalResponseNormalizationOptions", radius=2, bias=1.0, alpha=1e-4 / 5, beta=0.75)
        out = self.in_float(layer, x, compute)
        if self.is_quantized:
            self.operator("QUANTIZE", [out], self.value(layer.name, shape, self.kinds[layer.name]), "QuantizeOptions")

    def softmax(self, layer, x):
        self.in_float(layer, x, lambda x: self.operator(
            "SOFTMAX", [x], self.value(layer.name, (1, 1000), None, is_float=True), "SoftmaxOptions", beta=1.0))

    def layer(self, layer):
        inputs = [self.indices[x] for x in layer.inputs]
        channels, height, width = layer.shape
        shape = (1, channels) if layer.kind in ("gap", "fc") else (1, height, width, channels)
        if layer.kind == "softmax":
            return self.softmax(layer, inputs[0])
        if layer.kind == "lrn":
            return self.lrn(layer, inputs[0], shape)
        out = self.value(layer.name, shape, self.kinds[layer.name])
        if layer.kind == "gap":
            axes = self.tensor(f"{layer.name}_axes", (2,), "INT32", data=np.array([1, 2], np.int32))
            self.operator("MEAN", [inputs[0], axes], out, "ReducerOptions", keepDims=False)
        elif layer.kind == "add":
            self.operator("ADD", inputs, out, "AddOptions", fusedActivationFunction=int(layer.activation == "relu"))
        elif layer.kind == "concat":
            self.operator("CONCATENATION", inputs, out, "ConcatenationOptions", axis=3)
        elif layer.kind == "fc":
            self.operator("FULLY_CONNECTED", [*inputs, *self.weights(layer, (0, 1), 0)], out, "FullyConnectedOptions")
        else:
            self.window(layer, inputs[0], out)

    def model(self):
        image = (1, PIXELS, PIXELS, 3)
        first = self.value("image" if self.is_quantized else "data", image, None, is_float=True)
        if self.is_quantized:
            self.operator("QUANTIZE", [first], self.value("data", image, "input"), "QuantizeOptions")
        for layer in self.network.layers:
            self.layer(layer)
        self.graph.inputs, self.graph.outputs = [first], [self.indices[self.network.layers[-1].name]]
        model = self.schema.ModelT()
        model.version, model.subgraphs, model.buffers, model.operatorCodes = 3, [self.graph], self.buffers, []
        for builtin in self.codes:
            code = self.schema.OperatorCodeT()
            code.builtinCode, code.deprecatedBuiltinCode, code.version = builtin, min(builtin, 127), 1
            model.operatorCodes.append(code)
        return model


def write(network, is_quantized, path):
    import flatbuffers
    builder = flatbuffers.Builder(1 << 20)
    builder.Finish(Writer(network, is_quantized).model().Pack(builder), b"TFL3")
    path.write_bytes(bytes(builder.Output()))
