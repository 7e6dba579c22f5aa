#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ONNX Runtime 1.31.1 on x86-64: with session.x64quantprecision=1, a QDQ model in which two int8 weights share a
# zero-point initializer fails to load, but only if the weights have values beyond 64. Several converters share such
# initializers.
#   With shared zero points: "Attempt to replace the existing tensor".
# With separate zero points, or without the option: the model loads.
# Exit code 1 if the behaviour differs.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check onnxruntime==1.31.1 onnx==1.22.0 numpy
"$work/venv/bin/python" - <<'PYTHON'
import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper


def model(shared, largest):
    """Returns two 1x1 convolutions with int8 weights, which share a zero point if `shared`."""
    constants = {"scale": np.float32(0.02), "zero": np.uint8(128), "w_zero": np.int8(0), "w_zero2": np.int8(0)}
    nodes, value = [], "x"
    for layer in ("a", "b"):
        constants[layer] = np.array([[largest, -20], [largest, 30]], np.int8).reshape(2, 2, 1, 1)
        zero = "w_zero" if shared or layer == "a" else "w_zero2"
        nodes += [helper.make_node("QuantizeLinear", [value, "scale", "zero"], [layer + "_q"]),
                  helper.make_node("DequantizeLinear", [layer + "_q", "scale", "zero"], [layer + "_d"]),
                  helper.make_node("DequantizeLinear", [layer, "scale", zero], [layer + "_w"]),
                  helper.make_node("Conv", [layer + "_d", layer + "_w"], [layer + "_y"])]
        value = layer + "_y"
    nodes += [helper.make_node("QuantizeLinear", [value, "scale", "zero"], ["y_q"]),
              helper.make_node("DequantizeLinear", ["y_q", "scale", "zero"], ["y"])]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2, 4, 4])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 2, 4, 4])],
                              [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()])
    whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(whole)
    return whole.SerializeToString()


def load(shared, largest, precise):
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.add_session_config_entry("session.x64quantprecision", "1" if precise else "0")
    try:
        ort.InferenceSession(model(shared, largest), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        return "Attempt to replace the existing tensor" if "Attempt to replace" in str(error) else str(error)
    return "loads"


found = {(shared, largest, precise): load(shared, largest, precise)
         for shared in (False, True) for largest in (50, 100) for precise in (False, True)}
for case, result in found.items():
    print("shared zero point: %s, largest weight: %d, precise: %s: %s" % (*case, result))
expected = {case: "Attempt to replace the existing tensor" if case == (True, 100, True) else "loads" for case in found}
raise SystemExit(found != expected)
PYTHON
