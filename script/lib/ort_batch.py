# SPDX-License-Identifier: Apache-2.0
"""Runs a model once in ONNX Runtime, as `nestc check` does: ort_batch.py MODEL INPUT.npy OUTPUT.npy

Writes the first output for the only input."""

import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "compiler-lite" / "check"))
from ort_run import open_session

session = open_session(sys.argv[1], optimise=True)
(argument,) = session.get_inputs()
np.save(sys.argv[3], session.run(None, {argument.name: np.load(sys.argv[2])})[0])
