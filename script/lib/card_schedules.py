# SPDX-License-Identifier: Apache-2.0
"""The effect of launch times on schedules for a PCIe card, for script/reports/schedule-report --board u280."""

import os
import re

import report
from board_plan import compile_for_board, count_slower, simulate
from machine import cpu_name
from programs import BIN, ROOT, run

BOARD = ROOT / "boards" / "u280.yaml"
LAUNCHES_US = (0, 20, 50, 100)
INSTANCES = (1, 2)
CPU_SCALES = (1, 8)
BUDGET_MS = 200
THREADS = os.cpu_count()


def board_with_launch(launch_us, work):
    """Writes the board file with another launch time."""
    text, count = re.subn(r"launch_us: \d+", f"launch_us: {launch_us}", BOARD.read_text())
    assert count == 1, f"{BOARD} states launch_us {count} times"
    path = work / "u280.yaml"
    path.write_text(text)
    return path


def measure_card(model, work):
    """Returns the figures of a model for every launch time, number of instances and speed of the CPU."""
    plan, costs = compile_for_board(model, work, "u280"), work / "costs"
    run(BIN / "nestrt", "profile", plan, "-o", costs, "--units", "cpu", "--threads", THREADS)
    branches = report.read_json(work / "figures.json", BIN / "nestrt", "info", plan, "--units", "cpu")["branches"]
    points = []
    for instances in INSTANCES:
        for launch_us in LAUNCHES_US:
            simulated = simulate(plan, work, "--board", board_with_launch(launch_us, work), "--profile", costs, "--threads",
                                 THREADS, "--instances", instances, "--cpu-scale", *CPU_SCALES, "--budget-ms", BUDGET_MS)
            points += [{**figures, "instances": instances, "launch_us": launch_us} for figures in simulated["sensitivity"]]
    return {"model": model.stem, "branches": branches, "points": points}


TITLES = ["instances", "launch us", "optimum ms", "on the card", "with splitting ms", "on the card", "in flight /s", "on the card"]


def card_row(point):
    return [point["instances"], point["launch_us"], f"{point['optimum_ms']:.2f}", point["npu_branches_optimum"],
            f"{point['split_ms']:.2f}", point["npu_branches_split"], f"{point['max_per_second']:.0f}",
            point["npu_branches_throughput"]]


def card_page(results):
    lines = ["*Launch*: time per program in addition to its cycles (`launch_us`). *Optimum*: whole branches only. *With splitting*: the "
             "channels of a layer can be divided between CPU and card, in sixteenths. *In flight*: maximum inferences per second, with "
             "the busiest unit never idle (`kThroughput`). *On the card*: number of branches that the card computes, fully or partly. "
             "Results that only the card reads are also transferred to the host, but their bytes are not counted; contention on the "
             "link is not modelled. Every schedule is the "
             f"best that a search of {BUDGET_MS} ms found; with two instances it may not be the shortest possible."]
    for result in results:
        lines += ["", f"## {result['model']}: {result['branches']} branches"]
        for scale in CPU_SCALES:
            points = [point for point in result["points"] if point["cpu_scale"] == scale]
            alone_ms = points[0]["cpu_only_ms"]
            speed = "CPU as measured" if scale == 1 else f"CPU {scale} times as slow"
            lines += ["", f"{speed}: {alone_ms:.2f} ms alone, {1e3 / alone_ms:.0f} inferences per second.", "",
                      *report.table(TITLES, map(card_row, points), text=0)]
    end, slower = count_slower([point for result in results for point in result["points"]])
    return report.page(
        "Simulated Alveo U280",
        "the card of `boards/u280.yaml`, whose figures state their sources; none was measured on our card. `nestrt profile` measured the "
        f"CPU costs on a shared machine ({THREADS} threads of {cpu_name()}), with an error of about ten percent. \"8 times as slow\" "
        "multiplies all CPU times.", lines + end,
        "It shows how the launch time of a program affects schedules, not how fast a workstation is.", " --board u280"), slower
