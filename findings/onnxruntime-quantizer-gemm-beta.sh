#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ONNX Runtime 1.32.0: quantize_static() changes the meaning of a Gemm whose "alpha" or "beta" is not 1. The QDQ format
# sets "beta" to 1 without scaling the bias. The QOperator format divides the bias by "beta" and multiplies it by
# "alpha". No warning is printed.
#   Gemm of the ONNX specification: y = alpha * A * B + beta * C. Here A * B = 10 and C = 100.
#   alpha 1, beta 2: expected 210, QDQ 110, QOperator 60.  alpha 0.5, beta 1: expected 105, QDQ 105, QOperator 55.
# Why it matters: the calibration ranges come from the float model, so the error looks like heavy quantization loss
# rather than a wrong graph. A compiler that is tested against the quantized model reproduces the error.
# What to do: fold "alpha" into B and "beta" into C before quantize_static(), or reject such a Gemm.
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
X = np.array([[0, 10]], np.float32)


class Samples(quantization.CalibrationDataReader):
    def __init__(self):
        # The second sample widens the range of y beyond every result, so that no result is cut off.
        self.samples = iter([{"x": X}, {"x": X * 30}, {"x": X * -30}])

    def get_next(self):
        return next(self.samples, None)


def write_model(alpha, beta):
    constants = {"b": np.array([[1], [1]], np.float32), "c": np.array([100], np.float32)}
    node = helper.make_node("Gemm", ["x", "b", "c"], ["y"], alpha=alpha, beta=beta)
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1])],
                              [numpy_helper.from_array(array, name) for name, array in constants.items()])
    whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.checker.check_model(whole, full_check=True)
    onnx.save(whole, "float.onnx")


def run(path):
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": X})[0].item()


print("onnxruntime", ort.__version__)
expected = {(1.0, 1.0): (110, 110), (1.0, 2.0): (110, 60), (0.5, 1.0): (105, 55)}  # QDQ, QOperator
differs = False
for (alpha, beta), results in expected.items():
    write_model(alpha, beta)
    print("alpha %g, beta %g: specification %g, float model %g" % (
        alpha, beta, alpha * 10 + beta * 100, run("float.onnx")))
    for form, result in zip((quantization.QuantFormat.QDQ, quantization.QuantFormat.QOperator), results):
        quantization.quantize_static("float.onnx", "quantized.onnx", Samples(), quant_format=form)
        found = run("quantized.onnx")
        print("  %s: %.1f" % (form.name, found))
        differs |= abs(found - result) > 5
raise SystemExit(differs)
PYTHON
