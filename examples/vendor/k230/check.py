#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares nestc's way through nncase with nncase alone: whole networks and networks cut in three.

check.py NESTC WORK MODEL.onnx...

For each network, with one input and random samples:
  program   is the .kmodel of the whole network through nestc equal to that of nncase for the user's file, byte by byte?
  outputs   share of the samples for which both have the same bits in nncase's simulator
  cut       the network in three parts, each calibrated by nestc, run one after the other in the simulator
Errors are the root mean square of the difference from ONNX Runtime's f32 result, relative to that result.
"""
import json
import os
import subprocess
import sys

import numpy as np
import onnxruntime
import yaml

import compile as adapter

SAMPLES = 50


def simulated(program, inputs):
    import nncase  # after adapter.find_dotnet()

    simulator = nncase.Simulator()
    simulator.load_model(program)
    for i, value in enumerate(inputs):
        simulator.set_input_tensor(i, nncase.RuntimeTensor.from_numpy(np.ascontiguousarray(value)))
    simulator.run()
    return [simulator.get_output_tensor(i).to_numpy() for i in range(simulator.outputs_size)]


def operators_of(nestc, model, work):
    """Returns the names of the model's operators from the partition plan that nestc writes."""
    names = os.path.join(work, "names.yaml")
    subprocess.run([nestc, "partition", model, "-o", names], check=True, stdout=subprocess.DEVNULL)
    with open(names) as file:
        entries = yaml.safe_load(file)["nodeToPartition"].split(":")
    return [entry.rsplit("-", 1)[0] for entry in entries]


def compile_by_nestc(nestc, model, work, samples, parts):
    """Returns the manifest and the program of each part."""
    plan, kept = os.path.join(work, "parts.yaml"), os.path.join(work, "kept")
    with open(plan, "w") as file:
        yaml.safe_dump({"parts": parts}, file)
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "compile.py")
    command = f"k230={sys.executable} {script} {{input}} {{output}} {{manifest}} {{report}} {{calibration}} --keep {kept}"
    subprocess.run([nestc, "compile", model, "-o", os.path.join(work, "model.nest"), "--vendor", command,
                    "--vendor-plan", plan, "--vendor-data", samples], check=True, stdout=subprocess.DEVNULL)
    results = []
    for part in parts:
        folder = os.path.join(kept, part["name"])
        with open(os.path.join(folder, "part.json")) as file, open(os.path.join(folder, "part.kmodel"), "rb") as program:
            results.append((json.load(file), program.read()))
    return results


def error_of(results, expected):
    difference = sum(float(np.sum((a.astype(np.float64) - b) ** 2)) for a, b in zip(results, expected))
    return (difference / sum(float(np.sum(b.astype(np.float64) ** 2)) for b in expected)) ** 0.5


def agreement_of(results, expected):
    return np.mean([np.argmax(a) == np.argmax(b) for a, b in zip(results, expected)])


def run_parts(parts, name, sample):
    values = {name: sample}
    for manifest, program in parts:
        outputs = simulated(program, [values[port["name"]] for port in manifest["inputs"]])
        for port, output in zip(manifest["outputs"], outputs):
            values[port["name"]] = output.reshape(port["shape"])
    return values


def check(nestc, model, work):
    os.makedirs(work, exist_ok=True)
    session = onnxruntime.InferenceSession(model)
    port, output = session.get_inputs()[0], session.get_outputs()[0].name
    shape = [size if isinstance(size, int) else 1 for size in port.shape]
    samples = np.random.default_rng(1).standard_normal([SAMPLES] + shape).astype(np.float32)
    np.save(os.path.join(work, "samples.npy"), samples)
    np.savez(os.path.join(work, "samples.npz"), **{port.name: samples.reshape([SAMPLES * shape[0]] + shape[1:])})
    expected = [session.run([output], {port.name: sample})[0] for sample in samples]

    with open(model, "rb") as file:
        alone = adapter.compiled(file.read(), {
            "inputs": [{"name": port.name}],
            "calibration": {"archive": os.path.join(work, "samples.npz"), "samples": SAMPLES}})
    names = operators_of(nestc, model, work)
    cuts = [0, len(names) // 3, 2 * len(names) // 3, len(names)]
    thirds = [{"name": f"p{i}", "backend": "k230", "operators": names[cuts[i]:cuts[i + 1]]} for i in range(3)]
    npy = os.path.join(work, "samples.npy")
    whole = compile_by_nestc(nestc, model, work, npy, [{"name": "all", "backend": "k230", "operators": "all"}])
    parts = compile_by_nestc(nestc, model, work, npy, thirds)

    alone_results = [simulated(alone, [sample])[0] for sample in samples]
    whole_results = [simulated(whole[0][1], [sample])[0] for sample in samples]
    cut_results = [run_parts(parts, port.name, sample)[output] for sample in samples]
    same = np.mean([np.array_equal(a, b) for a, b in zip(alone_results, whole_results)])
    print(f"{os.path.basename(model):32} program {'identical' if alone == whole[0][1] else 'differs':9}  outputs {same:4.0%}"
          f"  error: nncase {error_of(alone_results, expected):.4f}, cut {error_of(cut_results, expected):.4f}"
          f"  top-1 as f32: nncase {agreement_of(alone_results, expected):4.0%}, cut {agreement_of(cut_results, expected):4.0%}",
          flush=True)
    return same == 1


def main():
    adapter.find_dotnet()
    nestc, work, *models = map(os.path.abspath, sys.argv[1:])
    os.makedirs(work, exist_ok=True)
    os.chdir(work)  # nncase writes its own files to the working folder
    results = [check(nestc, model, os.path.join(work, os.path.basename(model) + ".k230")) for model in models]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
