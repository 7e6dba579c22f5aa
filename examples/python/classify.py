#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Classifies images: classify.py MODEL LABELS IMAGE... [--mean M,M,M] [--scale S,S,S] [--resize N]

Compiles an ONNX classifier in floating point and for 8-bit integers, calibrated with the images themselves, and prints
the class that each of the two predicts. LABELS has the name of one class per line. The options define the
preprocessing, x = (pixel - mean) * scale; the defaults are for the network in the repository:

    cd examples && python3 python/classify.py models/nest_squeeze_cifar10.onnx images/labels.txt images/*_1.png
"""

import argparse
import sys

import numpy as np

import nestrt


def numbers(text):
    """Parses comma-separated numbers."""
    return tuple(float(number) for number in text.split(","))


def parse_arguments():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("model")
    parser.add_argument("labels")
    parser.add_argument("images", nargs="+")
    parser.add_argument("--mean", type=numbers, default=(128,))
    parser.add_argument("--scale", type=numbers, default=(1 / 64,))
    parser.add_argument("--resize", type=int, default=32)
    return parser.parse_args()


def read_names(path, classes):
    """Returns the class names in order."""
    with open(path, encoding="utf-8") as file:
        names = file.read().splitlines()
    if len(names) != classes:
        sys.exit(f"classify.py: '{path}' has {len(names)} names, but the network has {classes} classes")
    return names


def probabilities(scores):
    """Returns probabilities; applies softmax if the scores are logits."""
    if scores.min() >= 0 and abs(scores.sum() - 1) < 1e-3:
        return scores
    exponentials = np.exp(scores - scores.max())
    return exponentials / exponentials.sum()


def main():
    options = parse_arguments()
    pixels = nestrt.Preprocessing(mean=options.mean, scale=options.scale, resize=options.resize)
    plan = nestrt.compile(options.model, preprocessing=pixels)
    names = read_names(options.labels, int(np.prod(plan.outputs[0].shape)))
    inputs = [plan.preprocess(image) for image in options.images]
    quantized = nestrt.compile(options.model, quantize="s8", calibration=inputs, preprocessing=pixels)

    in_f32, in_s8 = nestrt.Session(plan), nestrt.Session(quantized)
    for image, values in zip(options.images, inputs):
        exact, rounded = probabilities(in_f32(values)[0].ravel()), probabilities(in_s8(values)[0].ravel())
        print(f"{image}: {names[exact.argmax()]} {exact.max():.1%}; "
              f"in 8 bits {names[rounded.argmax()]} {rounded.max():.1%}")


if __name__ == "__main__":
    try:
        main()
    except (nestrt.Error, OSError, UnicodeDecodeError) as error:
        sys.exit(f"classify.py: {error}")
