#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# onnx 1.23.2: the reference evaluator silently ignores the input "sequence_lens" and the attributes "clip" and
# "activations" of LSTM, and "sequence_lens" and "clip" of GRU and RNN. It computes all steps of every sequence, with
# the default activations.
#   Expected (LSTM, GRU and RNN of the ONNX specification; ONNX Runtime 1.32.0): each of these changes the output.
#   Reference evaluator: the output equals that of the plain operator.
# Why it matters: variable lengths are the reason to use the operator rather than unrolled steps. A compiler that
# ignores them too passes every comparison with the evaluator.
# What to do: compare recurrent operators with a second implementation. Check in each test that the option changes the
# result.
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
from onnx.reference import ReferenceEvaluator

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
X = np.array([[[1], [1]], [[2], [2]], [[3], [3]]], np.float32)  # three steps, two sequences


def run(operator, lengths=None, **attributes):
    """Returns the last hidden states of both sequences: reference evaluator, ONNX Runtime."""
    extent = (1, GATES[operator], 1)
    constants = {"w": np.full(extent, 0.5, np.float32), "r": np.full(extent, 0.25, np.float32)}
    if lengths:
        constants["lengths"] = np.array(lengths, np.int32)
    node = helper.make_node(operator, ["x", "w", "r"] + (["", "lengths"] if lengths else []), ["", "y"], hidden_size=1,
                            **attributes)
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 2, 1])],
                              [numpy_helper.from_array(array, name) for name, array in constants.items()])
    whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    onnx.checker.check_model(whole, full_check=True)
    session = ort.InferenceSession(whole.SerializeToString(), providers=["CPUExecutionProvider"])
    return [result.ravel().astype(float).round(4).tolist() for result in
            (ReferenceEvaluator(whole).run(None, {"x": X})[0], session.run(None, {"x": X})[0])]


print("onnx", onnx.__version__, "onnxruntime", ort.__version__)
holds = True
for operator in GATES:
    plain = run(operator)
    print("%s, plain: reference evaluator %s, ONNX Runtime %s" % (operator, *plain))
    holds &= np.allclose(*plain, atol=1e-3)
    cases = {"sequence_lens [1, 3]": {"lengths": [1, 3]}, "clip 0.1": {"clip": 0.1}}
    if operator == "LSTM":
        cases["activations Sigmoid, Relu, Tanh"] = {"activations": ["Sigmoid", "Relu", "Tanh"]}
    for name, options in cases.items():
        reference, runtime = run(operator, **options)
        print("  %s: reference evaluator %s, ONNX Runtime %s" % (name, reference, runtime))
        holds &= reference == plain[0] and not np.allclose(runtime, plain[1], atol=1e-3)
raise SystemExit(not holds)
PYTHON
