# SPDX-License-Identifier: Apache-2.0
"""Compiles plans for a simulated board and simulates them."""

import report
from programs import BIN, run
from random_npy import only_input, write_calibration

CALIBRATION_SAMPLES = 2
RANGE = (-128.0, 128.0)


def compile_for_board(model, work, board="zcu102"):
    """Compiles a model, quantized with random inputs because costs do not depend on values, in the folder `work`."""
    plan, samples = work / "model.nest", work / "samples.npy"
    run(BIN / "nestc", "compile", model, "-o", plan)
    _, shape = only_input(BIN / "nestrt", plan, work / "info.json")
    write_calibration(samples, shape, CALIBRATION_SAMPLES, *RANGE)
    run(BIN / "nestc", "compile", model, "-o", plan, "--quantize", "s8", "--calibrate", samples, "--target", board)
    return plan


def simulate(plan, work, *options):
    """Returns the JSON of `nestrt simulate`."""
    return report.read_json(work / "simulated.json", BIN / "nestrt", "simulate", plan, *options)


def count_slower(points):
    """Returns the last lines of a page, which count the slower points, and that number."""
    slower = sum(map(is_slower, points))
    return ["", f"{len(points)} points; slower than the best sequential placement or the CPU alone: {slower}."], slower


def is_slower(figures):
    """Returns whether a schedule is slower than the best sequential placement or the CPU alone."""
    best_unit = min(figures["cpu_only_ms"], figures["sequential_ms"])
    return any(figures[f"{key}_ms"] > best_unit * (1 + 1e-9) for key in ("group_enumeration", "optimum", "split"))
