#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# OpenVINO 2026.4.1 on x86-64 (QuantizeLinear, QLinearMatMul, QLinearConv) and the reference evaluator of onnx 1.23.2
# (QLinearMatMul, QLinearConv) add the zero point before they round to even. With an odd zero point every tie is rounded
# in the wrong direction.
#   QuantizeLinear and QLinearMatMul of the ONNX specification: "saturate((x / y_scale) + y_zero_point). For (x /
#   y_scale), it rounds to the nearest even". For 0.5, 1.5, 2.5 and 3.5 and zero point 1: [0, 2, 2, 4] plus 1 is [1, 3,
#   3, 5].
#   Found: [2, 2, 4, 4]. With zero point 2: [2, 4, 4, 6], which is right.
# ONNX Runtime 1.32.0 is right in all cases, and so is QuantizeLinear of the evaluator.
# Why it matters: scales that are powers of two produce many ties. A check for equal bits fails, and the reference
# rather than the compiler is wrong.
# What to do: use even zero points to test equality of bits, and round before the zero point is added.
# Exit code 1 if the behaviour differs.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check onnxruntime==1.32.0 onnx==1.23.2 openvino==2026.4.1 \
  numpy==2.4.6
"$work/venv/bin/python" - <<'PYTHON'
import numpy as np
import onnx
import onnxruntime as ort
import openvino
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator


def run(operator, zero_point):
    """Returns the outputs of ONNX Runtime, the reference evaluator and OpenVINO for the quotients 0.5 ... 3.5."""
    constants = {"one": np.float32(1), "zero": np.uint8(0), "two": np.float32(2), "y_zero": np.uint8(zero_point)}
    if operator == "QuantizeLinear":
        x, names = np.array([[1], [3], [5], [7]], np.float32), ["x", "two", "y_zero"]
    else:
        x, names = np.array([[1], [3], [5], [7]], np.uint8), ["x", "one", "zero", "w", "one", "zero", "two", "y_zero"]
        constants["w"] = np.ones((1, 1), np.uint8)
        if operator == "QLinearConv":
            x, constants["w"] = x.reshape(4, 1, 1), constants["w"].reshape(1, 1, 1)
    graph = helper.make_graph([helper.make_node(operator, names, ["y"])], "g",
                              [helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)],
                              [helper.make_tensor_value_info("y", TensorProto.UINT8, x.shape)],
                              [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()
                               if name in names])
    whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(whole, full_check=True)
    session = ort.InferenceSession(whole.SerializeToString(), providers=["CPUExecutionProvider"])
    compiled = openvino.Core().compile_model(openvino.Core().read_model(whole.SerializeToString()), "CPU",
                                             {"INFERENCE_PRECISION_HINT": "f32"})
    results = session.run(None, {"x": x})[0], ReferenceEvaluator(whole).run(None, {"x": x})[0], compiled([x])[0]
    return [result.ravel().tolist() for result in results]


print("onnxruntime", ort.__version__, "onnx", onnx.__version__, "openvino", openvino.__version__)
holds = True
for operator in ("QuantizeLinear", "QLinearMatMul", "QLinearConv"):
    for zero_point in (2, 1):
        found = run(operator, zero_point)
        right = [zero_point + value for value in (0, 2, 2, 4)]
        print("%s, zero point %d: expected %s" % (operator, zero_point, right))
        for name, result in zip(("ONNX Runtime", "reference evaluator", "OpenVINO"), found):
            print("  %s: %s" % (name, result))
        wrong = right if zero_point == 2 else [2, 2, 4, 4]
        holds &= found == [right, right if operator == "QuantizeLinear" else wrong, wrong]
raise SystemExit(not holds)
PYTHON
