# SPDX-License-Identifier: Apache-2.0
"""Reads and writes NumPy files without NumPy."""

import array
import json
import math
import random
import struct
import subprocess

# NumPy's descriptor and array.array's type code for each integer type.
INTEGERS = {"s64": ("<i8", "q"), "s32": ("<i4", "i")}


def write_npy(path, shape, type_name, values):
    header = f"{{'descr': '{type_name}', 'fortran_order': False, 'shape': {tuple(shape)!r}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + values.tobytes())


def write_random_npy(path, shape, low=-1.0, high=1.0, seed=1):
    """Writes f32 numbers, uniform in [low, high) and reproducible."""
    generator = random.Random(seed)
    write_npy(path, shape, "<f4", array.array("f", (generator.uniform(low, high) for _ in range(math.prod(shape)))))


def write_inputs(nestrt, plan, folder):
    """Writes a file of random numbers for each input of a plan. Returns their paths by name, in the plan's order.

    Integers are 0 or 1: valid as numbers of tokens and as masks.
    """
    report = folder / "info.json"
    subprocess.run([nestrt, "info", plan, "--json", report], check=True, capture_output=True)
    paths = {}
    for index, tensor in enumerate(json.loads(report.read_text())["inputs"]):
        path = paths[tensor["name"]] = folder / f"input{index}.npy"
        if tensor["type"] == "f32":
            write_random_npy(path, tensor["shape"])
        else:
            descriptor, code = INTEGERS[tensor["type"]]
            generator = random.Random(1)
            values = array.array(code, (generator.getrandbits(1) for _ in range(math.prod(tensor["shape"]))))
            write_npy(path, tensor["shape"], descriptor, values)
    return paths


def read_npy(path):
    """Returns the f32 numbers of a file in storage order."""
    data = path.read_bytes()
    start = 10 + struct.unpack("<H", data[8:10])[0] if data[6] == 1 else 12 + struct.unpack("<I", data[8:12])[0]
    if b"'<f4'" not in data[:start]:
        raise ValueError(f"{path} does not hold f32")
    return array.array("f", data[start:])


def only_input(nestrt, plan, report):
    """Returns name and shape of a plan's only input, or raises ValueError. `report` is a temporary file."""
    subprocess.run([nestrt, "info", plan, "--json", report], check=True, capture_output=True)
    (tensor,) = json.loads(report.read_text())["inputs"]
    return tensor["name"], tensor["shape"]


def write_calibration(path, shape, samples, low=-1.0, high=1.0):
    """Writes several random inputs of `shape` for nestc --calibrate."""
    write_random_npy(path, [samples, *shape[1:]] if shape[0] == 1 else [samples, *shape], low, high)
