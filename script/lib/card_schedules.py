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
    lines = ["# Scheduling on a described Alveo U280", "",
             "Made by `script/reports/schedule-report --board u280`. The card is that of [boards/u280.yaml](../boards/u280.yaml); each of its",
             "figures says where it is from, and none was measured on a card of ours. The CPU's costs were measured by `nestrt profile`",
             f"on the machine that made this page, {THREADS} threads of {cpu_name()}, which others used at the same time:",
             "they are good to some ten percent. What is to be seen is what the launch of a program does to a schedule, not how fast a",
             "workstation is. Where the CPU is eight times as slow, as an embedded one may be, all of its times are eight times as long.",
             "", "*launch*: what each program takes on the card beside its cycles (`launch_us`). *Optimum*: whole branches. *With splitting*: the",
             "channels of a layer may be divided between CPU and card, in sixteenths. *In flight*: inferences",
             "a second at most, the busiest unit never idle, placed for the smallest load of it (`kThroughput`). *On the card*: how many",
             "branches it computes, whole or in part. What programs leave for the next one on the card is handed to the host as well;",
             "the bytes of that are not counted, nor what it takes several programs to share the link. Every schedule is the best that",
             f"a search of {BUDGET_MS} ms found: on two instances that need not be the shortest."]
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
