#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tf2onnx 1.17.0: a floor division of integers (a // b, tf.math.floordiv) becomes Div, which rounds towards 0 for
# integers. A floor modulo (a % b, tf.math.floormod) is built on the same Div. Both are wrong if the operands have
# different signs and the division leaves a remainder. Floats are right.
#   Expected (floordiv and floormod of TensorFlow 2.21.0): -5 // 3 = -2 and -5 % 3 = 1.
#   Converted model in ONNX Runtime 1.32.0: -1 and -2.
# Why it matters: index arithmetic such as relative positions and anchor grids uses negative numbers. The result is then
# an index outside the table, or a different valid index.
# What to do: use tf.math.floor on floats, or add a multiple of the divisor that makes all operands positive. A compiler
# must round the integer Div of ONNX towards 0, whatever the original framework does.
# Exit code 1 if the behaviour differs.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check tf2onnx==1.17.0 tensorflow==2.21.0 \
  onnxruntime==1.32.0 onnx==1.23.2 numpy==2.4.6
TF_CPP_MIN_LOG_LEVEL=3 "$work/venv/bin/python" - <<'PYTHON'
import importlib.metadata

import numpy as np
import onnx
import onnxruntime as ort
import tensorflow as tf
import tf2onnx

A, B = [5, -5, 5, -5, -6], [3, 3, -3, -3, 3]


def run(function, data_type):
    """Returns the results of TensorFlow and of the converted model."""
    arrays = [np.array(values, data_type) for values in (A, B)]
    signature = [tf.TensorSpec(array.shape, array.dtype, name=name) for name, array in zip("ab", arrays)]
    traced = tf.function(function, input_signature=signature)
    model, _ = tf2onnx.convert.from_function(traced, input_signature=signature, opset=18)
    onnx.checker.check_model(model, full_check=True)
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return traced(*arrays).numpy().tolist(), session.run(None, dict(zip("ab", arrays)))[0].tolist()


print("tf2onnx", importlib.metadata.version("tf2onnx"), "tensorflow", tf.__version__, "onnxruntime", ort.__version__)
print("a %s, b %s" % (A, B))
wrong = {"floordiv": [1, -1, -1, 1, -2], "floormod": [2, -2, 2, -2, 0]}
holds = True
for name, function in (("floordiv", tf.math.floordiv), ("floormod", tf.math.floormod)):
    for data_type in (np.float32, np.int32):
        expected, found = run(function, data_type)
        print("%s of %s: TensorFlow %s, converted %s" % (name, data_type.__name__, expected, found))
        holds &= found == (wrong[name] if data_type == np.int32 else expected)
        holds &= expected == [x // y if name == "floordiv" else x % y for x, y in zip(A, B)]
raise SystemExit(not holds)
PYTHON
