# SPDX-License-Identifier: Apache-2.0
"""Runs ONNX Runtime with one thread: ort_outputs.py MODEL

Reads paths of raw f32 inputs from standard input, one per line. Answers each with a line of JSON: {"ms": CPU time of the
run, "values": elements of the first output}."""

import json
import sys
import time

import numpy as np
import onnxruntime as ort

options = ort.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
session = ort.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
(argument,) = session.get_inputs()
shape = [size if isinstance(size, int) and size > 0 else 1 for size in argument.shape]
for line in sys.stdin:
    image = np.fromfile(line.strip(), np.float32).reshape(shape)
    start = time.process_time()
    values = session.run(None, {argument.name: image})[0]
    milliseconds = (time.process_time() - start) * 1e3
    print(json.dumps({"ms": milliseconds, "values": [float(value) for value in values.ravel()]}), flush=True)
