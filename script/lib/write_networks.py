# SPDX-License-Identifier: Apache-2.0
"""Writes the networks of script/bench/networks: write_networks.py FOLDER

Classifiers: NAME.onnx in f32 and NAME_qdq.onnx in 8 bits (uint8 activations, int8 weights per channel), and both in the
file formats of ncnn and, if its wheel is installed, LiteRT. Other networks: NAME.onnx in f32. The weights are random:
the files serve to compare speed and results, not accuracy.
"""

import pathlib
import sys

import deployed_sequences
import deployed_vision
import ncnn_writer
import onnx_writer
import tflite_writer
from bench_names import DEPLOYED
from bench_networks import networks

BUILDERS = {"yolov5n": lambda: deployed_vision.Yolo().network()}


def write_classifiers(folder):
    for net in networks():
        for is_quantized, suffix in ((False, ""), (True, "_qdq")):
            onnx_writer.write(net, is_quantized, folder / f"{net.name}{suffix}.onnx")
            ncnn_writer.write(net, is_quantized, folder / f"{net.name}{suffix}")
            if tflite_writer.is_available():
                tflite_writer.write(net, is_quantized, folder / f"{net.name}{suffix}.tflite")
        print(f"{net.name}: {sum(l.weights.size for l in net.layers if l.weights is not None) / 1e6:.2f} M weights", flush=True)


def write_deployed(folder):
    for name in DEPLOYED:
        build = BUILDERS.get(name) or getattr(deployed_vision, name, None) or getattr(deployed_sequences, name)
        graph, output = build()
        graph.write(output, folder / f"{name}.onnx")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    target = pathlib.Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    write_classifiers(target)
    write_deployed(target)
