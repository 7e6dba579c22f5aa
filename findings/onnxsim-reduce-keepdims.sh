#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# onnxsim 0.8.1: simplify() merges two consecutive Reduce nodes into one with the "keepdims" of the second. If the two
# differ, the output gets another rank.
#   ReduceSum over axis 0 with keepdims=1, then over axis 1 with keepdims=0, of a tensor [2, 3, 4].
#   Expected (Reduce operators of the ONNX specification): shape [1, 4]. Simplified: [4].
# The simplified model still declares the old output shape, so onnx.checker with full_check=True rejects it. ONNX
# Runtime 1.32.0 runs it.
# Why it matters: code after the model indexes or broadcasts another dimension than before. A compiler that trusts the
# declared shape disagrees with one that infers it.
# What to do: check the simplified model with full_check=True and compare output shapes.
# Exit code 1 if the behaviour differs.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check onnxsim==0.8.1 onnxruntime==1.32.0 onnx==1.23.2 \
  numpy==2.4.6
"$work/venv/bin/python" - <<'PYTHON'
import importlib.metadata

import numpy as np
import onnx
import onnxruntime as ort
import onnxsim
from onnx import TensorProto, helper, numpy_helper

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def model(operator, keeps):
    """Returns two Reduce nodes: over axis 0, then over the axis that was axis 1."""
    second = 1 if keeps[0] else 0
    constants = {"first": np.array([0], np.int64), "second": np.array([second], np.int64)}
    nodes = [helper.make_node(operator, ["x", "first"], ["partial"], keepdims=keeps[0]),
             helper.make_node(operator, ["partial", "second"], ["y"], keepdims=keeps[1])]
    extent = [1] * keeps[0] + [1] * keeps[1] + [4]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, extent)],
                              [numpy_helper.from_array(array, name) for name, array in constants.items()])
    whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    onnx.checker.check_model(whole, full_check=True)
    return whole


def shape(whole):
    options = ort.SessionOptions()
    options.log_severity_level = 4
    session = ort.InferenceSession(whole.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return list(session.run(None, {"x": X})[0].shape)


def check(whole):
    try:
        onnx.checker.check_model(whole, full_check=True)
        return "valid"
    except onnx.shape_inference.InferenceError:
        return "rejected by the checker"


print("onnxsim", importlib.metadata.version("onnxsim"))
found = {}
for operator in ("ReduceSum", "ReduceMean"):
    for keeps in ((1, 1), (0, 0), (1, 0), (0, 1)):
        before = model(operator, keeps)
        after = onnxsim.simplify(before)[0]
        found[operator, keeps] = shape(before), shape(after), check(after)
        print("%s, keepdims %d then %d: expected %s, simplified %s, %s" % (operator, *keeps, *found[operator, keeps]))
rejected = "rejected by the checker"
expected = {(1, 1): ([1, 1, 4], [1, 1, 4], "valid"), (0, 0): ([4], [4], "valid"), (1, 0): ([1, 4], [4], rejected),
            (0, 1): ([1, 4], [1, 1, 4], rejected)}
raise SystemExit(any(result != expected[keeps] for (_, keeps), result in found.items()))
PYTHON
