"""Runs an ONNX model with ONNX Runtime on the CPU for `nestc check`.

ort_run.py MODEL FOLDER

FOLDER/request.json:  {"runs": [{"INPUT": "FILE.npy", ...}, ...], "values": ["NAME", ...]}
FOLDER/response.json: [{"NAME": "FILE.npy", ...}, ...], one entry per run: every output of the model, and those of
`values` that a node of its main graph computes. Inputs are cast to the types that the model states.
"""

import json
import os
import sys

import numpy as np
import onnx
import onnxruntime as ort


def expose(model_path, values, folder):
    """The path of a copy of the model in which `values` are outputs too; the model itself where there are none."""
    if not values:
        return model_path
    model = onnx.load(model_path)
    known = {output.name for output in model.graph.output}
    computed = {name for node in model.graph.node for name in node.output if name}
    for name in values:
        if name in computed and name not in known:
            known.add(name)
            model.graph.output.append(onnx.ValueInfoProto(name=name))
    path = os.path.join(folder, "exposed.onnx")
    onnx.save(model, path)
    return path


def element_type(onnx_type):
    """numpy's type for ONNX Runtime's "tensor(float)"."""
    name = onnx_type[len("tensor("):-1]
    return np.dtype({"float": "float32", "double": "float64"}.get(name, name))


def is_quantized(path):
    """Whether the model states integers by QuantizeLinear."""
    model = onnx.load(path, load_external_data=False)
    return any(node.op_type == "QuantizeLinear" for node in model.graph.node)


def open_session(path):
    options = ort.SessionOptions()
    options.log_severity_level = 3
    # Intermediate values keep their meaning only where the graph stays as it is; and some rewrites of ONNX Runtime
    # change results, such as that of Pad before MaxPool. But without them quantized operators compute with floats.
    levels = ort.GraphOptimizationLevel
    options.graph_optimization_level = levels.ORT_ENABLE_ALL if is_quantized(path) else levels.ORT_DISABLE_ALL
    return ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def check_same_network(session, inputs):
    """Raises where the arrays of a plan's inputs are not what the model takes."""
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
            raise ValueError(f"the plan has no input {name!r}, which the model has; add --input NAME=FILE.npy for each "
                             f"input, with the array that was bound by nestc compile --bind, or: {question}")


def main():
    model_path, folder = sys.argv[1:3]
    with open(os.path.join(folder, "request.json"), encoding="utf-8") as file:
        request = json.load(file)
    session = open_session(expose(model_path, request["values"], folder))
    types = {argument.name: element_type(argument.type) for argument in session.get_inputs()}
    names = [output.name for output in session.get_outputs()]
    response = []
    for run, files in enumerate(request["runs"]):
        inputs = {name: np.load(os.path.join(folder, file)).astype(types.get(name, np.float32))
                  for name, file in files.items()}
        check_same_network(session, inputs)
        results = {}
        for index, value in enumerate(session.run(names, inputs)):
            value = np.ascontiguousarray(value)
            if value.dtype in (np.float16, np.float64):
                value = value.astype(np.float32)
            results[names[index]] = f"run_{run}_output_{index}.npy"
            np.save(os.path.join(folder, results[names[index]]), value)
        response.append(results)
    with open(os.path.join(folder, "response.json"), "w", encoding="utf-8") as file:
        json.dump(response, file)


if __name__ == "__main__":
    try:
        main()
    except Exception as error:  # whatever ONNX Runtime says is what the user needs to read
        print(error, file=sys.stderr)
        sys.exit(1)
