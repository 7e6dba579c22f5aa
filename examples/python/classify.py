#!/usr/bin/env python3
"""Classifies pictures: classify.py MODEL LABELS PICTURE...

Compiles an ONNX classifier for 8-bit integers, calibrated with the pictures themselves, and shows what it and the same
network in floating point take each picture for. With what the repository has:

    cd examples && python3 python/classify.py models/nest_squeeze_cifar10.onnx images/labels.txt images/*_1.png
"""

import sys

import nestrt

# What the network of examples/models expects of a picture.
PIXELS = nestrt.Preprocessing(mean=(128, 128, 128), scale=(1 / 64,), resize=32)


def main() -> None:
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    model, labels, *pictures = sys.argv[1:]
    with open(labels, encoding="utf-8") as file:
        names = file.read().splitlines()

    plan = nestrt.compile(model, preprocessing=PIXELS)
    inputs = [plan.preprocess(picture) for picture in pictures]
    small = nestrt.compile(model, quantize="s8", calibration=inputs, preprocessing=PIXELS)

    in_f32, in_s8 = nestrt.Session(plan), nestrt.Session(small)
    for picture, pixels in zip(pictures, inputs):
        exact, rounded = in_f32(pixels)[0], in_s8(pixels)[0]
        best = exact.argmax()
        print(f"{picture}: {names[best]} {exact[best]:.1%}; in 8 bits {names[rounded.argmax()]} {rounded.max():.1%}")


if __name__ == "__main__":
    try:
        main()
    except (nestrt.Error, OSError) as error:
        sys.exit(f"classify.py: {error}")
