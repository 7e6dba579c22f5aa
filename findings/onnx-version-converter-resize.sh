#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# onnx 1.23.2: version_converter.convert_version() turns Upsample (opset 7 to 9) and Resize (opset 10) into Resize of
# opset 11 or later without the attributes that preserve the result. Until opset 10 the source coordinate is x / scale
# ("asymmetric"). The default since opset 11 is "half_pixel", so every linear resize is shifted.
#   Input [0, 10, 20, 30], scale 2, mode linear; ONNX Runtime 1.32.0 runs both models.
#   Expected: equal outputs [0, 5, 10, 15, 20, 25, 30, 30]. After the conversion: [0, 2.5, 7.5, 12.5, 17.5, 22.5, 27.5,
#   30].
# For mode nearest, scale 2 gives equal outputs and scale 0.25 does not.
# Why it matters: the model stays valid. Masks of segmentation networks move by half a pixel, and detections lose
# accuracy.
# What to do: after the conversion set coordinate_transformation_mode="asymmetric" and, for nearest,
# nearest_mode="floor".
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
from onnx import TensorProto, helper, numpy_helper, version_converter

X = np.array([[[[0, 10, 20, 30]]]], np.float32)


def model(operator, opset, mode, scale):
    scales = numpy_helper.from_array(np.array([1, 1, 1, scale], np.float32), "scales")
    node = helper.make_node(operator, ["x", "scales"], ["y"], mode=mode)
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1, 1, int(4 * scale)])],
                              [scales])
    whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=4)
    onnx.checker.check_model(whole, full_check=True)
    return whole


def run(whole):
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(whole.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": X})[0].ravel().tolist()


print("onnx", onnx.__version__)
holds = True
for operator, opset, mode, scale, is_kept in (
        ("Upsample", 9, "nearest", 2, True), ("Upsample", 9, "linear", 2, False), ("Resize", 10, "nearest", 2, True),
        ("Resize", 10, "nearest", 0.25, False), ("Resize", 10, "linear", 2, False)):
    before = model(operator, opset, mode, scale)
    after = version_converter.convert_version(before, 13)
    onnx.checker.check_model(after, full_check=True)
    old, new = run(before), run(after)
    print("%s-%d %s, scale %g\n  before %s\n  after  %s" % (operator, opset, mode, scale, old, new))
    holds &= (old == new) == is_kept
    resize = [node for node in after.graph.node if node.op_type == "Resize"][0]
    resize.attribute.append(helper.make_attribute("coordinate_transformation_mode", "asymmetric"))
    if mode == "nearest":
        resize.attribute.append(helper.make_attribute("nearest_mode", "floor"))
    holds &= run(after) == old
raise SystemExit(not holds)
PYTHON
