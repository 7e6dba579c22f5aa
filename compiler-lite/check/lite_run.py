# SPDX-License-Identifier: Apache-2.0
"""Runs a TensorFlow Lite model with LiteRT on the CPU for `nestc check`.

lite_run.py FOLDER

The request is that of ort_run.py, with one chain of one model. The response has two chains. The first has the model's
outputs with LiteRT's default kernels (XNNPACK), and for the names in `values` the tensors inside the model with the built-in kernels, as
XNNPACK does not keep them. Names of inputs and outputs are those of the signature, if the model has one. A name that
ends in "/channels_first" requests a tensor with its last axis moved to axis 1. The second chain has the outputs with
the reference kernels, which round differently; it is empty if the model has no 8-bit integers.
"""

import importlib
import json
import os
import sys

import numpy as np

PACKAGES = ("ai_edge_litert.interpreter", "tflite_runtime.interpreter", "tensorflow.lite.python.interpreter")
CHANNELS_FIRST = "/channels_first"
KERNELS = "BUILTIN_WITHOUT_DEFAULT_DELEGATES"
REFERENCE_KERNELS = "BUILTIN_REF"


def find_litert():
    """Returns the module with Interpreter."""
    for package in PACKAGES:
        try:
            return importlib.import_module(package)
        except ImportError:
            pass
    raise ModuleNotFoundError("LiteRT is not installed for this interpreter; pip install ai-edge-litert, or set "
                              "--python to an interpreter that has it")


def port_names(interpreter):
    """Returns the names of inputs and outputs by index of their tensor."""
    details = interpreter.get_input_details() + interpreter.get_output_details()
    names = {detail["index"]: detail["name"] or f"tensor_{detail['index']}" for detail in details}
    for key in list(interpreter.get_signature_list())[:1]:
        runner = interpreter.get_signature_runner(key)
        for ports in (runner.get_input_details(), runner.get_output_details()):
            for name, detail in ports.items():
                if detail["index"] in names:
                    names[detail["index"]] = name
    return names


def set_inputs(interpreter, names, arrays):
    """Resizes and sets the inputs."""
    question = "are the model and the plan the same network?"
    details = interpreter.get_input_details()
    states = set(arrays) - {names[detail["index"]] for detail in details}
    if states:
        raise ValueError(f"the plan has inputs that the model does not have: {', '.join(sorted(states))}; LiteRT keeps "
                         f"state variables itself, which nestc check does not support; otherwise: {question}")
    for detail in details:
        name = names[detail["index"]]
        if name not in arrays:
            raise ValueError(f"the plan has no input {name!r}, which the model has; {question}")
        if list(detail["shape"]) != list(arrays[name].shape):
            interpreter.resize_tensor_input(detail["index"], arrays[name].shape)
    interpreter.allocate_tensors()
    for detail in details:
        interpreter.set_tensor(detail["index"], arrays[names[detail["index"]]].astype(detail["dtype"]))


def run(interpreter, names, arrays):
    """Returns the outputs of one run, independent of the runs before."""
    set_inputs(interpreter, names, arrays)
    interpreter.reset_all_variables()
    interpreter.invoke()
    return {names[detail["index"]]: interpreter.get_tensor(detail["index"])
            for detail in interpreter.get_output_details()}


def inner_values(interpreter, wanted, names):
    """Returns the tensors of the last run with these names that are not inputs or outputs."""
    by_name = {}
    for detail in interpreter.get_tensor_details():
        if detail["index"] not in names:
            by_name.setdefault(detail["name"] or f"tensor_{detail['index']}", detail["index"])
    found = {}
    for name in wanted:
        index = by_name.get(name.removesuffix(CHANNELS_FIRST))
        if index is None:
            continue
        try:
            value = interpreter.get_tensor(index)
        except ValueError:  # the interpreter does not keep this one
            continue
        moves = name.endswith(CHANNELS_FIRST) and value.ndim > 2
        found[name] = np.moveaxis(value, -1, 1) if moves else value
    return found


def with_kernels(litert, path, kernels, **options):
    return litert.Interpreter(model_path=path, experimental_op_resolver_type=getattr(litert.OpResolverType, kernels),
                              **options)


def is_quantized(interpreter):
    return any(detail["dtype"] in (np.int8, np.uint8) and len(detail["quantization_parameters"]["scales"]) > 0
               for detail in interpreter.get_tensor_details())


def reference_results(litert, path, names, runs):
    """Returns the outputs of each run with the reference kernels; an empty list if they do not support the model."""
    try:
        interpreter = with_kernels(litert, path, REFERENCE_KERNELS)
        return [run(interpreter, names, arrays) for arrays in runs]
    except (RuntimeError, ValueError):
        return []


def all_results(request, runs):
    """Returns the results with the default kernels and those with the reference kernels."""
    litert = find_litert()
    path = request["chains"][0][0]
    interpreter = litert.Interpreter(model_path=path)
    names = port_names(interpreter)
    results = [run(interpreter, names, arrays) for arrays in runs]
    wanted = [name for name in request["values"] if name not in results[0]]
    if wanted:
        inspected = with_kernels(litert, path, KERNELS, experimental_preserve_all_tensors=True)
        run(inspected, names, runs[0])
        results[0].update(inner_values(inspected, wanted, names))
    return results, reference_results(litert, path, names, runs) if is_quantized(interpreter) else []


def plain(value):
    value = np.ascontiguousarray(value)
    return value.astype(np.float32) if value.dtype in (np.float16, np.float64) else value


def main():
    folder = sys.argv[1]
    with open(os.path.join(folder, "request.json"), encoding="utf-8") as file:
        request = json.load(file)
    runs = [{name: np.load(os.path.join(folder, path)) for name, path in files.items()} for files in request["runs"]]
    response = []
    for kind, chain in enumerate(all_results(request, runs)):
        response.append([])
        for index, results in enumerate(chain):
            files = {name: f"kernels_{kind}_run_{index}_output_{position}.npy" for position, name in enumerate(results)}
            for name, file in files.items():
                np.save(os.path.join(folder, file), plain(results[name]))
            response[-1].append(files)
    with open(os.path.join(folder, "response.json"), "w", encoding="utf-8") as file:
        json.dump(response, file)


if __name__ == "__main__":
    try:
        main()
    except ModuleNotFoundError as error:
        print(f"ModuleNotFoundError: {error}", file=sys.stderr)
        sys.exit(1)
    except Exception as error:  # the user needs the message of LiteRT
        print(error, file=sys.stderr)
        sys.exit(1)
