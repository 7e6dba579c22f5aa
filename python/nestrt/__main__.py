# SPDX-License-Identifier: Apache-2.0
"""Command line for nestrt: calibrate, compile, sensitivity and evaluate, distributed to workers.

    python -m nestrt calibrate model.onnx images -o profile.yaml --mean 123,117,104 --workers local
    python -m nestrt compile model.onnx images -o model.nest --max-loss 1 --labels labels.tsv --target zcu102
    python -m nestrt sensitivity model.onnx images --calibration profile.yaml --workers ray=HOST:6379
    python -m nestrt evaluate model.nest images --labels labels.tsv --workers 4
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import nestrt
from nestrt._nestrt import check_output

PROGRESS_INTERVAL_S = 10.0  # between lines of progress, except on a terminal


class ProgressLine:
    """A line of progress on standard error: redrawn on a terminal, otherwise printed periodically."""

    def __init__(self) -> None:
        import time

        self._clock = time.monotonic
        self._last_report = self._clock()

    def __call__(self, what: str, done: int, total: int) -> None:
        if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
            end = "\n" if done == total else ""
            print(f"\r{what}  {done} of {total}", end=end, file=sys.stderr, flush=True)
        elif self._clock() - self._last_report >= PROGRESS_INTERVAL_S:
            self._last_report = self._clock()
            print(f"{what}  {done} of {total}", file=sys.stderr, flush=True)


def numbers(text: str) -> Sequence[float]:
    """Parses comma-separated numbers."""
    return tuple(float(part) for part in text.split(","))


def worker_choice(text: str) -> Union[str, int]:
    """Parses --workers."""
    return int(text) if text.isdigit() else text


def input_shape(text: str) -> Tuple[str, Sequence[int]]:
    """Parses NAME=DIMS."""
    name, _, dims = text.rpartition("=")
    return name, [int(dim) for dim in dims.split(",")]


def parser() -> argparse.ArgumentParser:
    """Returns the parser of the command line."""
    top = argparse.ArgumentParser(prog="python -m nestrt", description=__doc__,
                                  formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    samples = "a folder of images or .npy arrays (subfolders are searched), a list of such paths, or a .npy file"

    def command(name: str, about: str, first: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=about, description=about)
        made.add_argument(first.split()[0], help=first)
        made.add_argument("samples", help=samples)
        made.add_argument("--limit", type=int, default=16 if name == "sensitivity" else 0,
                          help="use at most N samples, evenly spaced over all of them; 0 uses all")
        made.add_argument("--workers", type=worker_choice, default="local",
                          help="N, local, local:N, ray or ray=ADDRESS (default: one process for each core)")
        made.add_argument("--json", metavar="FILE", help="write the results as JSON")
        return made

    def images(made: argparse.ArgumentParser) -> None:
        made.add_argument("--mean", type=numbers,
                          help="subtracted from pixels; one value, or one per channel: 123,117,104")
        made.add_argument("--scale", type=numbers, help="factor applied after subtracting the mean")
        made.add_argument("--resize", type=int,
                          help="resize the shorter side to N pixels, then crop the centre")
        made.add_argument("--bgr", action="store_true", default=None,
                          help="the input expects the channel order blue, green, red")
        made.add_argument("--letterbox", action="store_true", default=None,
                          help="scale the whole image to fit, keep its aspect ratio, and add a border")
        made.add_argument("--pad", type=int, help="pixel value of the border (--letterbox)")
        made.add_argument("--no-antialias", dest="antialias", action="store_false", default=None,
                          help="interpolate between the nearest pixels only, as OpenCV's INTER_LINEAR")
        made.add_argument("--input-shape", type=input_shape, action="append", default=[], metavar="NAME=DIMS",
                          help="fix dynamic dimensions: x=1,3,224,224; repeat for a plan with several shapes")
        made.add_argument("--computed-constants", type=int, metavar="MB",
                          help="maximum size of computed constants, in MB beyond the model's own")

    made = command("calibrate", "Observes every value of a network over samples.", "model (ONNX)")
    images(made)
    made.add_argument("-o", "--output", required=True, metavar="FILE",
                      help="the profile to write (YAML), for nestc compile --calibrate")
    made.add_argument("--method", default="mse", choices=("mse", "minmax", "percentile", "kl"))
    made.add_argument("--skip-unreadable", action="store_true", help="skip images that cannot be read")
    made = command("compile", "Compiles a network for 8-bit integers, within an optional accuracy limit.",
                   "model (ONNX)")
    images(made)
    made.add_argument("-o", "--output", required=True, metavar="FILE", help="the plan to write")
    made.add_argument("--calibration", metavar="FILE", help="a profile of calibrate; default: computed from samples")
    made.add_argument("--target", help="boards, cores and accelerators, as for nestc compile")
    made.add_argument("--max-loss", type=float, metavar="POINTS",
                      help="search for a quantization that loses at most this many points of top-1 on the samples")
    made.add_argument("--labels", metavar="FILE", help="file with lines image<TAB>class to measure the loss "
                      "against; default: the classes of the f32 network")
    made.add_argument("--offset", type=int, default=0, help="class number in the labels minus the plan's class index")
    made.add_argument("--budget", type=int, help="maximum number of quantizations to try (--max-loss; default: 32)")
    made.add_argument("--skip-unreadable", action="store_true", help="skip images that cannot be read")
    made = command("sensitivity", "Measures which layers are most sensitive to 8 bits.", "model (ONNX)")
    images(made)
    made.add_argument("--calibration", metavar="FILE", help="a profile of calibrate; default: computed from samples")
    made = command("evaluate", "Classifies samples with a plan and counts how often it is right.",
                   "plan (compiled by nestc)")
    made.add_argument("--labels", metavar="FILE", help="file with lines image<TAB>class, or folders: the class is the "
                      "folder of the image")
    made.add_argument("--class-names", metavar="FILE", help="one name per line, for labels that are names")
    made.add_argument("--units", default="cpu", help="the units of each worker, such as cpu,evta:sim")
    made.add_argument("--offset", type=int, default=0, help="class number in the labels minus the plan's class index")
    return top


def network(options: argparse.Namespace) -> Dict[str, Any]:
    """Returns the options that describe the inputs, as arguments of nestrt."""
    names = ("mean", "scale", "resize", "bgr", "letterbox", "pad", "antialias")
    stated = {name: value for name in names if (value := getattr(options, name)) is not None}
    given: Dict[str, Any] = {"preprocessing": nestrt.Preprocessing(**stated)} if stated else {}
    if options.computed_constants is not None:
        given["computed_constants"] = options.computed_constants
    first, *others = shape_choices(options.input_shape)
    return {**given, **({"input_shapes": first} if first else {}), **({"other_shapes": others} if others else {})}


def shape_choices(stated: Sequence[Tuple[str, Sequence[int]]]) -> List[Dict[str, Sequence[int]]]:
    """Returns the input shapes of each shape of the plan.

    As in `nestc compile --input-shape`, an input with one shape has it in all of them.
    """
    by_input: Dict[str, List[Sequence[int]]] = {}
    for name, shape in stated:
        by_input.setdefault(name, []).append(shape)
    count = max(map(len, by_input.values()), default=1)
    for name, shapes in by_input.items():
        if len(shapes) not in (1, count):
            raise ValueError(f"--input-shape: input '{name}' has {len(shapes)} shapes and another input {count}; give "
                             "one, or the same number for all")
    return [{name: shapes[index % len(shapes)] for name, shapes in by_input.items()} for index in range(count)]


def check_outputs(options: argparse.Namespace) -> None:
    """Checks before the work that the outputs are writable, and differ from the inputs and from each other."""
    names = ("model", "plan", "samples", "calibration", "labels", "class_names")
    inputs = [getattr(options, name, None) for name in names]
    used = [path for path in inputs if path]
    of_output = "plan" if options.command == "compile" else "profile"
    for path, kind in ((getattr(options, "output", None), of_output), (options.json, "json")):
        if path:
            check_output(path, used, kind)
            used.append(path)
    if options.json and os.path.abspath(options.json) == os.path.abspath(getattr(options, "output", None) or ""):
        raise ValueError(f"'{options.json}' would be written twice; name another file for --json")


def calibrate(options: argparse.Namespace) -> Dict[str, Any]:
    """Runs nestrt.calibrate() and saves the profile."""
    calibration = nestrt.calibrate(options.model, options.samples, method=options.method, limit=options.limit,
                            workers=options.workers, skip_unreadable=options.skip_unreadable, progress=ProgressLine(),
                            **network(options))
    calibration.save(options.output)
    print(f"{options.output}: {calibration!r}")
    for why in calibration.skipped:
        print(f"skipped: {why}")
    return calibration.to_dict()


def compile(options: argparse.Namespace) -> Dict[str, Any]:
    """Runs nestrt.compile() and prints the trials of the search."""
    searches = options.max_loss is not None
    calibration = options.calibration or options.samples
    is_profile = calibration.endswith((".yaml", ".yml"))
    reading: Dict[str, Any] = {} if is_profile else {"calibration_limit": options.limit}
    if searches or not is_profile:
        reading["workers"] = options.workers
    if searches:
        reading.update(search_samples=options.samples, search_limit=options.limit)
    plan = nestrt.compile(options.model, options.output, quantize="s8", calibration=calibration, target=options.target,
                          max_loss=options.max_loss, search_budget=options.budget, labels=options.labels,
                          label_offset=options.offset, skip_unreadable=options.skip_unreadable, progress=ProgressLine(),
                          **reading, **network(options))
    print(f"{options.output}: {plan!r}")
    for trial in plan.report.get("trials", ()):
        print(f"{trial['loss']:8.2f} points  {trial['options']}")
    return dict(plan.report)


def sensitivity(options: argparse.Namespace) -> Dict[str, Any]:
    """Runs nestrt.sensitivity() and prints the layers."""
    report = nestrt.sensitivity(options.model, options.calibration or options.samples, options.samples,
                                limit=options.limit, workers=options.workers, progress=ProgressLine(),
                                **network(options))
    for layer in report.layers:
        noise = layer["only_it"]["snr_db"]
        print(f"{layer['name']:40} {layer['kind']:6} {'' if noise is None else format(noise, '8.1f')} dB")
    return report.to_dict()


def evaluate(options: argparse.Namespace) -> Dict[str, Any]:
    """Runs nestrt.evaluate() and prints the accuracy, or the classes without labels."""
    report = nestrt.evaluate(options.plan, options.samples, options.labels, class_names=options.class_names,
                             units=options.units, offset=options.offset, limit=options.limit,
                             workers=options.workers, progress=ProgressLine())
    if report.top1 is not None and report.interval is not None:
        low, high = report.interval
        print(f"{report.n} samples: top-1 {100 * report.top1:.2f} % (95 %: {100 * low:.2f} to {100 * high:.2f}), "
              f"top-5 {100 * (report.top5 or 0):.2f} %")
    else:
        for name, classes in report.predictions:
            print(f"{name}\t{classes[0]}")
    return report.to_dict()


def main(arguments: Optional[List[str]] = None) -> int:
    """Runs the command line and returns the exit code."""
    options = parser().parse_args(arguments)
    try:
        check_outputs(options)
        commands = {"calibrate": calibrate, "compile": compile, "sensitivity": sensitivity, "evaluate": evaluate}
        found = commands[options.command](options)
        if options.json:
            with open(options.json, "w", encoding="utf-8") as file:
                json.dump(found, file, indent=2)
    except (nestrt.Error, ValueError, TypeError, OSError, ImportError) as error:
        print(f"python -m nestrt: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except RuntimeError as error:  # lost workers
        print(f"python -m nestrt: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
