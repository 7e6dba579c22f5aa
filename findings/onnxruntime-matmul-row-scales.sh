#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ONNX Runtime 1.32.0: in a QDQ model, a MatMul whose weight has one scale per row (DequantizeLinear with axis=0) is
# fused into MatMulIntegerToFloat, which applies the scales to the columns. For a square weight the shapes fit, so the
# result is wrong without an error.
#   Expected (DequantizeLinear of the ONNX specification: "axis" is the axis of the scales; also the unoptimized
#   session): [11, 11].
#   Optimized: [2, 20].
# Why it matters: the result of an integer matrix product cannot be corrected afterwards for scales along the summed
# axis. Such a model is valid and must run in floating point. A check against an optimized session reports false
# differences.
# What to do: quantize MatMul weights with axis=1, or compare with ORT_DISABLE_ALL. A compiler must check the axis, not
# only the number of scales.
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


def model(axis):
    constants = {"scale": np.float32(1), "zero": np.uint8(0), "weight": np.ones((2, 2), np.int8),
                 "weight_scale": np.array([1, 10], np.float32), "weight_zero": np.zeros(2, np.int8)}
    nodes = [helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["x_q"]),
             helper.make_node("DequantizeLinear", ["x_q", "scale", "zero"], ["x_d"]),
             helper.make_node("DequantizeLinear", ["weight", "weight_scale", "weight_zero"], ["weight_d"], axis=axis),
             helper.make_node("MatMul", ["x_d", "weight_d"], ["y"])]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 2])],
                              [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()])
    whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(whole, full_check=True)
    return whole.SerializeToString()


def run(axis, level):
    options = ort.SessionOptions()
    options.graph_optimization_level = level
    session = ort.InferenceSession(model(axis), options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": np.ones((1, 2), np.float32)})[0].ravel().tolist()


print("onnxruntime", ort.__version__)
levels = {"unoptimized": ort.GraphOptimizationLevel.ORT_DISABLE_ALL,
          "optimized": ort.GraphOptimizationLevel.ORT_ENABLE_ALL}
weight = {0: [[1, 1], [10, 10]], 1: [[1, 10], [1, 10]]}  # dequantized
expected = {axis: np.sum(rows, axis=0).tolist() for axis, rows in weight.items()}
found = {(axis, name): run(axis, level) for axis in (1, 0) for name, level in levels.items()}
for (axis, name), result in found.items():
    print("axis %d, %s: %s, expected %s" % (axis, name, result, expected[axis]))
wrong = {case: result for case, result in found.items() if result != expected[case[0]]}
raise SystemExit(wrong != {(0, "optimized"): [2, 20]})
PYTHON
