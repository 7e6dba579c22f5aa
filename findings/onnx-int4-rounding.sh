#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# onnx 1.23.2 and ONNX Runtime 1.32.0: Cast from float to INT4 or UINT4 follows three different rules. ONNX's page "4
# bit integer types" prescribes rounding to the nearest with ties to even. The reference evaluator and
# helper.make_tensor() cut off the fraction. ONNX Runtime rounds ties away from zero.
#   0.75, 1.5, 2.5, -0.75, -1.5: expected [1, 2, 2, -1, -2].
#   Reference evaluator and make_tensor(): [0, 1, 2, 0, -1]. ONNX Runtime: [1, 2, 3, -1, -2].
# make_tensor() also wraps values out of range (8 becomes -8), while the same mistake raises an error for INT8.
# Why it matters: weights quantized with make_tensor(..., INT4, ..., weights / scale) have up to twice the error and a
# bias towards 0. Constant folding by the evaluator disagrees with the runtime.
# What to do: round and clip before make_tensor(). In graphs use QuantizeLinear, which is right in both, rather than
# Cast.
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
from onnx.reference import ReferenceEvaluator

VALUES = [0.75, 1.5, 2.5, -0.75, -1.5]


def run(operator):
    """Returns VALUES as INT4, from the reference evaluator and from ONNX Runtime."""
    scale = [numpy_helper.from_array(np.array(1, np.float32), "one")]
    if operator == "Cast":
        first = helper.make_node("Cast", ["x"], ["narrow"], to=TensorProto.INT4)
    else:
        first = helper.make_node("QuantizeLinear", ["x", "one"], ["narrow"], output_dtype=TensorProto.INT4)
    nodes = [first, helper.make_node("DequantizeLinear", ["narrow", "one"], ["y"])]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [5])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [5])], scale)
    whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.checker.check_model(whole, full_check=True)
    x = {"x": np.array(VALUES, np.float32)}
    session = ort.InferenceSession(whole.SerializeToString(), providers=["CPUExecutionProvider"])
    return [result.astype(int).tolist() for result in
            (ReferenceEvaluator(whole).run(None, x)[0], session.run(None, x)[0])]


def make_tensor(data_type, values):
    return numpy_helper.to_array(helper.make_tensor("t", data_type, [len(values)], values)).astype(int).tolist()


print("onnx", onnx.__version__, "onnxruntime", ort.__version__)
away = [1, 2, 3, -1, -2]
right, cut = np.rint(VALUES).astype(int).tolist(), np.trunc(VALUES).astype(int).tolist()
print("values %s, expected %s" % (VALUES, right))
found = {"Cast": run("Cast"), "QuantizeLinear": run("QuantizeLinear")}
for operator, results in found.items():
    print("%s: reference evaluator %s, ONNX Runtime %s" % (operator, *results))
print("make_tensor: %s" % make_tensor(TensorProto.INT4, VALUES))
try:
    out_of_range = make_tensor(TensorProto.INT8, [128])
except OverflowError as error:
    out_of_range = "OverflowError"
print("make_tensor, out of range: INT4 8 -> %s, INT8 128 -> %s" % (make_tensor(TensorProto.INT4, [8]), out_of_range))
raise SystemExit(found != {"Cast": [cut, away], "QuantizeLinear": [right, right]} or out_of_range != "OverflowError"
                 or make_tensor(TensorProto.INT4, VALUES) != cut or make_tensor(TensorProto.INT4, [8]) != [-8])
PYTHON
