#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Classifies images: classify.py MODEL LABELS IMAGE... [--mean M,M,M] [--scale S,S,S] [--resize N]

Compiles an ONNX classifier for 8-bit integers, calibrated with the images themselves, and shows what it and the same
network in floating point take each image for. LABELS has a name on each line, as many as there are classes. The
options say what the network expects of an image, x = (pixel - mean) * scale; their defaults are for the network that
the repository has:

    cd examples && python3 python/classify.py models/nest_squeeze_cifar10.onnx images/labels.txt images/*_1.png
"""

import argparse
import sys

import numpy as np

import nestrt


def numbers(text):
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
    """One for each class, in their order."""
    with open(path, encoding="utf-8") as file:
        names = file.read().splitlines()
    if len(names) != classes:
        sys.exit(f"classify.py: '{path}' has {len(names)} names, but the network has {classes} classes")
    return names


def shares(scores):
    """Of scores that are none yet: logits."""
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
    small = nestrt.compile(options.model, quantize="s8", calibration=inputs, preprocessing=pixels)

    in_f32, in_s8 = nestrt.Session(plan), nestrt.Session(small)
    for image, values in zip(options.images, inputs):
        exact, rounded = shares(in_f32(values)[0].ravel()), shares(in_s8(values)[0].ravel())
        print(f"{image}: {names[exact.argmax()]} {exact.max():.1%}; "
              f"in 8 bits {names[rounded.argmax()]} {rounded.max():.1%}")


if __name__ == "__main__":
    try:
        main()
    except (nestrt.Error, OSError, UnicodeDecodeError) as error:
        sys.exit(f"classify.py: {error}")
