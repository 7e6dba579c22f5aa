#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# onnx 1.23.2: shape inference adds output_padding to the output size of a ConvTranspose with auto_pad SAME_UPPER or
# SAME_LOWER. The reference evaluator of the same package, ONNX Runtime 1.32.0 and OpenVINO 2026.4.1 do not.
#   ConvTranspose of the ONNX specification: SAME_UPPER and SAME_LOWER pad "so that output_shape[i] = input_shape[i] *
#   strides[i]". Input size 3, stride 2, output_padding 1: expected 6, inferred 7.
# onnx.checker with full_check=True therefore rejects a model that declares the right size 6 and accepts one that
# declares 7, which no implementation returns.
# Why it matters: buffers and following layers have the wrong size in every tool that trusts the inferred shape, and
# the checker rejects the right model.
# What to do: write explicit pads and output_padding instead of auto_pad.
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

X = np.ones((1, 1, 3), np.float32)


def model(size, auto_pad, output_padding):
    weight = numpy_helper.from_array(np.ones((1, 1, 3), np.float32), "w")
    node = helper.make_node("ConvTranspose", ["x", "w"], ["y"], strides=[2], auto_pad=auto_pad,
                            output_padding=[output_padding])
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1, size])], [weight])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)], ir_version=8)


def is_accepted(whole):
    try:
        onnx.checker.check_model(whole, full_check=True)
        return True
    except onnx.shape_inference.InferenceError:
        return False


def sizes(*attributes):
    """Returns the output sizes of shape inference, reference evaluator, ONNX Runtime and OpenVINO."""
    whole = model(None, *attributes)
    onnx.checker.check_model(whole, full_check=True)
    inferred = onnx.shape_inference.infer_shapes(whole).graph.output[0].type.tensor_type.shape.dim[2].dim_value
    options = ort.SessionOptions()
    options.log_severity_level = 4
    session = ort.InferenceSession(whole.SerializeToString(), options, providers=["CPUExecutionProvider"])
    compiled = openvino.Core().compile_model(openvino.Core().read_model(whole.SerializeToString()), "CPU")
    return [inferred] + [result.shape[2] for result in (ReferenceEvaluator(whole).run(None, {"x": X})[0],
                                                        session.run(None, {"x": X})[0], compiled([X])[0])]


print("onnx", onnx.__version__, "onnxruntime", ort.__version__, "openvino", openvino.__version__)
holds = True
for auto_pad in ("SAME_UPPER", "SAME_LOWER"):
    for output_padding in (0, 1):
        found = sizes(auto_pad, output_padding)
        accepted = [size for size in (6, 7) if is_accepted(model(size, auto_pad, output_padding))]
        print("%s, output_padding %d: expected 6; shape inference %d, reference evaluator %d, ONNX Runtime %d, "
              "OpenVINO %d; the checker accepts %s" % (auto_pad, output_padding, *found, accepted))
        holds &= found == [6 + output_padding, 6, 6, 6] and accepted == [6 + output_padding]
raise SystemExit(not holds)
PYTHON
