#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ONNX Runtime 1.32.0: if two Conv layers share a bias initializer, quantize_static() with QuantFormat.QOperator
# quantizes the bias once, with the scales of the first layer, and both layers use the int32 values. QLinearConv has no
# input for the scale of the bias, so the second layer adds a wrong bias. QuantFormat.QDQ is right.
#   QLinearConv of the ONNX specification: the bias has the scale "x_scale * w_scale".
#   Both layers must add 1. The weights of the second layer are 100 times as large, and so is the bias that it adds.
# Why it matters: simplifiers merge equal initializers. The quantized model passes the checker and runs. A bias of zeros
# does not show the error.
# What to do: give each layer its own bias before quantize_static(), or use the QDQ format. A compiler that shares
# constants must not share an int32 bias between layers with different scales.
# Exit code 1 if the behaviour differs.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check onnxruntime==1.32.0 onnx==1.23.2 numpy==2.4.6
cd "$work"
"$work/venv/bin/python" - <<'PYTHON'
import logging

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from onnxruntime import quantization

logging.disable(logging.WARNING)
ZEROS = np.zeros((1, 1, 1, 2), np.float32)


class Samples(quantization.CalibrationDataReader):
    def __init__(self):
        self.samples = iter([{"x": ZEROS - 1}, {"x": ZEROS + 1}])

    def get_next(self):
        return next(self.samples, None)


def write_model(shared):
    constants = {"small": np.full((1, 1, 1, 1), 0.02, np.float32), "large": np.full((1, 1, 1, 1), 2, np.float32),
                 "bias": np.ones(1, np.float32)}
    if not shared:
        constants["bias2"] = np.ones(1, np.float32)
    nodes = [helper.make_node("Conv", ["x", "small", "bias"], ["y1"]),
             helper.make_node("Conv", ["x", "large", "bias" if shared else "bias2"], ["y2"])]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ZEROS.shape)],
                              [helper.make_tensor_value_info(name, TensorProto.FLOAT, ZEROS.shape)
                               for name in ("y1", "y2")],
                              [numpy_helper.from_array(array, name) for name, array in constants.items()])
    whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.checker.check_model(whole, full_check=True)
    onnx.save(whole, "float.onnx")


print("onnxruntime", ort.__version__)
differs = False
for shared in (False, True):
    write_model(shared)
    for form in (quantization.QuantFormat.QDQ, quantization.QuantFormat.QOperator):
        quantization.quantize_static("float.onnx", "quantized.onnx", Samples(), quant_format=form)
        session = ort.InferenceSession("quantized.onnx", providers=["CPUExecutionProvider"])
        found = [y.ravel()[0].item() for y in session.run(None, {"x": ZEROS})]
        print("shared bias: %s, %s: y1 and y2 of x = 0: %.2f %.2f, expected 1 1" % (shared, form.name, *found))
        # The output range of the second layer ends at 3, where the wrong bias is cut off.
        result = (1, 3) if shared and form == quantization.QuantFormat.QOperator else (1, 1)
        differs |= not np.allclose(found, result, atol=0.05)
raise SystemExit(differs)
PYTHON
