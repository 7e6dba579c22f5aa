"""One process of script/compare-ort: times ONNX Runtime on a model and prints the figures as JSON.

ort_bench.py MODEL --threads N --warmup N --runs N [--input-shape NAME=1,3,640,640 ...]
"""

import argparse
import json
import statistics
import time

import numpy as np
import onnxruntime as ort


def peak_rss_mb():
    """VmHWM, which exec() resets: getrusage's figure begins with what the parent process held when it forked."""
    with open("/proc/self/status") as status:
        line = next(line for line in status if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024 / 1e6


def milliseconds(action):
    start = time.perf_counter()
    result = action()
    return (time.perf_counter() - start) * 1e3, result


def open_session(model, threads):
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def random_inputs(session, shapes):
    """f32 in [-1, 1] and integers 0 or 1, as nestrt bench makes them; dynamic dimensions are 1 unless stated."""
    generator = np.random.default_rng(1)
    inputs = {}
    for argument in session.get_inputs():
        shape = shapes.get(argument.name, [size if isinstance(size, int) else 1 for size in argument.shape])
        if argument.type == "tensor(float)":
            inputs[argument.name] = generator.uniform(-1, 1, shape).astype(np.float32)
        else:
            inputs[argument.name] = generator.integers(0, 2, shape).astype(argument.type[len("tensor("):-1])
    return inputs


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--warmup", type=int, required=True)
    parser.add_argument("--runs", type=int, required=True)
    parser.add_argument("--input-shape", action="append", default=[])
    options = parser.parse_args()

    shapes = {}
    for text in options.input_shape:
        name, _, sizes = text.rpartition("=")
        shapes[name] = [int(size) for size in sizes.split(",")]
    interpreter_rss_mb = peak_rss_mb()
    load_ms, session = milliseconds(lambda: open_session(options.model, options.threads))
    inputs = random_inputs(session, shapes)
    times = [milliseconds(lambda: session.run(None, inputs))[0] for _ in range(options.warmup + options.runs)]
    measured = sorted(times[options.warmup:])
    print(json.dumps({
        "threads": options.threads,
        "median_ms": statistics.median(measured),
        "p90_ms": measured[int(0.9 * (len(measured) - 1))],
        "min_ms": measured[0],
        "first_ms": times[0],
        "load_ms": load_ms,
        "peak_rss_mb": peak_rss_mb(),
        "interpreter_rss_mb": interpreter_rss_mb,
        "version": ort.__version__,
    }))


if __name__ == "__main__":
    main()
