#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tf2onnx 1.17.0: tf.scatter_nd and tf.one_hot are mapped to ScatterND and OneHot of ONNX although the corner cases of
# their indices differ.
#   tf.scatter_nd adds the updates of equal indices. The converted ScatterND has no reduction, so one update wins.
#   Expected (TensorFlow 2.21.0): indices [1, 1], updates [1, 2]: [0, 3, 0, 0]. Converted, ONNX Runtime 1.32.0: [0, 2,
#   0, 0].
#   tf.one_hot returns a row of zeros for the index -1. OneHot of ONNX counts a negative index from the end.
#   Expected: [0, 0, 0]. Converted: [0, 0, 1].
# Why it matters: -1 marks padding or an unknown class, and scatter_nd builds histograms and point-cloud grids. The
# models pass the checker, and tests with distinct valid indices pass too.
# What to do: write scatter_nd as tf.tensor_scatter_nd_add, and mask negative indices before one_hot.
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


def run(function, x):
    """Returns the results of TensorFlow and of the converted model."""
    signature = [tf.TensorSpec(x.shape, x.dtype, name="x")]
    traced = tf.function(function, input_signature=signature)
    model, _ = tf2onnx.convert.from_function(traced, input_signature=signature, opset=18)
    onnx.checker.check_model(model, full_check=True)
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return traced(x).numpy().tolist(), session.run(None, {"x": x})[0].tolist()


print("tf2onnx", importlib.metadata.version("tf2onnx"), "tensorflow", tf.__version__, "onnxruntime", ort.__version__)
updates = np.array([1, 2], np.float32)
holds = True
for name, function, x, result in (
        ("scatter_nd to [1, 3]", lambda x: tf.scatter_nd([[1], [3]], x, [4]), updates, None),
        ("scatter_nd to [1, 1]", lambda x: tf.scatter_nd([[1], [1]], x, [4]), updates, [0, 2, 0, 0]),
        ("tensor_scatter_nd_add to [1, 1]", lambda x: tf.tensor_scatter_nd_add(tf.zeros(4), [[1], [1]], x), updates,
         None),
        ("one_hot of [1, 3]", lambda x: tf.one_hot(x, 3), np.array([1, 3], np.int32), None),
        ("one_hot of [-1]", lambda x: tf.one_hot(x, 3), np.array([-1], np.int32), [[0, 0, 1]])):
    expected, found = run(function, x)
    print("%s: TensorFlow %s, converted %s" % (name, expected, found))
    holds &= found == (expected if result is None else result) and (result is None) == (found == expected)
raise SystemExit(not holds)
PYTHON
