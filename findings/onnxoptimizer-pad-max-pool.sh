#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# onnxoptimizer 0.4.2: the pass fuse_pad_into_pool, one of the default passes, merges a Pad with zeros into the "pads"
# of a MaxPool. MaxPool ignores its own padding ("maximum number of elements exclude pad" in the ONNX specification),
# but the zeros of a Pad are values that exceed negative inputs.
#   MaxPool(Pad([-3, -5], one zero at each end)), kernel 2, stride 1. Expected: [0, -3, 0]. Optimized: [-3, -3, -5].
# Why it matters: after a ReLU the fusion is harmless, so most networks do not show it. After a LeakyReLU or a
# normalization the border of the feature map changes.
# What to do: omit the pass if the input of a MaxPool may be negative, and compare outputs with negative inputs. The
# same condition holds for a compiler that merges Pad and MaxPool.
# Exit code 1 if the behaviour differs.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check onnxoptimizer==0.4.2 onnxruntime==1.32.0 onnx==1.23.2 \
  numpy==2.4.6
"$work/venv/bin/python" - <<'PYTHON'
import importlib.metadata

import numpy as np
import onnx
import onnxoptimizer
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

X = np.array([[[-3, -5]]], np.float32)


def model(operator):
    nodes = [helper.make_node("Pad", ["x", "pads", "zero"], ["padded"], mode="constant"),
             helper.make_node(operator, ["padded"], ["y"], kernel_shape=[2], strides=[1])]
    constants = {"pads": np.array([0, 0, 1, 0, 0, 1], np.int64), "zero": np.float32(0)}
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1, 3])],
                              [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()])
    whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(whole, full_check=True)
    return whole


def run(whole):
    onnx.checker.check_model(whole, full_check=True)
    session = ort.InferenceSession(whole.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": X})[0].ravel().tolist()


print("onnxoptimizer", importlib.metadata.version("onnxoptimizer"))
found = {}
for operator in ("AveragePool", "MaxPool"):
    before = model(operator)
    after = onnxoptimizer.optimize(before)
    found[operator] = run(before), run(after)
    print("%s: expected %s, optimized %s, operators %s" % (
        operator, *found[operator], [node.op_type for node in after.graph.node]))
raise SystemExit(found != {"AveragePool": ([-1.5, -4, -2.5], [-1.5, -4, -2.5]), "MaxPool": ([0, -3, 0], [-3, -3, -5])})
PYTHON
