#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# onnxscript 0.7.2: optimizer.optimize() merges consecutive Clip and Relu nodes into one Clip with the largest minimum
# and the smallest maximum. That is wrong if the ranges do not overlap: the bounds of the later node must prevail, but a
# Clip whose minimum exceeds its maximum returns its maximum.
#   Relu(Clip(x, -2, -1)): expected 0 for every x. Optimized: -1, which no Relu can return.
#   Clip(Clip(x, 0, 1), 2, 3): expected 2. Optimized: 1.
# The expected values follow from Clip and Relu in the ONNX specification. ONNX Runtime 1.32.0 runs both models.
# Why it matters: the optimizer is a usual last step after an export. A negative value after a Relu breaks unsigned
# quantization and square roots.
# What to do: compare outputs before and after the optimization with values outside all ranges. A compiler that merges
# clamps must clamp the bounds of the first by those of the second.
# Exit code 1 if the behaviour differs.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check onnxscript==0.7.2 onnx-ir==1.1.0 onnxruntime==1.32.0 \
  onnx==1.23.2 numpy==2.4.6
"$work/venv/bin/python" - <<'PYTHON'
import importlib.metadata

import numpy as np
import onnx
import onnx_ir
import onnxruntime as ort
import onnxscript.optimizer
from onnx import TensorProto, helper, numpy_helper

X = np.array([-5, 0, 1.5, 5], np.float32)


def model(*chain):
    """Returns a chain of Clip(minimum, maximum) and Relu (None)."""
    constants, nodes, value = {}, [], "x"
    for index, bounds in enumerate(chain):
        output = "y" if index + 1 == len(chain) else "t%d" % index
        names = ["low%d" % index, "high%d" % index] if bounds else []
        constants.update(zip(names, bounds or []))
        nodes.append(helper.make_node("Clip" if bounds else "Relu", [value] + names, [output]))
        value = output
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, X.shape)],
                              [numpy_helper.from_array(np.array(array, np.float32), name)
                               for name, array in constants.items()])
    whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    onnx.checker.check_model(whole, full_check=True)
    return whole


def run(whole):
    onnx.checker.check_model(whole, full_check=True)
    session = ort.InferenceSession(whole.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": X})[0].tolist()


print("onnxscript", importlib.metadata.version("onnxscript"))
holds = True
for chain, right, wrong in ((((-2, 2), None), [0, 0, 1.5, 2], None), (((-2, -1), None), [0] * 4, [-1] * 4),
                            (((0, 4), (1, 6)), [1, 1, 1.5, 4], None), (((0, 1), (2, 3)), [2] * 4, [1] * 4)):
    before = model(*chain)
    after = onnx_ir.to_proto(onnxscript.optimizer.optimize(onnx_ir.from_proto(before)))
    name = " then ".join("Clip%s" % (bounds,) if bounds else "Relu" for bounds in chain)
    print("%s: expected %s, original %s, optimized %s" % (name, right, run(before), run(after)))
    holds &= run(before) == right and run(after) == (wrong or right)
raise SystemExit(not holds)
PYTHON
