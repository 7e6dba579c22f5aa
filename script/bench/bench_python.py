#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the overhead of a call from Python compared with C++: bench_python.py OVERHEAD PLAN...

OVERHEAD is the program of test/python/overhead_bench.cpp. It and this script run the same plan alternately with one
thread, so that other load affects both equally. Prints the medians of Session.run() in microseconds and the difference.
"""

import statistics
import subprocess
import sys
import time

import numpy as np

import nestrt

ROUNDS = 15
RUNS = 400


def in_python(session, inputs, out):
    """Returns the median of RUNS runs in microseconds, after 20 warm-up runs."""
    times = []
    for _ in range(RUNS + 20):
        start = time.perf_counter_ns()
        session.run(inputs, out=out)
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times[20:]) / 1e3


class InCpp:
    """The C++ benchmark; prints a median for each line it receives."""

    def __init__(self, program, plan):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen([program, plan, str(RUNS)], text=True, **pipes)

    def median(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def compare(program, path):
    session = nestrt.Session(path, threads=1, keep_costs=False)
    random = np.random.default_rng(0)
    inputs = {spec.name: random.uniform(0, 1, spec.shape).astype(spec.dtype) for spec in session.plan.inputs}
    out = {spec.name: np.zeros(spec.shape, spec.dtype) for spec in session.plan.outputs}
    cpp = InCpp(program, path)
    rounds = [(cpp.median(), in_python(session, inputs, out), in_python(session, inputs, None)) for _ in range(ROUNDS)]
    cpp.end()
    in_cpp, in_place, new = (statistics.median(column) for column in zip(*rounds))
    print(f"{path}: C++ {in_cpp:.1f} us; Python {in_place:.1f} us into existing arrays (+{in_place - in_cpp:.1f}), "
          f"{new:.1f} us into new arrays (+{new - in_cpp:.1f})")
    return new - in_cpp


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    worst = max(compare(sys.argv[1], path) for path in sys.argv[2:])
    print(f"a call from Python costs at most {worst:.1f} us more than one from C++")


if __name__ == "__main__":
    main()
