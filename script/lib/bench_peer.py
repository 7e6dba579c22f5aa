# SPDX-License-Identifier: Apache-2.0
"""Times another runtime on a model for script/bench/networks and prints the figures as JSON.

bench_peer.py RUNTIME MODEL --threads N --warmup N --runs N [--input FILE.npy ... --output FILE.npy]

--input lists a file for each input, in the model's order. MODEL is a path without a suffix; each runtime reads its own
file format. All compute f32 in full precision even if the machine supports smaller types. Each runtime loads the model,
runs once, warms up, and runs; a run copies the inputs from arrays and the output to an array.
"""

import argparse
import importlib.metadata
import json
import statistics
import time

import numpy as np


class OnnxRuntime:
    package = "onnxruntime"

    def __init__(self):
        import onnxruntime
        self.module = onnxruntime

    def open(self, model, threads):
        options = self.module.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        self.session = self.module.InferenceSession(model + ".onnx", options, providers=["CPUExecutionProvider"])
        self.names = [tensor.name for tensor in self.session.get_inputs()]

    def shape(self):
        return self.session.get_inputs()[0].shape

    def run(self, inputs):
        return self.session.run(None, dict(zip(self.names, inputs)))[0]


class OpenVino:
    package = "openvino"

    def __init__(self):
        import openvino
        self.module = openvino

    def open(self, model, threads):
        core = self.module.Core()
        settings = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32", "NUM_STREAMS": 1,
                    "INFERENCE_NUM_THREADS": threads}
        compiled = core.compile_model(core.read_model(model + ".onnx"), "CPU", settings)
        self.request = compiled.create_infer_request()

    def shape(self):
        return list(self.request.get_input_tensor().shape)

    def run(self, inputs):
        self.request.infer(dict(enumerate(inputs)), share_inputs=True)
        return self.request.get_output_tensor().data


class Ncnn:
    package = "ncnn"

    def __init__(self):
        import ncnn
        self.module = ncnn

    def open(self, model, threads):
        self.net = self.module.Net()
        options = self.net.opt
        options.num_threads = threads
        options.use_fp16_packed = options.use_fp16_storage = options.use_fp16_arithmetic = False
        options.use_bf16_storage = False
        if self.net.load_param(model + ".param") or self.net.load_model(model + ".bin"):
            raise RuntimeError(f"ncnn cannot load {model}.param")
        self.output = self.net.output_names()[0]

    def shape(self):
        return None

    def run(self, inputs):
        image, = inputs
        extractor = self.net.create_extractor()
        extractor.input("data", self.module.Mat(image[0]))
        failed, output = extractor.extract(self.output)
        if failed:
            raise RuntimeError("ncnn cannot run the model")
        return np.array(output)


class Mnn:
    package = "MNN"

    def __init__(self):
        import MNN
        self.module = MNN

    def open(self, model, threads):
        self.net = self.module.Interpreter(model + ".mnn")
        self.session = self.net.createSession({"backend": "CPU", "numThread": threads, "precision": "high"})
        self.input = self.net.getSessionInput(self.session)
        self.output = self.net.getSessionOutput(self.session)

    def shape(self):
        return list(self.input.getShape())

    def run(self, inputs):
        image, = inputs
        kind = self.module
        self.input.copyFrom(kind.Tensor(image.shape, kind.Halide_Type_Float, image, kind.Tensor_DimensionType_Caffe))
        self.net.runSession(self.session)
        shape = self.output.getShape()
        values = kind.Tensor(shape, kind.Halide_Type_Float, np.zeros(shape, np.float32), kind.Tensor_DimensionType_Caffe)
        self.output.copyToHostTensor(values)
        return np.array(values.getNumpyData())


class LiteRt:
    package = "ai-edge-litert"

    def __init__(self):
        from ai_edge_litert import interpreter
        self.module = interpreter
        self.transposed = None, None

    def open(self, model, threads):
        self.net = self.module.Interpreter(model + ".tflite", num_threads=threads)
        self.net.allocate_tensors()
        self.input, self.output = self.net.get_input_details()[0]["index"], self.net.get_output_details()[0]["index"]

    def shape(self):
        return None

    def run(self, inputs):
        image, = inputs
        if self.transposed[0] is not image:  # channels last; transposed in the first run, which is not timed
            self.transposed = image, np.ascontiguousarray(image.transpose(0, 2, 3, 1))
        self.net.set_tensor(self.input, self.transposed[1])
        self.net.invoke()
        return self.net.get_tensor(self.output)


RUNTIMES = {"onnxruntime": OnnxRuntime, "openvino": OpenVino, "ncnn": Ncnn, "mnn": Mnn, "litert": LiteRt}


def memory_mb(line):
    """Reads /proc because exec() resets VmHWM; getrusage() would include the parent's memory at fork()."""
    with open("/proc/self/status") as status:
        found = next(text for text in status if text.startswith(line + ":"))
    return int(found.split()[1]) * 1024 / 1e6


def milliseconds(action):
    start = time.perf_counter()
    result = action()
    return (time.perf_counter() - start) * 1e3, result


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("runtime", choices=RUNTIMES)
    parser.add_argument("model")
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--warmup", type=int, required=True)
    parser.add_argument("--runs", type=int, required=True)
    parser.add_argument("--input", nargs="+")
    parser.add_argument("--output")
    options = parser.parse_args()

    runtime = RUNTIMES[options.runtime]()
    inputs = [np.load(path) for path in options.input or ()]
    interpreter_mb = memory_mb("VmRSS")
    load_ms, _ = milliseconds(lambda: runtime.open(options.model, options.threads))
    if not inputs:
        sizes = [size if isinstance(size, int) and size > 0 else 1 for size in runtime.shape()]
        inputs = [np.random.default_rng(1).uniform(-1, 1, sizes).astype(np.float32)]
    times = [milliseconds(lambda: runtime.run(inputs)) for _ in range(1 + options.warmup + options.runs)]
    if options.output:
        np.save(options.output, np.asarray(times[-1][1], np.float32).ravel())
    print(json.dumps({"median_ms": statistics.median(time for time, _ in times[1 + options.warmup:]),
                      "first_ms": times[0][0], "load_ms": load_ms, "peak_rss_mb": memory_mb("VmHWM") - interpreter_mb,
                      "version": importlib.metadata.version(runtime.package)}))


if __name__ == "__main__":
    main()
