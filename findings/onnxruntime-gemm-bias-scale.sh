#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ONNX Runtime 1.32.0: in a QDQ model, the graph optimizer fuses a Gemm whose int32 bias has its own scale into QGemm
# and ignores that scale. QGemm always reads the bias with the scale "input scale * weight scale". The output is wrong
# and no error is reported. A Conv with the same bias is not fused, and its output is right.
#   Expected (DequantizeLinear and Gemm of the ONNX specification; also the unoptimized session): 30.
#   Optimized: 12, since the bias 200 * 0.1 = 20 becomes 200 * (0.1 * 0.1) = 2.
# Why it matters: ONNX does not tie the bias scale to the other two, so the model is valid. A compiled model that is
# compared with an optimized session seems to be wrong.
# What to do: requantize the bias to "input scale * weight scale", or compare with ORT_DISABLE_ALL. A compiler must
# compare the scales before it fuses.
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


def model(operator, bias_scale):
    """Returns a quantized layer with the weight 100 * 0.1, whose input is 1 and whose bias is 20 in any case."""
    extent = [1, 1] if operator == "Gemm" else [1, 1, 1, 1]
    constants = {"scale": np.float32(0.1), "zero": np.uint8(0), "weight": np.full(extent, 100, np.uint8),
                 "bias": np.array([round(20 / bias_scale)], np.int32), "bias_scale": np.float32(bias_scale),
                 "y_scale": np.float32(0.5)}
    nodes = [helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["x_q"]),
             helper.make_node("DequantizeLinear", ["x_q", "scale", "zero"], ["x_d"]),
             helper.make_node("DequantizeLinear", ["weight", "scale", "zero"], ["weight_d"]),
             helper.make_node("DequantizeLinear", ["bias", "bias_scale"], ["bias_d"]),
             helper.make_node(operator, ["x_d", "weight_d", "bias_d"], ["y_f"]),
             helper.make_node("QuantizeLinear", ["y_f", "y_scale", "zero"], ["y_q"]),
             helper.make_node("DequantizeLinear", ["y_q", "y_scale", "zero"], ["y"])]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, extent)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, extent)],
                              [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()])
    whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.checker.check_model(whole, full_check=True)
    return whole.SerializeToString(), np.ones(extent, np.float32)


def run(operator, bias_scale, level):
    options = ort.SessionOptions()
    options.graph_optimization_level = level
    serialized, x = model(operator, bias_scale)
    return ort.InferenceSession(serialized, options, providers=["CPUExecutionProvider"]).run(None, {"x": x})[0].item()


print("onnxruntime", ort.__version__)
levels = {"unoptimized": ort.GraphOptimizationLevel.ORT_DISABLE_ALL,
          "optimized": ort.GraphOptimizationLevel.ORT_ENABLE_ALL}
found = {(operator, scale, name): run(operator, scale, level) for operator in ("Conv", "Gemm")
         for scale in (0.01, 0.1) for name, level in levels.items()}
for case, result in found.items():
    print("%s, bias scale %s, %s: %g, expected 30" % (*case, result))
expected = {case: 12.0 if case == ("Gemm", 0.1, "optimized") else 30.0 for case in found}
raise SystemExit(found != expected)
PYTHON
