"""What several instances of EVTA that share layers gain on a described ZCU102, for script/reports/schedule-report --board zcu102x4."""

import re

from board_plan import compile_for_board, finished_page, simulate
from programs import ROOT

BOARD = ROOT / "boards" / "zcu102.yaml"
INSTANCES = (1, 2, 3, 4)
BUDGET_MS = 500
# What is left out, or made worse, of what the model charges.
VARIANTS = {
    "split": (),
    "unlimited": ("--memory", 0),
    "scarce": ("--memory", 3500),
    "free": ("--memory", 0, "--transfer-scale", 0, "--wait-scale", 0),
}


def board_with_instances(work):
    """The board's file, but for the number of instances, where its profiles are found, too."""
    text, count = re.subn(r"instances: 1\n", f"instances: {max(INSTANCES)}\n", BOARD.read_text())
    assert count == 1, f"{BOARD} states instances {count} times"
    text = re.sub(r"profiles/", f"{BOARD.parent}/profiles/", text)
    path = work / "zcu102x4.yaml"
    path.write_text(text)
    return path


def without_evta_ms(steps, end_ms):
    """How long no instance computes anything."""
    busy, until = 0, 0
    for start, end in sorted((step["start_ms"], step["end_ms"]) for step in steps if step["unit"] != "cpu"):
        busy += max(0, end - max(start, until))
        until = max(until, end)
    return end_ms - busy


def measure_instances(model, work):
    """The figures of a model for every number of instances, from one plan."""
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


HEAD = ("| instances | with splitting ms | of one instance's | lower bound ms | of one instance's | additive bound ms | no waits, "
        "no transfers | unlimited memory | memory of 3500 MB/s | no EVTA computes |\n"
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")


def row(point, one):
    return (f"| {point['instances']} | {point['split_ms']:.2f} | {point['split_ms'] / one['split_ms']:.3f} | "
            f"{point['lower_bound_ms']:.2f} | {point['lower_bound_ms'] / one['split_ms']:.3f} | {point['additive_bound_ms']:.2f} | {point['free_ms']:.2f} | "
            f"{point['unlimited_ms']:.2f} | {point['scarce_ms']:.2f} | {point['without_evta_ms']:.2f} |")


def instances_page(results):
    lines = ["# ZCU102 with several EVTA", "",
             "`script/reports/schedule-report --board zcu102x4` writes this page.", "",
             "**Conditions**: the board of `boards/zcu102.yaml` with four instances of EVTA; whether they fit its fabric is unknown. One plan",
             "per network, compiled for four. All times are modelled. CPU and instances share layers, divided between channels or rows",
             "([Scheduling](../concepts/scheduling.md)), and a memory of 10,000 MB/s. Every schedule is the best that a search of",
             f"{BUDGET_MS} ms found.", "",
             "*Lower bound*: no schedule of these programs is faster, if memory and cores are unlimited. *Additive bound*: every layer divided",
             "at no cost. The next three columns are times with less or more contention charged. *No EVTA computes*: how long, within the",
             "time with splitting."]
    for result in results:
        points = result["points"]
        lines += ["", f"## {result['model']}", "",
                  f"CPU alone {points[0]['cpu_only_ms']:.2f} ms, sequential {points[0]['sequential_ms']:.2f} ms; "
                  f"a plan of {result['plan_mb']:.1f} MB.", "", HEAD]
        lines += [row(point, points[0]) for point in points]
    points = [point for result in results for point in result["points"]]
    return finished_page(lines, points)
