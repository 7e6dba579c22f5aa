"""What the launch of a program on a card behind PCIe does to schedules, for script/reports/schedule-report --board u280."""

import json
import os
import re

from board_plan import compile_for_board, finished_page, simulate
from machine import cpu_name
from programs import BIN, ROOT, run

BOARD = ROOT / "boards" / "u280.yaml"
LAUNCHES_US = (0, 20, 50, 100)
INSTANCES = (1, 2)
CPU_SCALES = (1, 8)
BUDGET_MS = 200
THREADS = os.cpu_count()


def board_with_launch(launch_us, work):
    """The board's file, but for what a launch costs."""
    text, count = re.subn(r"launch_us: \d+", f"launch_us: {launch_us}", BOARD.read_text())
    assert count == 1, f"{BOARD} states launch_us {count} times"
    path = work / "u280.yaml"
    path.write_text(text)
    return path


def measure_card(model, work):
    """The figures of a model for every launch cost, number of instances and speed of the CPU."""
    plan, costs, report = compile_for_board(model, work, "u280"), work / "costs", work / "figures.json"
    run(BIN / "nestrt", "profile", plan, "-o", costs, "--units", "cpu", "--threads", THREADS)
    run(BIN / "nestrt", "info", plan, "--units", "cpu", "--json", report)
    branches = json.loads(report.read_text())["branches"]
    points = []
    for instances in INSTANCES:
        for launch_us in LAUNCHES_US:
            simulated = simulate(plan, work, "--board", board_with_launch(launch_us, work), "--profile", costs, "--threads",
                                 THREADS, "--instances", instances, "--cpu-scale", *CPU_SCALES, "--budget-ms", BUDGET_MS)
            points += [{**figures, "instances": instances, "launch_us": launch_us} for figures in simulated["sensitivity"]]
    return {"model": model.stem, "branches": branches, "points": points}


def card_row(point):
    return (f"| {point['instances']} | {point['launch_us']} | {point['optimum_ms']:.2f} | "
            f"{point['npu_branches_optimum']} | {point['split_ms']:.2f} | {point['npu_branches_split']} | "
            f"{point['max_per_second']:.0f} | {point['npu_branches_throughput']} |")


HEAD = ("| instances | launch us | optimum ms | on the card | with splitting ms | on the card | in flight /s | on the card |"
        "\n|---:|---:|---:|---:|---:|---:|---:|---:|")


def card_page(results):
    lines = ["# Described Alveo U280", "",
             "`script/reports/schedule-report --board u280` writes this page. It shows how the launch time of a program affects schedules,",
             "not how fast a workstation is.", "",
             "**Conditions**: the card of `boards/u280.yaml`, whose figures state their sources; none was measured on our card. CPU costs",
             f"were measured by `nestrt profile` on a shared machine ({THREADS} threads of {cpu_name()}), accurate to some ten percent.",
             '"8 times as slow" multiplies all CPU times.', "",
             "*Launch*: time per program beyond its cycles (`launch_us`). *Optimum*: whole branches. *With splitting*: channels of a layer",
             "divided between CPU and card, in sixteenths. *In flight*: inferences per second at most, with the busiest unit never idle",
             "(`kThroughput`). *On the card*: branches that it computes, whole or in part. Results that stay on the card are transferred to",
             "the host too, without their bytes being counted; contention on the link is not modelled. Every schedule is the best that a",
             f"search of {BUDGET_MS} ms found; on two instances it may not be the shortest."]
    for result in results:
        lines += ["", f"## {result['model']}: {result['branches']} branches"]
        for scale in CPU_SCALES:
            points = [point for point in result["points"] if point["cpu_scale"] == scale]
            alone_ms = points[0]["cpu_only_ms"]
            speed = "CPU as measured" if scale == 1 else f"CPU {scale} times as slow"
            lines += ["", f"{speed}: {alone_ms:.2f} ms alone, {1e3 / alone_ms:.0f} inferences a second.", "", HEAD]
            lines += [card_row(point) for point in points]
    points = [point for result in results for point in result["points"]]
    return finished_page(lines, points)
