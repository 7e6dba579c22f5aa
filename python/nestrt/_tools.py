# SPDX-License-Identifier: Apache-2.0
"""compile(), calibrate(), check(), bench(), simulate() and profile()."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import sys
import tempfile
import warnings
from typing import Any, Callable, Dict, Iterable, Mapping, Optional, Sequence, Union

import numpy as np

from . import _nestrt
from ._errors import Cancelled, InvalidArgument
from ._files import (check_names, inputs_of, model_file, named_files, of_arguments, plan_file, sample_files,
                     samples_for, stacked)
from ._plan import PathLike, Plan, Preprocessing, _keywords
from ._samples import by_name, evenly, fitting, run_of_files, runs_of_folder
from ._reports import (DEFAULT_PERCENTILE, BenchReport, Calibration, CheckReport, ProfileReport, SimulateReport,
                       check_method, check_percentile)
from ._session import given
from ._sweeps import SensitivityReport, WorkerChoice
from . import _sweeps
from ._values import integer, names, path_text, shapes, useless, within

Model = Any  # a path, bytes, or an onnx.ModelProto
Arrays = Union[np.ndarray, Mapping[str, np.ndarray]]  # of one input, or of several by name
Samples = Union[PathLike, Arrays, Iterable[Arrays]]
Progress = Callable[[str, int, int], None]

_COMPILE = ("input_shapes", "other_shapes", "bindings", "preprocessing", "expose", "layout", "disabled_passes",
            "target", "partial_programs", "tuning_cache", "computed_constants")
_QUANTIZE = ("scales", "per_tensor", "rounding", "corrections", "keep_f32")
_UNITS = ("units", "threads", "cpus", "pace", "xclbin", "device", "plugin", "isolate", "schedule", "split", "partition",
          "cost_file", "check_every")
_CORRECTIONS = ("none", "equalisation", "weights", "bias")
_CHOICES = {"layout": ("auto", "plain"), "scales": ("tensor", "single"), "rounding": ("half_up", "floor")}


def _one_of(name: str, value: Any) -> None:
    if name in _CHOICES and value not in _CHOICES[name]:
        raise ValueError(f"{name}: expected one of {', '.join(_CHOICES[name])}, got {value!r}")


def _take(options: Dict[str, Any], names: Sequence[str]) -> Dict[str, Any]:
    """Moves the options of these names out of all."""
    taken = {}
    for name in names:
        if name in options and options[name] is not None:
            _one_of(name, options[name])
            taken[name] = options[name]
        options.pop(name, None)
    return given(**taken)


def _names(options: Dict[str, Any], *lists: str) -> None:
    """Options that are lists of names become lists."""
    for name in lists:
        if name in options:
            options[name] = names(name, options[name])


def _quantize_options(options: Dict[str, Any]) -> Dict[str, Any]:
    taken = _take(options, _QUANTIZE)
    _names(taken, "corrections", "keep_f32")
    unknown = set(taken.get("corrections", ())) - set(_CORRECTIONS)
    if unknown:
        known, first = ", ".join(_CORRECTIONS), sorted(map(str, unknown))[0]
        raise ValueError(f"corrections: expected some of {known}, got {first!r}")
    if "none" in taken.get("corrections", ()) and len(taken["corrections"]) > 1:
        raise ValueError("corrections: 'none' goes with no other")
    return taken


def _reject(options: Dict[str, Any], what: str) -> None:
    if options:
        raise TypeError(f"{what}() has no option {', '.join(sorted(options))}")


def _compile_options(options: Dict[str, Any]) -> Dict[str, Any]:
    taken = _take(options, _COMPILE)
    if "preprocessing" in taken:
        taken["preprocessing"] = _keywords(taken["preprocessing"])
    if "input_shapes" in taken:
        taken["input_shapes"] = shapes("input_shapes", taken["input_shapes"])
    if "other_shapes" in taken:
        taken["other_shapes"] = [shapes("other_shapes", each) for each in taken["other_shapes"]]
    if "bindings" in taken:
        _check_bindings(taken)
    if "partial_programs" in taken:
        taken["partial_programs"] = integer("partial_programs", taken["partial_programs"], 0, _nestrt.MAX_PARTIAL_PROGRAMS)
    if "computed_constants" in taken:
        taken["computed_constants"] = integer("computed_constants", taken["computed_constants"], 0, 4096)
    if not isinstance(taken.get("target", ""), str):
        taken["target"] = ",".join(taken["target"])
    _names(taken, "expose", "disabled_passes")
    return taken


def _check_bindings(how: Mapping[str, Any]) -> None:
    """An array has its shape: another one that is stated for its input could not be meant."""
    bindings = how["bindings"]
    if not isinstance(bindings, Mapping):
        raise TypeError(f"bindings: expected {{input: array}}, got {bindings!r}")
    for option, stated in [("input_shapes", how.get("input_shapes", {})),
                           *(("other_shapes", each) for each in how.get("other_shapes", ()))]:
        for name in stated.keys() & bindings.keys():
            bound = np.shape(bindings[name])
            if tuple(stated[name]) != bound:
                raise InvalidArgument(f"{option}: input '{name}' is {tuple(stated[name])}, and bindings give it an "
                                      f"array of {bound}; leave it out of {option}, or bind another array", "compile")


def _one_shape(how: Dict[str, Any], what: str) -> Dict[str, Any]:
    if "other_shapes" in how:
        raise TypeError(f"{what}() looks at one shape at a time: input_shapes")
    return how


def calibrate(
    model: Model,
    samples: Samples,
    *,
    method: str = "mse",
    percentile: float = DEFAULT_PERCENTILE,
    limit: int = 0,
    skip_unreadable: bool = False,
    workers: WorkerChoice = None,
    progress: Optional[Progress] = None,
    **options: Any,
) -> Calibration:
    """Observes every value of a network over sample data.

    samples: a folder of images or .npy arrays, a .npy file or an array of N inputs, or an iterable of arrays of the
        input's shape. Of a network with several inputs: {name: array of N}, an iterable of dicts, or a folder that has
        a folder for each input, under its name, with files of the same names.
    method: how exponents are chosen: "mse", "minmax", "percentile" (of elements, unclipped) or "kl".
    limit: at most so many samples, evenly from all; 0: all.
    workers: who observes: a number of processes, "local" (one for each core), "ray", "ray=ADDRESS"; None: this process.
        The calibration is the same, to the byte.
    progress: called with ("calibrating", done, total).
    options: those of compile() but output and quantize.

    Raises InvalidModel, Unsupported, InvalidArgument, NotFound. KeyboardInterrupt ends it.
    """
    how = _one_shape(_compile_options(options), "calibrate")
    _reject(options, "calibrate")
    check_method(method)
    check_percentile(percentile, method)
    _note_plain_images(samples, how)
    samples = samples_for(lambda: inputs_of(model, how), "network", samples)
    if workers is not None:
        return Calibration(_sweeps.observe(model, samples, how, method=method, percentile=percentile, limit=limit,
                                           skip_unreadable=skip_unreadable, workers=workers, progress=progress))
    with model_file(model) as path, sample_files(samples, limit, skip_unreadable) as files:
        return Calibration(_nestrt.calibrate(path, how, files, method, percentile, progress))


def sensitivity(
    model: Model,
    calibration: Union[Calibration, Samples],
    samples: Optional[Samples] = None,
    *,
    limit: int = 16,
    all_but_one: bool = True,
    workers: WorkerChoice = None,
    progress: Optional[Progress] = None,
    **options: Any,
) -> SensitivityReport:
    """Measures which layers of a classifier can least afford 8 bits, as `nestc calibrate --sensitivity`.

    calibration: a Calibration, its .yaml file, or samples to make one of. samples: to measure over; default: those of the
        calibration. limit: at most so many, evenly from all.
    all_but_one: also what keeping each layer in floating point gains, in as much time again.
    workers: who measures, a layer a task (calibrate()). progress: called with ("layers", done, total).
    options: those of compile() that say what is compiled, and scales, per_tensor, rounding, corrections, keep_f32.
    """
    how = _one_shape(_compile_options(options), "sensitivity")
    quantization = _quantize_options(options)
    _reject(options, "sensitivity")
    if samples is None:
        if _is_calibration(calibration):
            raise TypeError("sensitivity: a Calibration does not hold its samples; give samples=")
        samples = calibration = _read_once(calibration)
    else:
        samples = samples_for(lambda: inputs_of(model, how), "network", samples)
    if not _is_calibration(calibration):
        calibration = calibrate(model, calibration, workers=workers, **how)
    seen = _calibration_of("", calibration, {"percentile": None}, how)
    _take_preprocessing(seen, how)
    _note_plain_images(samples, how)
    return _sweeps.sensitivity(model, seen, samples, limit=limit, all_but_one=all_but_one, workers=workers,
                               progress=progress, options=how, quantize=quantization)


def _is_calibration(value: Any) -> bool:
    """Not samples to make one of."""
    if isinstance(value, Calibration):
        return True
    return isinstance(value, (str, os.PathLike)) and path_text(value).endswith((".yaml", ".yml"))


def _read_once(samples: Any) -> Any:
    """Iterators as lists, which can be read again."""
    return samples if isinstance(samples, (str, os.PathLike, np.ndarray, Mapping)) else stacked(samples)


def _take_preprocessing(calibration: Calibration, how: Dict[str, Any]) -> None:
    """Images go through what those of the calibration went through."""
    if calibration.preprocessing is None:
        return
    stated = _keywords(calibration.preprocessing)
    if _by_channel(how.setdefault("preprocessing", stated)) != _by_channel(stated):
        raise InvalidArgument(
            f"the calibration is of images that went through {calibration.preprocessing}; leave preprocessing= out, or "
            "calibrate anew", "sensitivity"
        )


def _by_channel(preprocessing: Dict[str, Any]) -> Dict[str, Any]:
    """With a number for each of three channels, where there is one for all."""
    defaults = _keywords(Preprocessing())
    numbers = {name: (list(preprocessing[name]) * 3 if len(preprocessing[name]) == 1 else list(preprocessing[name]))
               for name in ("mean", "scale")}
    return {**defaults, **preprocessing, **numbers}


def _check_search(max_loss: Optional[float], calibration: Any, search_samples: Any, labels: Any, limit: Optional[int],
                  budget: Optional[int], offset: int) -> None:
    searched = dict(search_samples=search_samples, labels=labels, search_limit=limit, search_budget=budget)
    if max_loss is None:
        useless(**{name: "max_loss" for name, value in searched.items() if value is not None})
    if labels is None and offset != 0:
        useless(label_offset="labels")
    if max_loss is None:
        return
    within({"search_limit": (limit, 0, 2**31 - 1), "search_budget": (budget, 1, 2**31 - 1),
            "label_offset": (offset, -(10**9), 10**9)})
    if isinstance(max_loss, bool) or not -100 <= max_loss <= 100:
        raise ValueError(f"max_loss: expected points, -100 to 100, got {max_loss}")
    if labels is not None and not isinstance(labels, (str, os.PathLike)):
        raise TypeError("labels: expected a file of lines image<TAB>class")
    if search_samples is None and _is_calibration(calibration):
        raise TypeError("max_loss: a Calibration does not hold its samples; give search_samples=")


def _note_plain_images(samples: Any, how: Mapping[str, Any]) -> None:
    """A network is seldom meant for pixels of 0 to 255."""
    if how.get("preprocessing") is not None or not isinstance(samples, (str, os.PathLike)):
        return
    if os.path.isdir(samples) and any(not path.lower().endswith(".npy")
                                      for files in runs_of_folder(path_text(samples)) for path in files):
        warnings.warn("no preprocessing is stated: images enter as pixels of 0 to 255; see nestrt.Preprocessing",
                      stacklevel=3)


def _calibration_of(model: str, calibration: Any, options: Dict[str, Any], how: Dict[str, Any]) -> Calibration:
    if isinstance(calibration, Calibration):
        method, percentile = options.get("method") or "", options["percentile"]
        if not method and percentile is None:
            return calibration
        with tempfile.TemporaryDirectory(prefix="nestrt-") as folder:
            calibration.save(os.path.join(folder, "profile.yaml"))
            return Calibration.load(os.path.join(folder, "profile.yaml"), method=method, percentile=percentile)
    if isinstance(calibration, (str, os.PathLike)) and path_text(calibration).endswith((".yaml", ".yml")):
        method = options.get("method") or ""
        return Calibration.load(calibration, method=method, percentile=options["percentile"])
    percentile = DEFAULT_PERCENTILE if options["percentile"] is None else options["percentile"]
    return calibrate(model, calibration, **how,
                     **{**options, "method": options.get("method") or "mse", "percentile": percentile})


def compile(
    model: Model,
    output: Optional[PathLike] = None,
    *,
    quantize: Optional[str] = None,
    calibration: Union[Calibration, Samples, None] = None,
    max_loss: Optional[float] = None,
    search_samples: Optional[Samples] = None,
    search_limit: Optional[int] = None,
    search_budget: Optional[int] = None,
    labels: Optional[PathLike] = None,
    label_offset: int = 0,
    method: Optional[str] = None,
    percentile: Optional[float] = None,
    calibration_limit: int = 0,
    skip_unreadable: bool = False,
    workers: WorkerChoice = None,
    progress: Optional[Progress] = None,
    **options: Any,
) -> Plan:
    """Compiles an ONNX model into a plan.

    model: a path, bytes, or an onnx.ModelProto.
    output: the file to write; without one the plan is in memory (Plan.save() writes it).
    target: what the plan may run on, one or several: "zcu102" or a board's .yaml, "host", "x86-64-v3", "aarch64",
        "evta:1x16_15_15_18_17" and others.
    input_shapes: {name: shape}, fixes dynamic dimensions. other_shapes: a list of such, for all of which the plan is
        made; sessions take the one that fits. bindings: {name: array}, inputs that become constants.
    preprocessing: what becomes of images, nestrt.Preprocessing or a dict; kept in the plan.
    expose: inner values that become outputs. layout: "auto" or "plain". disabled_passes: names of `nestc compile
        --passes`. pieces: programs for shares of a layer's channels. tuning_cache: a file, or "none".
    computed_constants: megabytes of constants that the compiler may compute beyond the model's own, 0 to 4096.
    quantize: "s8": 8-bit integers; inputs and outputs stay real numbers. It takes
        calibration: a Calibration, its .yaml file, or what calibrate() takes as samples;
        method, percentile, calibration_limit, skip_unreadable: as calibrate();
        scales: "tensor" or "single"; per_tensor: one scale for all channels of weights; rounding: "half_up" or
        "floor"; corrections: of "equalisation", "weights", "bias"; keep_f32: operators that stay in floating point.
    max_loss: look for a quantization that loses at most so many points of top-1, over search_samples (default: the
        samples of the calibration; at most search_limit of them, 100, 0: all), with labels (lines image<TAB>class)
        against them, without against f32; label_offset: what a class there is more than the network's index.
        search_budget: quantizations that are tried at most, 32.
    workers: who calibrates and measures (calibrate()); what is found is the same.
    progress: called with (what, done, total); total is 0 where it is not known.

    The plan's `report` says what became of the quantization. Raises InvalidModel, Unsupported, InvalidArgument,
    NotFound. KeyboardInterrupt ends it, and nothing is written.
    """
    how = _compile_options(options)
    quantization = _quantize_options(options)
    _reject(options, "compile")
    _check_quantize(quantize, calibration, quantization, max_loss, method, percentile)
    _check_samples(quantize, calibration, max_loss, calibration_limit, skip_unreadable, workers)
    _check_search(max_loss, calibration, search_samples, labels, search_limit, search_budget, label_offset)
    search_limit = 100 if search_limit is None else search_limit
    search_budget = 32 if search_budget is None else search_budget
    with model_file(model) as path:
        if output is not None:
            _nestrt.check_output(path_text(output), [path, *_paths(calibration, search_samples, labels)])
        seen = None
        if quantize is not None:
            if not _is_calibration(calibration):
                calibration = _read_once(calibration)
            ways = dict(method=method, percentile=percentile, limit=calibration_limit, skip_unreadable=skip_unreadable,
                        workers=workers, progress=progress)
            seen = _calibration_of(path, calibration, ways, {k: v for k, v in how.items() if k != "other_shapes"})
        if max_loss is None:
            core, report = _nestrt.compile(path, how, seen._core if seen else None, quantization, None, progress)
        else:
            assert seen is not None  # as max_loss goes with quantize
            data = calibration
            if search_samples is not None:
                data = samples_for(lambda: inputs_of(path, how), "network", search_samples)
            if seen.preprocessing is None and search_samples is not None:
                _note_plain_images(data, how)
            scored = dict(labels=labels, offset=label_offset)
            with sample_files(data, search_limit, skip_unreadable) as files, _sweeps.measuring(
                model, seen, data, search_limit, workers, how, skip_unreadable=skip_unreadable, **scored,
            ) as measure:
                search = given(**files, **scored, max_loss=float(max_loss), budget=search_budget, measure=measure)
                core, report = _nestrt.compile(path, how, seen._core, quantization, search, progress)
    return _finish(core, report, output, max_loss)


def _paths(*values: Any) -> Sequence[str]:
    return [path_text(value) for value in values if isinstance(value, (str, os.PathLike))]


def _check_quantize(
    quantize: Optional[str], calibration: Any, options: Dict[str, Any], max_loss: Optional[float],
    method: Optional[str], percentile: Optional[float],
) -> None:
    if quantize not in (None, "s8"):
        raise ValueError(f"quantize: expected None or 's8', got {quantize!r}")
    check_method(method or "", empty=True)
    check_percentile(percentile, method, _is_calibration(calibration))
    if quantize is None and (calibration is not None or options or max_loss is not None or method):
        raise TypeError("calibration, max_loss and how to quantize go with quantize='s8'")
    if quantize is not None and calibration is None:
        raise TypeError("quantize='s8' needs calibration=: a folder of images, arrays, or a nestrt.Calibration")


def _check_samples(quantize: Optional[str], calibration: Any, max_loss: Optional[float], limit: int,
                   skip_unreadable: bool, workers: WorkerChoice) -> None:
    """What says how samples are read needs some to read."""
    stated = {"calibration_limit": limit != 0, "skip_unreadable": skip_unreadable, "workers": workers is not None}
    if quantize is None:
        useless(**{name: "quantize='s8'" for name, is_stated in stated.items() if is_stated})
    if not _is_calibration(calibration):
        return
    stated_samples = dict(stated, **({} if max_loss is None else {"skip_unreadable": False, "workers": False}))
    useless(**{name: "samples to calibrate with, not a Calibration" for name, on in stated_samples.items() if on})


def _finish(core: Any, report: Dict[str, Any], output: Optional[PathLike], max_loss: Optional[float]) -> Plan:
    if core is None:
        best = report["trials"][report["chosen"]]
        raise InvalidArgument(
            f"no quantization of {len(report['trials'])} tried loses at most {max_loss} points; the best loses "
            f"{best['loss']:.2f} ({best['options']}); allow more, or raise search_budget", "compile"
        )
    for note in report["notes"]:
        warnings.warn(note.replace("--offset -1", "label_offset=-1"), stacklevel=3)
    plan = Plan._of(core, report)
    if output is None:
        return plan
    plan.save(output)
    written = Plan(output)
    written._report = report
    return written


def check(
    model: Model,
    plan: Union[Plan, PathLike, bytes],
    inputs: Union[Mapping[str, np.ndarray], Samples, None] = None,
    *,
    random_runs: int = 1,
    seed: int = 0,
    layers: bool = False,
    limit: int = 0,
    tolerance: float = 1e-4,
    absolute_tolerance: Optional[float] = None,
    min_agreement: float = 0.9,
    min_snr_db: Optional[float] = None,
    python: Optional[PathLike] = None,
) -> CheckReport:
    """Compares a plan with ONNX Runtime on the model itself.

    inputs: {name: array} for one run; an array of N inputs or arrays for a run each (dicts of several inputs), or a
        folder of samples as calibrate() takes it; None: random ones.
    layers: by operator, too, with the first of the inputs. tolerance: a share of the largest element of each tensor.
    min_agreement, min_snr_db: what a quantized plan must keep. Outputs of class scores: that share of the top classes;
        of integers, as of ArgMax: that share of the elements; others: that ratio of signal to noise (None: 10, or
        differences of 1/256 at most of what goes from 0 to 1).
    python: an interpreter with onnxruntime, onnx and numpy; default: this one if it has them, else a private
        environment, made on first use.

    Raises Unavailable where ONNX Runtime cannot be had.
    """
    within({"random_runs": (random_runs, 1, 10**6), "seed": (seed, 0, 2**32 - 1), "limit": (limit, 0, 2**31 - 1),
            "tolerance": (tolerance, 0.0, 1e9), "absolute_tolerance": (absolute_tolerance, 0.0, 1e30),
            "min_agreement": (min_agreement, 0.0, 1.0), "min_snr_db": (min_snr_db, -1e3, 1e3)})
    options = given(random_runs=random_runs, seed=seed, layers=layers, tolerance=tolerance, min_agreement=min_agreement,
                    absolute_tolerance=absolute_tolerance, min_snr_db=min_snr_db, python=python)
    if python is None and all(importlib.util.find_spec(name) for name in ("onnxruntime", "onnx", "numpy")):
        options["python"] = sys.executable
    with model_file(model) as path, plan_file(plan) as compiled, tempfile.TemporaryDirectory(prefix="nestrt-") as folder:
        samples: Sequence[Mapping[str, np.ndarray]] = []
        if isinstance(inputs, Mapping):
            options["inputs"] = named_files(_one_run(Plan(compiled), inputs), folder)
        elif inputs is not None:
            samples = _runs_of(Plan(compiled), inputs, limit)  # in the plan's order of inputs
            if not samples:
                raise ValueError("check: the inputs are empty; give an image or an array at least, or None for random ones")
        rows = [list(sample.values()) for sample in samples]
        with of_arguments(options.get("inputs", {})):
            return CheckReport._of(_nestrt.check(path, compiled, rows, options))


def _one_run(plan: Plan, arrays: Mapping[str, Any]) -> Dict[str, Any]:
    """The plan's inputs; and others, which are the model's that the plan has bound."""
    expected = {each.name: each for each in plan.inputs}
    if not arrays.keys() >= expected.keys():
        check_names(arrays, list(expected), "plan", "check")
    return {**arrays, **{name: fitting(np.asarray(arrays[name]), each) for name, each in expected.items()}}


def _runs_of(plan: Plan, inputs: Any, limit: int) -> Sequence[Mapping[str, np.ndarray]]:
    """The arrays of each run."""
    if isinstance(inputs, (str, os.PathLike)):
        path = path_text(inputs)
        if path.endswith(".npy"):
            return _runs_of(plan, np.load(path, allow_pickle=False), limit)
        return [run_of_files(plan, path, files) for files in evenly(runs_of_folder(path), limit)]
    first = plan.inputs[0]
    rows = [inputs] if isinstance(inputs, np.ndarray) and inputs.shape == first.shape else stacked(inputs)
    if isinstance(rows, dict):
        runs = range(len(next(iter(rows.values()))))
        return [by_name(plan, {name: array[at] for name, array in rows.items()}) for at in evenly(runs, limit)]
    return [by_name(plan, {first.name: array}) for array in evenly(rows, limit)]


def bench(
    plan: Union[Plan, PathLike, bytes],
    units: str = "cpu",
    *,
    inputs: Optional[Mapping[str, np.ndarray]] = None,
    runs: int = 100,
    warmup: int = 10,
    per_op: bool = False,
    per_unit: bool = False,
    pipeline: int = 0,
    against: Optional[str] = None,
    trace: Optional[PathLike] = None,
    **options: Any,
) -> BenchReport:
    """Measures latency, load time and memory of a plan.

    inputs: an array for each input, by name; default: random ones. runs, warmup: inferences. per_op, per_unit: times of each, too. pipeline: the throughput with so many in flight.
    against: compare with another schedule. trace: a file of the last runs for ui.perfetto.dev.
    options: those of Units, and schedule, split, partition, cost_file, check_every of Session.
    An interrupt ends it, with KeyboardInterrupt, or what else the program's handler raises; where that is nothing, the
    report is of the runs until then.
    """
    where = _take(options, _UNITS)
    _reject(options, "bench")
    if not isinstance(inputs, (Mapping, type(None))):
        raise TypeError(f"inputs: expected {{name: array}}, got {type(inputs).__name__}")
    within({"runs": (runs, 1, 10**9), "warmup": (warmup, 0, 10**9), "pipeline": (pipeline, 0, 1024)})
    what = given(runs=runs, warmup=warmup, per_op=per_op, per_unit=per_unit, pipeline=pipeline, against=against,
                 trace=trace)
    with plan_file(plan) as path, tempfile.TemporaryDirectory(prefix="nestrt-") as folder:
        if inputs:
            check_names(inputs, [each.name for each in Plan(path).inputs], "plan", "bench")
        files = named_files(dict(inputs or {}), folder)
        what["inputs"] = [f"{name}={file}" for name, file in files.items()]
        try:
            with of_arguments(files):
                figures = json.loads(_nestrt.bench(path, {**where, "units": units}, what))
        except Cancelled:
            signal.raise_signal(signal.SIGINT)
            raise
    if figures["runs"] < runs:
        signal.raise_signal(signal.SIGINT)
    return BenchReport._of(figures)


def simulate(
    plan: Union[Plan, PathLike, bytes],
    board: PathLike = "zcu102",
    *,
    profiles: Sequence[PathLike] = (),
    npu_clocks_mhz: Sequence[float] = (),
    cpu_scales: Sequence[float] = (),
    threads: Optional[int] = None,
    instances: Optional[int] = None,
    memory_mb_per_s: Optional[float] = None,
    transfer_scale: float = 1.0,
    wait_scale: float = 1.0,
    budget_ms: Optional[int] = None,
    concurrent_plans: Sequence[PathLike] = (),
    urgent: bool = False,
    trace: Optional[PathLike] = None,
) -> SimulateReport:
    """Predicts the latency of a plan on a described board, in virtual time.

    board: the name of one that nestrt knows, or the path of its .yaml. profiles: files of costs (profile()); default:
    the board's. npu_clocks_mhz, cpu_scales: for a table of what-ifs. concurrent_plans: plans of
    other sessions on the same units. transfer_scale, wait_scale: factors of the costs of transfers and of waiting.
    budget_ms: time limit for each search.

    Raises NotFound where a cost is missing, InvalidArgument for a board that is none.
    """
    for scale in cpu_scales:
        within({"cpu_scales": (scale, 1e-3, 1e3)})
    for clock in npu_clocks_mhz:
        within({"npu_clocks_mhz": (clock, 1.0, 1e4)})
    within({"memory_mb_per_s": (memory_mb_per_s, 0.0, 1e6), "transfer_scale": (transfer_scale, 0.0, 1e3),
            "wait_scale": (wait_scale, 0.0, 1e6), "threads": (threads, 0, 1024), "instances": (instances, 0, 4),
            "budget_ms": (budget_ms, 1, 600_000)})
    if concurrent_plans and (cpu_scales or npu_clocks_mhz):
        raise TypeError("concurrent_plans: other sessions run at the board's own clock and speed; omit npu_clocks_mhz "
                        "and cpu_scales")
    if urgent and not concurrent_plans:
        useless(urgent="concurrent_plans")
    options = given(
        board=board, profiles=names("profiles", profiles), npu_clocks_mhz=[*map(float, npu_clocks_mhz)],
        cpu_scales=[*map(float, cpu_scales)], threads=threads, instances=instances, memory_mb_per_s=memory_mb_per_s,
        transfer_scale=transfer_scale, wait_scale=wait_scale, budget_ms=budget_ms,
        concurrent_plans=names("concurrent_plans", concurrent_plans), urgent=urgent, trace=trace,
    )
    with plan_file(plan) as path:
        return SimulateReport._of(json.loads(_nestrt.simulate(path, options)))


def profile(
    plan: Union[Plan, PathLike, bytes],
    output: Optional[PathLike] = None,
    units: str = "cpu",
    *,
    counts: Sequence[int] = (),
    precision: float = 0.03,
    max_runs: int = 200,
    max_seconds: float = 20.0,
    clocks: Optional[Mapping[str, float]] = None,
    **options: Any,
) -> ProfileReport:
    """Measures what each operator of a plan costs on each unit, for schedules.

    output: a file of costs to write, for simulate() and Session(cost_file=...).
    counts: numbers of threads; default: 1, 2, 4 ... and all. precision: ends when the 95 % interval of every median
    reaches no further than this part of it; or after max_runs inferences or max_seconds for each way to run the plan.
    clocks: MHz by unit, which the costs then state and simulate() goes by; default: of the CPU what Linux says.
    options: those of Units.
    """
    where = _take(options, _UNITS)
    _reject(options, "profile")
    within({"max_runs": (max_runs, 1, 10**9), "precision": (precision, 1e-4, 1.0),
            "max_seconds": (max_seconds, 1e-3, 1e6)})
    what = given(output=output, threads=list(counts) or None, precision=precision, max_runs=max_runs,
                 max_seconds=max_seconds)
    what["clocks"] = [f"{unit}={mhz}" for unit, mhz in dict(clocks or {}).items()]
    with plan_file(plan) as path:
        return ProfileReport._of(json.loads(_nestrt.profile(path, {**where, "units": units}, what)))
