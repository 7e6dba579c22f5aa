# SPDX-License-Identifier: Apache-2.0
"""NumPy files of random numbers, for scripts that do without NumPy."""

import array
import json
import random
import struct
import subprocess


def write_random_npy(path, shape, low=-1.0, high=1.0):
    """f32, uniform in [low, high), the same for the same arguments."""
    generator = random.Random(1)
    size = 1
    for extent in shape:
        size *= extent
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)!r}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    head = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
    path.write_bytes(head + array.array("f", (generator.uniform(low, high) for _ in range(size))).tobytes())


def read_npy(path):
    """The f32 numbers of a file, in their order."""
    data = path.read_bytes()
    start = 10 + struct.unpack("<H", data[8:10])[0] if data[6] == 1 else 12 + struct.unpack("<I", data[8:12])[0]
    if b"'<f4'" not in data[:start]:
        raise ValueError(f"{path} does not hold f32")
    return array.array("f", data[start:])


def only_input(nestrt, plan, report):
    """Name and shape of a plan's one input; `report` is a file to use."""
    subprocess.run([nestrt, "info", plan, "--json", report], check=True, capture_output=True)
    (tensor,) = json.loads(report.read_text())["inputs"]
    return tensor["name"], tensor["shape"]


def write_calibration(path, shape, samples, low=-1.0, high=1.0):
    """Several inputs of `shape`, as nestc --calibrate takes them."""
    write_random_npy(path, [samples, *shape[1:]] if shape[0] == 1 else [samples, *shape], low, high)
