#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Resize with a scale such as 0.7: onnx 1.23.2 (shape inference and reference evaluator) and the runtimes ONNX Runtime
# 1.32.0 and OpenVINO 2026.4.1 compute different output sizes.
#   Resize of the ONNX specification: output size = floor(input size * scale). The float nearest to 0.7 is 0.699999988,
#   so 10 * scale = 6.99999988 and the size is 6, which onnx returns. The runtimes multiply in float, get 7.0 and return
#   7.
#   49 with the float nearest to 1/49: onnx returns size 0, the runtimes return size 1.
# Why it matters: a model with inferred shapes declares a shape that the runtimes contradict. The result of a compiler
# that follows the inferred shape has one row less than the result it is compared with.
# What to do: give "sizes" instead of "scales", or choose scales above the quotient, such as 0.70001.
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


def sizes(length, scale):
    """Returns the output sizes of shape inference, reference evaluator, ONNX Runtime and OpenVINO."""
    x = np.zeros((1, 1, length), np.float32)
    node = helper.make_node("Resize", ["x", "", "scales"], ["y"], mode="nearest")
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1, None])],
                              [numpy_helper.from_array(np.array([1, 1, scale], np.float32), "scales")])
    whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    onnx.checker.check_model(whole, full_check=True)
    inferred = onnx.shape_inference.infer_shapes(whole).graph.output[0].type.tensor_type.shape.dim[2].dim_value
    options = ort.SessionOptions()
    options.log_severity_level = 4
    session = ort.InferenceSession(whole.SerializeToString(), options, providers=["CPUExecutionProvider"])
    compiled = openvino.Core().compile_model(openvino.Core().read_model(whole.SerializeToString()), "CPU")
    return [inferred] + [result.shape[2] for result in (ReferenceEvaluator(whole).run(None, {"x": x})[0],
                                                        session.run(None, {"x": x})[0], compiled([x])[0])]


print("onnx", onnx.__version__, "onnxruntime", ort.__version__, "openvino", openvino.__version__)
expected = {(10, 0.5): (5, 5), (10, 0.7): (6, 7), (100, 0.29): (28, 29), (49, 1 / 49): (0, 1)}
holds = True
for (length, scale), (exact, rounded) in expected.items():
    found = sizes(length, scale)
    product = length * float(np.float32(scale))
    print("size %d, scale %.9f, exact product %.8f: shape inference %d, reference evaluator %d, ONNX Runtime %d, "
          "OpenVINO %d" % (length, np.float32(scale), product, *found))
    holds &= found == [exact, exact, rounded, rounded]
raise SystemExit(not holds)
PYTHON
