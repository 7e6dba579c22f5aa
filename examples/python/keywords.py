#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Spots keywords: keywords.py [--calibrate N] MODEL FEATURES LABELS

Compiles an ONNX keyword spotter in floating point and for 8-bit integers, calibrated with the first N recordings
(default 100). For the other recordings, prints the accuracy of both, how often they agree, and the time per recording.
MODEL is the keyword spotter of MLPerf Tiny (dscnn_kws.onnx), FEATURES its test set: 49 x 10 int8 coefficients per
recording, concatenated. LABELS has one class index per line, in the order of KEYWORDS.
"""

import argparse
import pathlib
import sys
import time
from typing import Tuple

import numpy as np

import nestrt

KEYWORDS = ("down", "go", "left", "no", "off", "on", "right", "stop", "up", "yes", "silence", "unknown")
FRAMES, COEFFICIENTS = 49, 10
# Quantization of the benchmark's features: real number = (integer - ZERO) * STEP.
ZERO, STEP = 83, 0.5847029


def read(features: pathlib.Path, labels: pathlib.Path) -> Tuple[np.ndarray, np.ndarray]:
    """Returns the recordings as network inputs, N x 1 x 1 x 49 x 10 in f32, and their class indices."""
    integers = np.fromfile(features, dtype=np.int8)
    classes = np.array(labels.read_text(encoding="utf-8").split(), dtype=int)
    if integers.size == 0 or integers.size != len(classes) * FRAMES * COEFFICIENTS:
        raise ValueError(f"{features} has {integers.size} bytes; expected {FRAMES} x {COEFFICIENTS} for each of the "
                         f"{len(classes)} labels in {labels}")
    if classes.min() < 0 or classes.max() >= len(KEYWORDS):
        raise ValueError(f"{labels}: expected class indices from 0 to {len(KEYWORDS) - 1}")
    return ((integers.astype(np.float32) - ZERO) * np.float32(STEP)).reshape(-1, 1, 1, FRAMES, COEFFICIENTS), classes


def spot(plan: nestrt.Plan, recordings: np.ndarray) -> Tuple[np.ndarray, float]:
    """Returns the predicted class indices, and the median time per recording in microseconds."""
    session, found, seconds = nestrt.Session(plan), [], []
    for recording in recordings:
        begin = time.perf_counter()
        scores = session(recording)
        seconds.append(time.perf_counter() - begin)
        found.append(scores.argmax())
    return np.array(found), float(np.median(seconds)) * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calibrate", type=int, default=100, metavar="N")
    for name in ("model", "features", "labels"):
        parser.add_argument(name, type=pathlib.Path, metavar=name.upper())
    options = parser.parse_args()
    recordings, classes = read(options.features, options.labels)
    if not 0 < options.calibrate < len(recordings):
        raise ValueError(f"--calibrate: expected 1 to {len(recordings) - 1}")
    known, others, truth = recordings[:options.calibrate], recordings[options.calibrate:], classes[options.calibrate:]

    in_f32, us_f32 = spot(nestrt.compile(options.model), others)
    in_s8, us_s8 = spot(nestrt.compile(options.model, quantize="s8", calibration=list(known)), others)
    print(f"{len(others)} recordings: f32 {np.mean(in_f32 == truth):.1%} right, {us_f32:.0f} us each; "
          f"8 bits {np.mean(in_s8 == truth):.1%} right, {us_s8:.0f} us each; the same {np.mean(in_f32 == in_s8):.1%}")
    for number, keyword in enumerate(KEYWORDS):
        matches = truth == number
        if matches.any():
            print(f"  {keyword:8} {matches.sum():4}: f32 {np.mean(in_f32[matches] == number):.0%}, "
                  f"8 bits {np.mean(in_s8[matches] == number):.0%}")


if __name__ == "__main__":
    try:
        main()
    except (nestrt.Error, OSError, ValueError) as error:
        sys.exit(f"keywords.py: {error}")
