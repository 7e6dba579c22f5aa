# SPDX-License-Identifier: Apache-2.0
"""Writes the networks of script/bench/networks: write_networks.py FOLDER

Writes NAME.onnx in f32 and NAME_qdq.onnx in 8 bits (uint8 activations, int8 weights per channel), and both in the file
formats of ncnn and, if its wheel is installed, LiteRT. The weights are random: the files serve to compare speed and
results, not accuracy.
"""

import pathlib
import sys

import ncnn_writer
import onnx_writer
import tflite_writer
from bench_networks import networks


def write_all(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for net in networks():
        for is_quantized, suffix in ((False, ""), (True, "_qdq")):
            onnx_writer.write(net, is_quantized, folder / f"{net.name}{suffix}.onnx")
            ncnn_writer.write(net, is_quantized, folder / f"{net.name}{suffix}")
            if tflite_writer.is_available():
                tflite_writer.write(net, is_quantized, folder / f"{net.name}{suffix}.tflite")
        print(f"{net.name}: {sum(l.weights.size for l in net.layers if l.weights is not None) / 1e6:.2f} M weights", flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write_all(pathlib.Path(sys.argv[1]))
