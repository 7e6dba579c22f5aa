#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# OpenVINO 2026.4.1: MaxPool with ceil_mode=1 returns an extra element if the last window would start in the padding at
# the end. The element is -3.4028235e+38, the lowest float.
#   MaxPool of the ONNX specification: "Sliding windows that would start in the right padded region are ignored".
#   [1 ... 6], kernel 3, stride 3, one padding element at the end: expected [3, 6]. OpenVINO: [3, 6, -3.4028235e+38].
# ONNX Runtime 1.32.0, the reference evaluator and the shape inference of onnx 1.23.2 agree on [3, 6].
# Why it matters: the extra element invalidates a following average or quantization range, and the shape differs from
# the one that other tools infer.
# What to do: choose pads so that (input + pads - kernel) is a multiple of the stride, and set ceil_mode=0.
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
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator


def run(length, kernel, stride, pads):
    """Returns the inferred size and the outputs of ONNX Runtime, the reference evaluator and OpenVINO."""
    x = np.arange(1, length + 1, dtype=np.float32).reshape(1, 1, length)
    node = helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[kernel], strides=[stride], pads=pads, ceil_mode=1)
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1, None])])
    whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)
    onnx.checker.check_model(whole, full_check=True)
    inferred = onnx.shape_inference.infer_shapes(whole).graph.output[0].type.tensor_type.shape.dim[2].dim_value
    session = ort.InferenceSession(whole.SerializeToString(), providers=["CPUExecutionProvider"])
    compiled = openvino.Core().compile_model(openvino.Core().read_model(whole.SerializeToString()), "CPU",
                                             {"INFERENCE_PRECISION_HINT": "f32"})
    results = session.run(None, {"x": x})[0], ReferenceEvaluator(whole).run(None, {"x": x})[0], compiled([x])[0]
    return inferred, [result.ravel().tolist() for result in results]


print("openvino", openvino.__version__, "onnxruntime", ort.__version__, "onnx", onnx.__version__)
lowest = np.finfo(np.float32).min.item()
holds = True
for case, right, extra in (((7, 3, 3, [0, 0]), [3, 6, 7], []), ((6, 3, 3, [0, 1]), [3, 6], [lowest]),
                           ((4, 2, 2, [0, 1]), [2, 4], [lowest])):
    inferred, found = run(*case)
    print("[1 ... %d], kernel %d, stride %d, pads %s: expected %s, inferred size %d" % (*case, right, inferred))
    for name, result in zip(("ONNX Runtime", "reference evaluator", "OpenVINO"), found):
        print("  %s: %s" % (name, result))
    holds &= inferred == len(right) and found == [right, right, right + extra]
raise SystemExit(not holds)
PYTHON
