#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ONNX Runtime 1.32.0: a QDQ model with an AveragePool that has the attribute "dilations" (allowed since opset 19) fails
# to load. The optimizer fuses the pool into QLinearAveragePool and copies the attribute, which that operator does not
# have. Unoptimized, the same model loads. The value of the attribute does not matter: the default [1] fails too.
#   Expected: the model passes onnx.checker, so both sessions load. Optimized: "Unrecognized attribute: dilations".
# Why it matters: an exporter that writes default values, or a converter to opset 19, turns a working model into one
# that fails to load.
# What to do: remove "dilations" if all values are 1. Otherwise disable the optimizer or the pool's quantization.
# Exit code 1 if the behaviour differs.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check onnxruntime==1.32.0 onnx==1.23.2 numpy==2.4.6
"$work/venv/bin/python" - <<'PYTHON'
import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

REFUSED = "Unrecognized attribute: dilations"


def model(dilations):
    constants = {"scale": np.float32(1), "zero": np.uint8(0)}
    nodes = [helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["x_q"]),
             helper.make_node("DequantizeLinear", ["x_q", "scale", "zero"], ["x_d"]),
             helper.make_node("AveragePool", ["x_d"], ["y_f"], kernel_shape=[2], dilations=dilations),
             helper.make_node("QuantizeLinear", ["y_f", "scale", "zero"], ["y_q"]),
             helper.make_node("DequantizeLinear", ["y_q", "scale", "zero"], ["y"])]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, 4])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1, None])],
                              [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()])
    whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    onnx.checker.check_model(whole, full_check=True)
    return whole.SerializeToString()


def run(dilations, level):
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = level
    try:
        session = ort.InferenceSession(model(dilations), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        return REFUSED if REFUSED in str(error) else str(error)
    return session.run(None, {"x": np.array([[[2, 4, 8, 12]]], np.float32)})[0].ravel().tolist()


print("onnxruntime", ort.__version__)
levels = {"unoptimized": ort.GraphOptimizationLevel.ORT_DISABLE_ALL,
          "optimized": ort.GraphOptimizationLevel.ORT_ENABLE_ALL}
expected = {None: [3, 6, 10], 1: [3, 6, 10], 2: [5, 8]}
found = {(dilation, name): run([dilation] if dilation else None, level) for dilation in expected
         for name, level in levels.items()}
for (dilation, name), result in found.items():
    print("dilations %s, %s: %s, expected %s" % (dilation or "absent", name, result, expected[dilation]))
raise SystemExit(found != {(dilation, name): REFUSED if dilation and name == "optimized" else expected[dilation]
                           for dilation, name in found})
PYTHON
