#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Spots keywords: keywords.py [--calibrate N] MODEL FEATURES LABELS

Compiles an ONNX keyword spotter in floating point and for 8-bit integers, calibrated with the first N recordings (100),
and shows of the others how many each names rightly, how often both agree, and how long one takes. MODEL is the
benchmark MLPerf Tiny's (dscnn_kws.onnx), FEATURES its test set: for each recording 49 x 10 coefficients as int8, one
after the other. LABELS has the number of a keyword on each line, in the order of KEYWORDS.
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
# Of the benchmark's features, which are quantized: the real number is (integer - ZERO) * STEP.
ZERO, STEP = 83, 0.5847029


def read(features: pathlib.Path, labels: pathlib.Path) -> Tuple[np.ndarray, np.ndarray]:
    """Recordings as the network takes them, N x 1 x 1 x 49 x 10 in f32, and their keywords' numbers."""
    integers = np.fromfile(features, dtype=np.int8)
    classes = np.array(labels.read_text(encoding="utf-8").split(), dtype=int)
    if integers.size == 0 or integers.size != len(classes) * FRAMES * COEFFICIENTS:
        raise ValueError(f"{features} has {integers.size} bytes, and {labels} {len(classes)} labels: "
                         f"each recording has {FRAMES} x {COEFFICIENTS} bytes")
    if classes.min() < 0 or classes.max() >= len(KEYWORDS):
        raise ValueError(f"{labels}: a keyword has a number from 0 to {len(KEYWORDS) - 1}")
    return ((integers.astype(np.float32) - ZERO) * np.float32(STEP)).reshape(-1, 1, 1, FRAMES, COEFFICIENTS), classes


def spot(plan: nestrt.Plan, recordings: np.ndarray) -> Tuple[np.ndarray, float]:
    """The keywords' numbers, and the median of the microseconds that a recording took."""
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
        of_it = truth == number
        if of_it.any():
            print(f"  {keyword:8} {of_it.sum():4}: f32 {np.mean(in_f32[of_it] == number):.0%}, "
                  f"8 bits {np.mean(in_s8[of_it] == number):.0%}")


if __name__ == "__main__":
    try:
        main()
    except (nestrt.Error, OSError, ValueError) as error:
        sys.exit(f"keywords.py: {error}")
