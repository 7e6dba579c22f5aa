#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares nestrt in ONNX Runtime with nestrt alone: bench_onnxruntime.py BUILD_FOLDER MODEL...

Both run in this process with one thread: ONNX Runtime with bound inputs and outputs (IOBinding), and nestrt alone
through its C API. Everything runs on the calling thread, whose CPU time is measured, so that other processes do not
add to it. Single runs alternate, so that other load affects both equally. Prints the fifth percentile and the median in
microseconds, and the relative difference of each. Also lists plain run() of ONNX Runtime's Python API, which converts
the inputs and allocates the outputs in every call.
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

SECONDS = 20  # per model
WARM_UP_RUNS = 20  # sessions adapt in their first runs


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
    # Without optimization, the plan has the same operators as that of nestc alone.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.add_provider_for_devices(devices, {"threads": "1"})
    return onnxruntime.InferenceSession(model, options, enable_fallback=False)


def bound(session, inputs):
    """Returns a function that runs the session without allocating."""
    binding = session.io_binding()
    for name, array in inputs.items():
        binding.bind_cpu_input(name, array)
    for value in session.get_outputs():
        output = onnxruntime.OrtValue.ortvalue_from_numpy(np.zeros(value.shape, np.float32))
        binding.bind_ortvalue_output(value.name, output)
    return lambda: session.run_with_iobinding(binding)


def alternate(functions):
    """Returns the sorted times of each function in microseconds."""
    times = [[] for _ in functions]
    end = time.monotonic() + SECONDS
    while time.monotonic() < end or len(times[0]) <= WARM_UP_RUNS:
        for function, own in zip(functions, times):
            start = time.thread_time_ns()
            function()
            own.append((time.thread_time_ns() - start) / 1e3)
    return [sorted(own[WARM_UP_RUNS:]) for own in times]


def compare(model, build, library, devices, folder):
    plan = pathlib.Path(folder) / "model.nest"
    subprocess.run([build / "bin/nestc", "compile", model, "-o", plan], check=True, capture_output=True)
    session = in_onnx_runtime(model, devices)
    generator = np.random.default_rng(1)
    inputs = {value.name: generator.standard_normal(value.shape).astype(np.float32) for value in session.get_inputs()}
    alone = Alone(library, plan, list(inputs.values()))
    times = alternate([alone.run, bound(session, inputs), lambda: session.run(None, inputs)])
    print(f"{pathlib.Path(model).name}, {len(times[0])} runs each")
    for name, own in zip(("nestrt alone", "bound in ONNX Runtime", "run() of ONNX Runtime"), times):
        cells = []
        for position in (0.05, 0.5):
            mine, base = own[int(len(own) * position)], times[0][int(len(own) * position)]
            cells.append(f"{mine:8.0f} us {100 * (mine / base - 1):+6.1f} %")
        print(f"  {name:22} p5 {cells[0]}  p50 {cells[1]}", flush=True)


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
