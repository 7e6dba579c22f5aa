#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares nestrt in ONNX Runtime with nestrt alone: bench_onnxruntime.py BUILD_FOLDER MODEL...

Both run in this process with one thread, nestrt alone through its C interface. Short blocks of runs alternate, so that
other load affects both equally. Prints the medians over all blocks in microseconds, and the median of the ratios of
neighbouring blocks.
"""

import ctypes
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnxruntime

ROUNDS = 40
BLOCK_SECONDS = 0.1


class Alone:
    """A session of libnestrt."""

    def __init__(self, library, plan, inputs):
        self.library = library
        self.inputs = inputs
        plan_handle, self.session = ctypes.c_void_p(), ctypes.c_void_p()
        self.check(library.nestrt_plan_load(str(plan).encode(), ctypes.byref(plan_handle)))
        self.check(library.nestrt_session_create(plan_handle, b"cpu", 1, ctypes.byref(self.session)))
        sizes = [library.nestrt_session_output_bytes(self.session, index)
                 for index in range(library.nestrt_session_num_outputs(self.session))]
        self.outputs = [np.empty(size, np.uint8) for size in sizes]
        self.arguments = [*self.arrays(self.inputs), *self.arrays(self.outputs)]

    @staticmethod
    def arrays(items):
        pointers = (ctypes.c_void_p * len(items))(*[item.ctypes.data for item in items])
        return pointers, (ctypes.c_size_t * len(items))(*[item.nbytes for item in items])

    def check(self, code):
        if code != 0:
            sys.exit(f"bench_onnxruntime.py: {self.library.nestrt_last_error().decode()}")

    def run(self):
        self.check(self.library.nestrt_session_run(self.session, *self.arguments))


def load(build):
    library = ctypes.CDLL(str(build / "lib/libnestrt.so"))
    library.nestrt_last_error.restype = ctypes.c_char_p
    for name in ("nestrt_session_output_bytes", "nestrt_session_num_outputs"):
        getattr(library, name).restype = ctypes.c_size_t
    library.nestrt_session_output_bytes.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    return library


def in_onnx_runtime(model, devices):
    options = onnxruntime.SessionOptions()
    # The plan then has the same operators as that of nestc alone.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.add_provider_for_devices(devices, {"threads": "1"})
    return onnxruntime.InferenceSession(model, options, enable_fallback=False)


def block(run, runs):
    """Returns the median time of the runs in microseconds."""
    times = []
    for _ in range(runs):
        start = time.perf_counter_ns()
        run()
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times) / 1e3


def compare(model, build, library, devices, folder):
    plan = pathlib.Path(folder) / "model.nest"
    subprocess.run([build / "bin/nestc", "compile", model, "-o", plan], check=True, capture_output=True)
    session = in_onnx_runtime(model, devices)
    generator = np.random.default_rng(1)
    inputs = {value.name: generator.standard_normal(value.shape).astype(np.float32) for value in session.get_inputs()}
    alone = Alone(library, plan, list(inputs.values()))

    def run_in_onnx_runtime():
        session.run(None, inputs)

    for _ in range(10):  # sessions adapt in their first runs
        run_in_onnx_runtime()
        alone.run()
    runs = max(3, int(BLOCK_SECONDS * 1e6 / block(alone.run, 5)))
    pairs = [(block(run_in_onnx_runtime, runs), block(alone.run, runs)) for _ in range(ROUNDS)]
    medians = [statistics.median(column) for column in zip(*pairs)]
    ratio = statistics.median(mine / other for mine, other in pairs)
    print(f"{pathlib.Path(model).name}: in ONNX Runtime {medians[0]:.0f} us, alone {medians[1]:.0f} us, "
          f"{100 * (ratio - 1):+.1f} %", flush=True)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    library = load(build)
    onnxruntime.register_execution_provider_library("nestrt", str(build / "lib/nestrt/libnestrt_onnxruntime.so"))
    devices = [device for device in onnxruntime.get_ep_devices() if device.ep_name == "nestrt"]
    with tempfile.TemporaryDirectory() as folder:
        for model in sys.argv[2:]:
            compare(model, build, library, devices, folder)


if __name__ == "__main__":
    main()
