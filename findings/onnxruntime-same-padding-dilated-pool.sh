#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ONNX Runtime 1.32.0: MaxPool, AveragePool and LpPool with auto_pad SAME_UPPER or SAME_LOWER compute the padding
# without the dilations. The output is smaller than ONNX's own shape inference says: the windows at the border are
# missing. Conv with the same attributes is refused instead: "Dilation not supported for AutoPadType::SAME_UPPER".
#   MaxPool of the ONNX specification: the output size is ceil(input / stride), and the padding follows from (kernel -
#   1) * dilation + 1. Input [1 ... 7], kernel 3, dilation 2: expected [3, 4, 5, 6, 7, 6, 7].
#   ONNX Runtime: [4, 5, 6, 7, 6], the padding of an undilated kernel.
# Why it matters: a compiler that follows shape inference disagrees with the runtime it is compared with. The difference
# shows as a shape error in a later operator, or only as wrong numbers if a global pool follows.
# What to do: replace auto_pad by explicit pads, which are unambiguous.
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

REFUSED = "Dilation not supported for AutoPadType"


def run(operator, **attributes):
    """Returns the inferred output size and the output for the input [1 ... 7], kernel size 3 and dilation 2."""
    weight = [numpy_helper.from_array(np.ones((1, 1, 3), np.float32), "w")] if operator == "Conv" else []
    node = helper.make_node(operator, ["x"] + [tensor.name for tensor in weight], ["y"], kernel_shape=[3],
                            dilations=[2], **attributes)
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, 7])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1, None])], weight)
    whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)
    onnx.checker.check_model(whole, full_check=True)
    inferred = onnx.shape_inference.infer_shapes(whole).graph.output[0].type.tensor_type.shape.dim[2].dim_value
    options = ort.SessionOptions()
    options.log_severity_level = 4
    session = ort.InferenceSession(whole.SerializeToString(), options, providers=["CPUExecutionProvider"])
    try:
        x = np.arange(1, 8, dtype=np.float32).reshape(1, 1, 7)
        return inferred, session.run(None, {"x": x})[0].ravel().tolist()
    except Exception as error:
        return inferred, REFUSED if REFUSED in str(error) else str(error)


print("onnxruntime", ort.__version__)
explicit, automatic = {"pads": [2, 2]}, {"auto_pad": "SAME_UPPER"}
found = {(operator, str(kind)): run(operator, **kind) for operator in ("Conv", "MaxPool", "AveragePool", "LpPool")
         for kind in (explicit, automatic)}
for (operator, kind), (inferred, values) in found.items():
    shown = values if isinstance(values, str) else np.round(values, 2)
    print("%s with %s: inferred size %d, output: %s" % (operator, kind, inferred, shown))
holds = found["MaxPool", str(explicit)][1] == [3, 4, 5, 6, 7, 6, 7] and found["Conv", str(automatic)] == (7, REFUSED)
for operator in ("MaxPool", "AveragePool", "LpPool"):
    inferred, values = found[operator, str(automatic)]
    # The output equals the middle of the right one.
    holds &= inferred == 7 and len(values) == 5 and values == found[operator, str(explicit)][1][1:-1]
raise SystemExit(not holds)
PYTHON
