#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ONNX Runtime 1.32.0: quantize_static() removes a Clip whose minimum is above 0. It relies on the saturation of the
# following QuantizeLinear, but the quantized range always includes 0, so values below the minimum pass. The same holds
# for a maximum below 0.
#   Expected (Clip of the ONNX specification): Clip(x, 2, 4) of [0, 1, 3, 5] is [2, 2, 3, 4].
#   Quantized model: [0, 1, 3, 4].
# Why it matters: such a Clip often protects a division or a logarithm. After quantization the protection is gone, and
# the graph shows no trace of it.
# What to do: pass extra_options={"QDQKeepRemovableActivations": True}, or write the Clip as Max and Min. A compiler may
# drop a Clip before QuantizeLinear only if both bounds equal the bounds of the quantized range.
# Exit code 1 if the behaviour differs.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check onnxruntime==1.32.0 onnx==1.23.2 numpy==2.4.6
cd "$work"
"$work/venv/bin/python" - <<'PYTHON'
import logging

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from onnxruntime import quantization

logging.disable(logging.WARNING)


class Samples(quantization.CalibrationDataReader):
    def __init__(self, x):
        self.samples = iter([{"x": x}])

    def get_next(self):
        return next(self.samples, None)


def run(path, x):
    return ort.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, {"x": x})[0]


def quantize(low, high, x, **options):
    """Quantizes Clip(x * 1, low, high). Returns the output and whether the Clip is kept."""
    constants = {"one": np.float32(1), "low": np.float32(low), "high": np.float32(high)}
    nodes = [helper.make_node("Mul", ["x", "one"], ["product"]),
             helper.make_node("Clip", ["product", "low", "high"], ["y"])]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [4])],
                              [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()])
    whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.checker.check_model(whole, full_check=True)
    onnx.save(whole, "float.onnx")
    assert np.array_equal(run("float.onnx", x), np.clip(x, low, high))
    quantization.quantize_static("float.onnx", "quantized.onnx", Samples(x), extra_options=options)
    return run("quantized.onnx", x), "Clip" in [node.op_type for node in onnx.load("quantized.onnx").graph.node]


print("onnxruntime", ort.__version__)
differs = False
for low, high, values, result in ((0, 4, [0, 1, 3, 5], [0, 1, 3, 4]), (2, 4, [0, 1, 3, 5], [0, 1, 3, 4]),
                                  (-4, -2, [0, -1, -3, -5], [0, -1, -3, -4])):
    x = np.array(values, np.float32)
    right = np.clip(x, low, high)
    found, is_kept = quantize(low, high, x)
    print("Clip(%s, %d, %d): expected %s, quantized %s, Clip %s" % (
        values, low, high, right.tolist(), np.round(found, 2).tolist(), "kept" if is_kept else "removed"))
    differs |= not np.allclose(found, result, atol=0.05) or is_kept
    found, is_kept = quantize(low, high, x, QDQKeepRemovableActivations=True)
    differs |= not np.allclose(found, right, atol=0.05) or not is_kept
raise SystemExit(differs)
PYTHON
