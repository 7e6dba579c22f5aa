#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# OpenVINO 2026.4.1: the ONNX frontend accepts Resize with antialias=1, exclude_outside=1 or keep_aspect_ratio_policy
# "not_larger", and ignores these attributes without an error or a warning.
#   Expected (Resize of the ONNX specification; ONNX Runtime 1.32.0 and the reference evaluator of onnx 1.23.2): all
#   three change the output, and keep_aspect_ratio_policy changes its shape.
#   OpenVINO: the same output as without the attribute.
# Why it matters: antialias=1 moves image preprocessing into the model. Without it the network receives other pixels.
# The wrong output shape of the last case causes errors in later operators.
# What to do: look for these attributes before the conversion and resize outside the model.
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
from onnx.reference import ReferenceEvaluator

X = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4) ** 2


def run(sizes, **attributes):
    """Returns the outputs of ONNX Runtime, the reference evaluator and OpenVINO."""
    node = helper.make_node("Resize", ["x", "", "", "sizes"], ["y"], axes=[2, 3], **attributes)
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1, None, None])],
                              [numpy_helper.from_array(np.array(sizes, np.int64), "sizes")])
    whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    onnx.checker.check_model(whole, full_check=True)
    session = ort.InferenceSession(whole.SerializeToString(), providers=["CPUExecutionProvider"])
    compiled = openvino.Core().compile_model(openvino.Core().read_model(whole.SerializeToString()), "CPU",
                                             {"INFERENCE_PRECISION_HINT": "f32"})
    return session.run(None, {"x": X})[0], ReferenceEvaluator(whole).run(None, {"x": X})[0], compiled([X])[0]


def equal(one, other):
    return one.shape == other.shape and np.allclose(one, other, atol=1e-3)


print("openvino", openvino.__version__, "onnxruntime", ort.__version__, "onnx", onnx.__version__)
holds = True
for sizes, mode, attributes in (([2, 2], "linear", {"antialias": 1}), ([2, 2], "cubic", {"antialias": 1}),
                                ([2, 2], "cubic", {"exclude_outside": 1}),
                                ([2, 8], "nearest", {"keep_aspect_ratio_policy": "not_larger"})):
    plain, found = run(sizes, mode=mode), run(sizes, mode=mode, **attributes)
    print("sizes %s, mode %s, %s" % (sizes, mode, attributes))
    for name, result in zip(("ONNX Runtime", "reference evaluator", "OpenVINO"), found):
        print("  %s: shape %s, first values %s" % (name, list(result.shape), np.round(result.ravel()[:4], 2)))
    holds &= equal(plain[0], plain[1]) and equal(plain[0], plain[2])
    holds &= equal(found[0], found[1]) and not equal(found[0], plain[0]) and equal(found[2], plain[2])
raise SystemExit(not holds)
PYTHON
