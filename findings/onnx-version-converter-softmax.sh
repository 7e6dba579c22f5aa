#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# onnx 1.23.2: version_converter.convert_version() changes the results of Hardmax on the way up, and of Softmax and
# LogSoftmax on the way down. Until opset 12 these operators flatten the input to a matrix at "axis"; since opset 13
# they work along one axis. The converter rewrites Softmax and LogSoftmax from 12 to 13, but not Hardmax, and none
# downwards.
#   Hardmax of ones with the shape [1, 2, 2], axis 1. Opset 12: one 1 per matrix row, so [1, 0, 0, 0].
#   Expected after the conversion to 13: the same. Found: [1, 1, 0, 0].
#   Softmax of zeros, opset 13, axis 1: 0.5 each. Expected after the conversion to 12: the same. Found: 0.25 each.
# Why it matters: both models are valid, and no error or warning is given. Downward conversion is a usual step before
# vendor compilers that accept old opsets only.
# What to do: convert only operators on the last axis, where both definitions agree, or transpose first. Compare the
# outputs before and after each conversion.
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
from onnx import TensorProto, helper, version_converter

X = np.ones((1, 2, 2), np.float32)


def run(whole):
    onnx.checker.check_model(whole, full_check=True)
    session = ort.InferenceSession(whole.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": X})[0].ravel().astype(float).round(4).tolist()


def convert(operator, axis, opset, target):
    """Returns the outputs before and after the conversion."""
    node = helper.make_node(operator, ["x"], ["y"], axis=axis)
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, X.shape)])
    whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=7)
    return run(whole), run(version_converter.convert_version(whole, target))


print("onnx", onnx.__version__)
holds = True
for operator, opset, target, is_kept in (
        ("Softmax", 12, 13, True), ("LogSoftmax", 12, 13, True), ("Hardmax", 12, 13, False),
        ("Softmax", 13, 12, False), ("LogSoftmax", 13, 12, False)):
    for axis in (1, 2):
        before, after = convert(operator, axis, opset, target)
        print("%s, axis %d, opset %d to %d: %s -> %s" % (operator, axis, opset, target, before, after))
        holds &= (before == after) == (is_kept or axis == 2)
raise SystemExit(not holds)
PYTHON
