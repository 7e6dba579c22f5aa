# SPDX-License-Identifier: Apache-2.0
"""The gain of multiple EVTA instances that share layers, for script/reports/schedule-report --board zcu102x4."""

import re

import report
from board_plan import compile_for_board, count_slower, simulate
from programs import ROOT

BOARD = ROOT / "boards" / "zcu102.yaml"
INSTANCES = (1, 2, 3, 4)
BUDGET_MS = 500
# Variants of the cost model, with the options of nestrt simulate that omit or increase costs.
VARIANTS = {
    "split": (),
    "unlimited": ("--memory", 0),
    "scarce": ("--memory", 3500),
    "free": ("--memory", 0, "--transfer-scale", 0, "--wait-scale", 0),
}


def board_with_instances(work):
    """Writes the board file with another number of instances and absolute paths of its profiles."""
    text, count = re.subn(r"instances: 1\n", f"instances: {max(INSTANCES)}\n", BOARD.read_text())
    assert count == 1, f"{BOARD} contains 'instances: 1' {count} times"
    text = re.sub(r"profiles/", f"{BOARD.parent}/profiles/", text)
    path = work / "zcu102x4.yaml"
    path.write_text(text)
    return path


def without_evta_ms(steps, end_ms):
    """Returns how long no instance computes."""
    busy, until = 0, 0
    for start, end in sorted((step["start_ms"], step["end_ms"]) for step in steps if step["unit"] != "cpu"):
        busy += max(0, end - max(start, until))
        until = max(until, end)
    return end_ms - busy


def measure_instances(model, work):
    """Returns the figures of one plan for every number of instances."""
    board = board_with_instances(work)
    plan = compile_for_board(model, work, board)
    points = []
    for instances in INSTANCES:
        figures = {name: simulate(plan, work, "--board", board, "--instances", instances, "--budget-ms", BUDGET_MS, *options)
                   for name, options in VARIANTS.items()}
        point = {**figures["split"], "instances": instances}
        point |= {f"{name}_ms": figures[name]["split_ms"] for name in VARIANTS}
        point["without_evta_ms"] = without_evta_ms(point.pop("steps"), point["split_ms"])
        points.append(point)
    return {"model": model.stem, "points": points, "plan_mb": plan.stat().st_size / 1e6}


TITLES = ["instances", "with splitting ms", "of one instance's", "lower bound ms", "of one instance's", "additive bound ms",
          "no waits, no transfers", "unlimited memory", "memory of 3500 MB/s", "no EVTA computes"]


def row(point, one):
    ratio = {key: f"{point[key] / one['split_ms']:.3f}" for key in ("split_ms", "lower_bound_ms")}
    return [point["instances"], f"{point['split_ms']:.2f}", ratio["split_ms"], f"{point['lower_bound_ms']:.2f}", ratio["lower_bound_ms"],
            *(f"{point[key]:.2f}" for key in ("additive_bound_ms", "free_ms", "unlimited_ms", "scarce_ms", "without_evta_ms"))]


def instances_page(results):
    lines = ["*Lower bound*: no schedule of these programs is faster, even with unlimited memory bandwidth and cores. *Additive bound*: "
             "every layer could be divided at no cost. The next three columns are times with less or more contention. *No EVTA "
             "computes*: the time during which no instance computes, out of the time with splitting."]
    for result in results:
        points = result["points"]
        lines += ["", f"## {result['model']}", "",
                  f"CPU alone {points[0]['cpu_only_ms']:.2f} ms, sequential {points[0]['sequential_ms']:.2f} ms; "
                  f"a plan of {result['plan_mb']:.1f} MB.", "",
                  *report.table(TITLES, (row(point, points[0]) for point in points), text=0)]
    end, slower = count_slower([point for result in results for point in result["points"]])
    return report.page(
        "ZCU102 with multiple EVTA instances",
        "the board of `boards/zcu102.yaml` with four instances of EVTA; whether they fit in the FPGA is unknown. There is one plan per "
        "network, compiled for four instances. All times are modelled. CPU and instances share layers, divided by channels or rows "
        "([Scheduling](../concepts/scheduling.md)), and a memory of 10,000 MB/s. Every schedule is the best found by a search of "
        f"{BUDGET_MS} ms.", lines + end, options=" --board zcu102x4"), slower
