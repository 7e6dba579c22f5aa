# SPDX-License-Identifier: Apache-2.0
"""Runs ONNX models with ONNX Runtime on the CPU for `nestc check`.

ort_run.py FOLDER

FOLDER/request.json:  {"chains": [["MODEL", ...], ...], "runs": [{"INPUT": "FILE.npy", ...}, ...],
                       "values": ["NAME", ...], "results": ["NAME", ...] or null}
FOLDER/response.json: [[{"NAME": "FILE.npy", ...}, ...], ...], by chain and run

The models of a chain run one after another. Each reads the inputs of the run and the results of the models before it.
The response contains the values named in `results`. If that is null, it contains every output of the last model and
those of `values` that a node of its main graph computes. Inputs are cast to the types that the model states.
"""

import json
import os
import sys

import numpy as np
import onnx
import onnxruntime as ort
from onnxruntime.capi import onnxruntime_pybind11_state as ort_state


def values_to_expose(graph, values):
    """Returns those of `values` that a node computes and that are not outputs yet."""
    known = {output.name for output in graph.output}
    computed = {name for node in graph.node for name in node.output if name}
    return [name for name in dict.fromkeys(values) if name in computed and name not in known]


def shared_constants(graph):
    """Returns (node, input index, name) of constants of DequantizeLinear nodes that an earlier node also reads."""
    constants = {tensor.name for tensor in graph.initializer}
    seen, shared = set(), []
    for node in graph.node:
        if node.op_type != "DequantizeLinear":
            continue
        for index, name in enumerate(node.input):
            if name in seen:
                shared.append((node, index, name))
            elif name in constants:
                seen.add(name)
    return shared


def unshare_constants(graph):
    """Gives every DequantizeLinear separate constants. The precise mode of ONNX Runtime rewrites them and fails to load
    a model in which two weights share a zero point."""
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    for count, (node, index, name) in enumerate(shared_constants(graph)):
        own = graph.initializer.add()
        own.CopyFrom(tensors[name])
        own.name = f"{name}/nestc/{count}"
        node.input[index] = own.name


def prepare(model_path, values, folder):
    """Returns the path of a model with `values` as additional outputs that ONNX Runtime can load."""
    graph = onnx.load(model_path, load_external_data=False).graph
    added = values_to_expose(graph, values)
    if not added and not shared_constants(graph):
        return model_path
    model = onnx.load(model_path)
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in added)
    unshare_constants(model.graph)
    path = os.path.join(folder, "prepared.onnx")
    onnx.save(model, path)
    return path


def element_type(onnx_type):
    """Returns numpy's type for ONNX Runtime's "tensor(float)"."""
    name = onnx_type[len("tensor("):-1]
    return np.dtype({"float": "float32", "double": "float64"}.get(name, name))


def is_quantized(path):
    """Returns True if the model contains QuantizeLinear."""
    model = onnx.load(path, load_external_data=False)
    return any(node.op_type == "QuantizeLinear" for node in model.graph.node)


def session_options(optimise, precise):
    options = ort.SessionOptions()
    options.log_severity_level = 3
    # Optimisations change intermediate values, and some change results (for example Pad before MaxPool). Without them,
    # however, quantized operators compute with floats.
    levels = ort.GraphOptimizationLevel
    options.graph_optimization_level = levels.ORT_ENABLE_ALL if optimise else levels.ORT_DISABLE_ALL
    # Without this, an x86-64 CPU without VNNI saturates sums of uint8 x int8 products at 16 bits.
    options.add_session_config_entry("session.x64quantprecision", "1" if precise else "0")
    return options


def open_session(path, optimise):
    def session(precise):
        # These optimizers change results: the first quantizes f32 weights and biases behind quantized inputs, the second
        # drops the first of two roundings to different scales.
        return ort.InferenceSession(path, session_options(optimise, precise), providers=["CPUExecutionProvider"],
                                    disabled_optimizers=["WeightBiasQuantization", "DoubleQDQPairsRemover"])

    try:
        return session(precise=True)
    except ort_state.NotImplemented:
        # The precise mode converts int8 weights to uint8, but QLinearConv and QGemm have no kernels for int8 inputs
        # with uint8 weights. Sums of int8 x int8 products are exact without it.
        return session(precise=False)


def check_same_network(session, inputs):
    """Raises an error if the arrays do not match the inputs of the model."""
    question = "are the model and the plan the same network?"
    stated = {argument.name: argument.shape for argument in session.get_inputs()}
    for name, array in inputs.items():
        if name not in stated:
            raise ValueError(f"the model has no input {name!r}, which the plan has; its inputs are "
                             f"{', '.join(map(repr, stated))}; {question}")
        shape = stated[name]
        fits = len(shape) == array.ndim and all(not isinstance(dim, int) or dim < 1 or dim == size
                                                for dim, size in zip(shape, array.shape))
        if not fits:
            raise ValueError(f"input {name!r} is {shape} in the model and {list(array.shape)} in the plan; {question}")
    for name in stated:
        if name not in inputs:
            raise ValueError(f"the plan has no input {name!r}, which the model has; add --input "
                             f"{name}=FILE.npy with the array that was bound by nestc compile --bind, or: {question}")


def run_model(session, values):
    """Returns the outputs of a model whose inputs are in `values`."""
    inputs = {}
    for argument in session.get_inputs():
        if argument.name not in values:
            raise ValueError(f"nothing before it computes its input {argument.name!r}")
        inputs[argument.name] = values[argument.name].astype(element_type(argument.type))
    names = [output.name for output in session.get_outputs()]
    results = {}
    for name, value in zip(names, session.run(names, inputs)):
        value = np.ascontiguousarray(value)
        results[name] = value.astype(np.float32) if value.dtype in (np.float16, np.float64) else value
    return results


def run_chain(chain, runs, request, folder, optimise, is_whole):
    """Returns the results of each run. is_whole: the chain is the reference model."""
    values = [dict(inputs) for inputs in runs]
    results = [{}] * len(runs)
    for path in chain:
        session = open_session(prepare(path, request["values"], folder), optimise)
        for run, inputs in enumerate(runs):
            if is_whole:
                check_same_network(session, inputs)
            results[run] = run_model(session, values[run])
            values[run].update(results[run])
    if request["results"] is None:
        return results
    return [{name: known[name] for name in request["results"]} for known in values]


def save(results, prefix, folder):
    """Writes the results and returns their files by name."""
    files = {}
    for name, value in results.items():
        files[name] = f"{prefix}_output_{len(files)}.npy"
        np.save(os.path.join(folder, files[name]), value)
    return files


def main():
    folder = sys.argv[1]
    with open(os.path.join(folder, "request.json"), encoding="utf-8") as file:
        request = json.load(file)
    runs = [{name: np.load(os.path.join(folder, path)) for name, path in files.items()} for files in request["runs"]]
    chains = request["chains"]
    optimise = any(is_quantized(path) for chain in chains for path in chain)  # the same for all
    response = []
    for index, chain in enumerate(chains):
        results = run_chain(chain, runs, request, folder, optimise, is_whole=index == 0)
        response.append([save(values, f"chain_{index}_run_{run}", folder) for run, values in enumerate(results)])
    with open(os.path.join(folder, "response.json"), "w", encoding="utf-8") as file:
        json.dump(response, file)


if __name__ == "__main__":
    try:
        main()
    except Exception as error:  # the user needs the message of ONNX Runtime
        print(error, file=sys.stderr)
        sys.exit(1)
