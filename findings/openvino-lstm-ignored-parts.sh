#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# OpenVINO 2026.4.1: the ONNX frontend converts an LSTM but ignores its peephole weights (input "P") and the attribute
# input_forget=1, without an error or a warning.
#   Expected (LSTM of the ONNX specification; ONNX Runtime 1.32.0): both change the result.
#   OpenVINO: the result of the same LSTM without them.
# Why it matters: a speech model with peepholes compiles, runs and returns plausible but wrong numbers. A correct
# compiler that is checked against OpenVINO seems to be wrong.
# What to do: look for these parts before the conversion, and unroll such an LSTM into MatMul and element-wise
# operators.
# Exit code 1 if the behaviour differs.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check openvino==2026.4.1 onnxruntime==1.32.0 onnx==1.23.2 \
  numpy==2.4.6
"$work/venv/bin/python" - <<'PYTHON'
import numpy as np
import onnx
import onnxruntime as ort
import openvino
from onnx import TensorProto, helper, numpy_helper

X = np.array([[[1]], [[-2]], [[3]]], np.float32)  # three steps


def run(has_peepholes, **attributes):
    """Returns the last hidden state from ONNX Runtime and from OpenVINO."""
    constants = {"w": np.array([0.5, -0.3, 0.8, 0.9], np.float32).reshape(1, 4, 1),
                 "r": np.full((1, 4, 1), 0.25, np.float32)}
    names = ["x", "w", "r"]
    if has_peepholes:
        constants["p"] = np.array([[1, -2, 0.5]], np.float32)
        names += ["", "", "", "", "p"]
    node = helper.make_node("LSTM", names, ["", "y"], hidden_size=1, **attributes)
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1, 1])],
                              [numpy_helper.from_array(array, name) for name, array in constants.items()])
    whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    onnx.checker.check_model(whole, full_check=True)
    session = ort.InferenceSession(whole.SerializeToString(), providers=["CPUExecutionProvider"])
    compiled = openvino.Core().compile_model(openvino.Core().read_model(whole.SerializeToString()), "CPU",
                                             {"INFERENCE_PRECISION_HINT": "f32"})
    return session.run(None, {"x": X})[0].item(), compiled([X])[0].item()


def sigmoid(value):
    return 1 / (1 + np.exp(-value))


def specification(peepholes=(0, 0, 0), input_forget=0):
    hidden = cell = 0
    for x in X.ravel():
        i, o, f, c = np.array([0.5, -0.3, 0.8, 0.9]) * x + 0.25 * hidden
        i, f = sigmoid(i + peepholes[0] * cell), sigmoid(f + peepholes[2] * cell)
        cell = (1 - i if input_forget else f) * cell + i * np.tanh(c)
        hidden = sigmoid(o + peepholes[1] * cell) * np.tanh(cell)
    return hidden


print("openvino", openvino.__version__, "onnxruntime", ort.__version__)
plain = run(False)
print("plain: specification %.4f, ONNX Runtime %.4f, OpenVINO %.4f" % (specification(), *plain))
holds = np.allclose(plain, specification(), atol=1e-4)
for name, right, found in (("peepholes", specification((1, -2, 0.5)), run(True)),
                           ("input_forget", specification(input_forget=1), run(False, input_forget=1))):
    print("%s: specification %.4f, ONNX Runtime %.4f, OpenVINO %.4f" % (name, right, *found))
    holds &= abs(found[1] - plain[1]) < 1e-6 and abs(right - plain[1]) > 0.01
raise SystemExit(not holds)
PYTHON
