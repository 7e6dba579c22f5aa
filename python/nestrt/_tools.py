# SPDX-License-Identifier: Apache-2.0
"""Implements compile(), calibrate(), sensitivity(), check(), bench(), simulate() and profile()."""

from __future__ import annotations

import contextlib
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
from ._files import (check_names, inputs_of, load_samples, model_file, name_arguments, plan_file, sample_files,
                     stack_samples, write_arrays)
from ._options import UNIT_OPTIONS, compile_options, quantize_options, reject_unknown, require_one_shape, take_options
from ._plan import PathLike, Plan, Preprocessing, _keywords
from ._sample_files import SampleFiles, is_path_list
from ._samples import as_input, by_name, read_sample, select_evenly
from ._reports import (DEFAULT_PERCENTILE, BenchReport, Calibration, CheckReport, ProfileReport, SimulateReport,
                       check_method, check_percentile)
from ._session import drop_none
from ._sweeps import SensitivityReport, WorkerChoice
from . import _sweeps
from ._values import check_ranges, names, path_text, reject_unused

Model = Any  # a path, bytes, or an onnx.ModelProto
Arrays = Union[np.ndarray, Mapping[str, np.ndarray]]  # of one input, or of several by name
Samples = Union[PathLike, Arrays, Iterable[Arrays]]
Progress = Callable[[str, int, int], None]


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

    samples: a folder of images or .npy arrays, whose subfolders are searched; a text file with one path per line,
        relative to its folder; a list of paths; a .npy file; an array of N inputs; or an iterable of arrays of the
        input's shape. For several inputs: {name: array of N}, an iterable of dicts, or a folder with one subfolder per
        input, named after it, whose files have the same names.
    method: how exponents are chosen: "mse", "minmax", "percentile" or "kl".
    percentile: with method="percentile", the percentage of elements that are not clipped.
    limit: use at most N samples, evenly spaced over all of them; 0 uses all.
    skip_unreadable: skip images that cannot be read.
    workers: a number of processes, "local" (one per core), "ray" or "ray=ADDRESS"; None uses this process. The result
        is the same to the byte.
    progress: called with ("calibrating", done, total).
    options: those of compile(), except output and quantize.

    Raises InvalidModel, Unsupported, InvalidArgument, NotFound. KeyboardInterrupt ends the work.
    """
    how = require_one_shape(compile_options(options), "calibrate")
    reject_unknown(options, "calibrate")
    check_method(method)
    check_percentile(percentile, method)
    samples = load_samples(lambda: inputs_of(model, how), "network", samples)
    _note_plain_images(samples, how)
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
    """Measures which layers of a classifier are most sensitive to 8-bit quantization, like `nestc calibrate
    --sensitivity`.

    calibration: a Calibration, its .yaml file, or samples for a new one.
    samples: the samples to measure with; default: those of the calibration.
    limit: use at most N samples, evenly spaced over all of them.
    all_but_one: also measure the gain of keeping each layer in floating point, which doubles the time.
    workers: distribute the work to these workers, with one task per layer (see calibrate()).
    progress: called with ("layers", done, total).
    options: those of compile() that define what is compiled, and scales, per_tensor, rounding, corrections, keep_f32.
    """
    how = require_one_shape(compile_options(options), "sensitivity")
    quantization = quantize_options(options)
    reject_unknown(options, "sensitivity")
    if samples is None:
        if _is_calibration(calibration):
            raise TypeError("sensitivity: a Calibration does not hold its samples; give samples=")
        samples = calibration = load_samples(lambda: inputs_of(model, how), "network", calibration)
    else:
        samples = load_samples(lambda: inputs_of(model, how), "network", samples)
    if not _is_calibration(calibration):
        calibration = calibrate(model, calibration, workers=workers, **how)
    stats = _calibration_of("", calibration, {"percentile": None}, how)
    _take_preprocessing(stats, how)
    _note_plain_images(samples, how)
    return _sweeps.sensitivity(model, stats, samples, limit=limit, all_but_one=all_but_one, workers=workers,
                               progress=progress, options=how, quantize=quantization)


def _is_calibration(value: Any) -> bool:
    """Returns whether the value is a calibration, not samples for a new one."""
    if isinstance(value, Calibration):
        return True
    return isinstance(value, (str, os.PathLike)) and path_text(value).endswith((".yaml", ".yml"))


def _read_once(samples: Any) -> Any:
    """Returns iterators as arrays, which can be read again."""
    if isinstance(samples, (str, os.PathLike, np.ndarray, Mapping, SampleFiles)) or is_path_list(samples):
        return samples
    return stack_samples(samples)


def _take_preprocessing(calibration: Calibration, how: Dict[str, Any]) -> None:
    """Preprocesses images like those of the calibration."""
    if calibration.preprocessing is None:
        return
    stated = _keywords(calibration.preprocessing)
    if _by_channel(how.setdefault("preprocessing", stated)) != _by_channel(stated):
        raise InvalidArgument(
            f"the calibration images were preprocessed with {calibration.preprocessing}; omit preprocessing=, or "
            "calibrate again", "sensitivity"
        )


def _by_channel(preprocessing: Dict[str, Any]) -> Dict[str, Any]:
    """Returns the preprocessing with mean and scale for each of three channels."""
    defaults = _keywords(Preprocessing())
    numbers = {name: (list(preprocessing[name]) * 3 if len(preprocessing[name]) == 1 else list(preprocessing[name]))
               for name in ("mean", "scale")}
    return {**defaults, **preprocessing, **numbers}


def _check_search(max_loss: Optional[float], calibration: Any, search_samples: Any, labels: Any, limit: Optional[int],
                  budget: Optional[int], offset: int) -> None:
    searched = dict(search_samples=search_samples, labels=labels, search_limit=limit, search_budget=budget)
    if max_loss is None:
        reject_unused(**{name: "max_loss" for name, value in searched.items() if value is not None})
    if labels is None and offset != 0:
        reject_unused(label_offset="labels")
    if max_loss is None:
        return
    check_ranges({"search_limit": (limit, 0, 2**31 - 1), "search_budget": (budget, 1, 2**31 - 1),
            "label_offset": (offset, -(10**9), 10**9)})
    if isinstance(max_loss, bool) or not -100 <= max_loss <= 100:
        raise ValueError(f"max_loss: expected -100 to 100 percentage points, got {max_loss}")
    if labels is not None and not isinstance(labels, (str, os.PathLike)):
        raise TypeError("labels: expected a file with lines image<TAB>class")
    if search_samples is None and _is_calibration(calibration):
        raise TypeError("max_loss: a Calibration does not hold its samples; give search_samples=")


def _note_plain_images(samples: Any, how: Mapping[str, Any]) -> None:
    """Warns if images are used without preprocessing, since few networks expect pixels from 0 to 255."""
    if how.get("preprocessing") is not None or not isinstance(samples, SampleFiles):
        return
    if any(not path.lower().endswith(".npy") for row in samples.rows for path in row):
        warnings.warn("no preprocessing is stated: pixels stay 0 to 255; see nestrt.Preprocessing",
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
    reconstruct: bool = False,
    min_snr: Optional[float] = None,
    snr_samples: Optional[Samples] = None,
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
    output: the file to write; None keeps the plan in memory (Plan.save() writes it).
    target: one or several targets: "zcu102" or a board's .yaml, "host", "x86-64-v3", "aarch64", "evta:1x16_15_15_18_17"
        and others.
    input_shapes: {name: shape}, fixes dynamic dimensions.
    other_shapes: further input_shapes that the plan supports; sessions select the matching one.
    bindings: {name: array}, inputs that become constants.
    preprocessing: the preprocessing of images, a nestrt.Preprocessing or a dict; stored in the plan.
    expose: intermediate values that become outputs.
    layout: "auto" or "plain".
    disabled_passes: names listed by `nestc compile --passes`.
    partial_programs: the number of programs for slices of a layer's channels.
    tuning_cache: a file, or "none".
    computed_constants: the maximum size of constants that the compiler computes, in MB beyond the model's own, 0 to
        4096.
    qdq_rounding: how the tool that quantized the model rounds to scales that are powers of two: "half_even" (default,
        as in ONNX), "half_up" or "floor".
    quantize: "s8" uses 8-bit integers; inputs and outputs remain real numbers. The following options require it.
    calibration: a Calibration, its .yaml file, or samples as for calibrate().
    method, percentile, calibration_limit, skip_unreadable: as for calibrate().
    scales: "tensor" or "single".
    per_tensor: one scale for all channels of weights.
    rounding: "half_up", "floor" or "half_even".
    corrections: a list of "equalisation", "weights" and "bias".
    keep_f32: operators that stay in floating point.
    reconstruct: choose integer weights and biases layer by layer so that the outputs of each layer match f32 on the
        calibration samples; takes seconds to minutes. Not used if it increases the noise.
    min_snr: keep operators in floating point, the noisiest first, until every output has a signal-to-noise ratio of at
        least this many dB.
    snr_samples: samples for estimating the ratio; default: a part of the calibration samples, which does not choose the
        exponents of the estimate.
    max_loss: search for a quantization that loses at most this many percentage points of top-1.
    search_samples, search_limit: the samples of the search; default: those of the calibration, at most 100; 0 uses all.
    labels: a file with lines image<TAB>class to measure the loss against; default: the classes of the f32 network.
    label_offset: the class number in the labels minus the network's class index.
    search_budget: the maximum number of quantizations to try, 32 by default.
    workers: distribute calibration and measurements to these workers (see calibrate()); the result is the same.
    progress: called with (what, done, total); total is 0 if it is not known.

    Plan.report contains the details of the quantization. Warns if an output has a signal-to-noise ratio below 20 dB.
    Raises InvalidModel, Unsupported, InvalidArgument, NotFound.
    KeyboardInterrupt ends the work, and no file is written.
    """
    how = compile_options(options)
    quantization = quantize_options(options)
    reject_unknown(options, "compile")
    _check_quantize(quantize, calibration, quantization, max_loss, method, percentile)
    _check_samples(quantize, calibration, max_loss, calibration_limit, skip_unreadable, workers)
    _check_noise(quantize, calibration, reconstruct, min_snr, snr_samples)
    _check_search(max_loss, calibration, search_samples, labels, search_limit, search_budget, label_offset)
    search_limit = 100 if search_limit is None else search_limit
    search_budget = 32 if search_budget is None else search_budget
    with model_file(model) as path:
        if output is not None:
            _nestrt.check_output(path_text(output), [path, *_paths(calibration, search_samples, snr_samples, labels)])
        stats = None
        if quantize is not None:
            if not _is_calibration(calibration):
                calibration = _read_once(calibration)
            reading = dict(method=method, percentile=percentile, limit=calibration_limit,
                           skip_unreadable=skip_unreadable, workers=workers, progress=progress)
            stats = _calibration_of(path, calibration, reading, {k: v for k, v in how.items() if k != "other_shapes"})
        with contextlib.ExitStack() as stack:
            search = None
            if max_loss is not None:
                assert stats is not None  # max_loss requires quantize
                data = load_samples(lambda: inputs_of(path, how), "network",
                                    calibration if search_samples is None else search_samples)
                if stats.preprocessing is None and search_samples is not None:
                    _note_plain_images(data, how)
                label_options = dict(labels=labels, offset=label_offset)
                files = stack.enter_context(sample_files(data, search_limit, skip_unreadable))
                measure = stack.enter_context(_sweeps.measuring(
                    model, stats, data, search_limit, workers, how, skip_unreadable=skip_unreadable, **label_options))
                search = drop_none(**files, **label_options, max_loss=float(max_loss), budget=search_budget,
                                   measure=measure)
            noise = None
            if stats is not None and (snr_samples is not None or not _is_calibration(calibration)):
                data = load_samples(lambda: inputs_of(path, how), "network",
                                    calibration if snr_samples is None else snr_samples)
                files = stack.enter_context(
                    sample_files(data, calibration_limit if snr_samples is None else 0, skip_unreadable))
                noise = drop_none(**files, min_snr=None if min_snr is None else float(min_snr),
                                  have_calibrated=snr_samples is None)
                if reconstruct:
                    data = load_samples(lambda: inputs_of(path, how), "network", calibration)
                    noise["reconstruct"] = stack.enter_context(sample_files(data, calibration_limit, skip_unreadable))
            core, report = _nestrt.compile(path, how, stats._core if stats else None, quantization, search, noise,
                                           progress)
    return _finish(core, report, output, max_loss, min_snr)


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
        raise TypeError("calibration, max_loss and the quantization options require quantize='s8'")
    if quantize is not None and calibration is None:
        raise TypeError("quantize='s8' needs calibration=: a folder of images, arrays, or a nestrt.Calibration")


def _check_samples(quantize: Optional[str], calibration: Any, max_loss: Optional[float], limit: int,
                   skip_unreadable: bool, workers: WorkerChoice) -> None:
    """Rejects options about reading samples if no samples are read."""
    stated = {"calibration_limit": limit != 0, "skip_unreadable": skip_unreadable, "workers": workers is not None}
    if quantize is None:
        reject_unused(**{name: "quantize='s8'" for name, is_stated in stated.items() if is_stated})
    if not _is_calibration(calibration):
        return
    stated_samples = dict(stated, **({} if max_loss is None else {"skip_unreadable": False, "workers": False}))
    reject_unused(**{name: "samples to calibrate with, not a Calibration" for name, on in stated_samples.items() if on})


def _check_noise(quantize: Optional[str], calibration: Any, reconstruct: bool, min_snr: Optional[float],
                 samples: Any) -> None:
    """Rejects options that need samples without samples."""
    if quantize is None:
        stated = {"reconstruct": reconstruct, "min_snr": min_snr is not None, "snr_samples": samples is not None}
        reject_unused(**{name: "quantize='s8'" for name, is_stated in stated.items() if is_stated})
    if reconstruct and _is_calibration(calibration):
        raise TypeError("reconstruct: a Calibration does not hold its samples; give the samples as calibration=")
    if min_snr is None:
        return
    if isinstance(min_snr, bool) or not 0 <= min_snr <= 100:
        raise ValueError(f"min_snr: expected 0 to 100 dB, got {min_snr}")
    if samples is None and _is_calibration(calibration):
        raise TypeError("min_snr: a Calibration does not hold its samples; give snr_samples=")


def _finish(core: Any, report: Dict[str, Any], output: Optional[PathLike], max_loss: Optional[float],
            min_snr: Optional[float]) -> Plan:
    noise = report.get("noise")
    if noise is not None and not noise["met"]:
        raise InvalidArgument(f"no choice of operators in floating point reaches min_snr={min_snr}", "compile")
    if core is None:
        best = report["trials"][report["chosen"]]
        raise InvalidArgument(
            f"none of the {len(report['trials'])} quantizations tried loses at most {max_loss} points; the best loses "
            f"{best['loss']:.2f} ({best['options']}); increase max_loss or search_budget", "compile"
        )
    for note in report["notes"]:
        warnings.warn(note.replace("--offset -1", "label_offset=-1"), stacklevel=3)
    low = noise.pop("warning") if noise is not None else ""
    if low:
        warnings.warn(low, stacklevel=3)
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
    """Compares a plan with ONNX Runtime on the model.

    inputs: {name: array} for one run; an array of N inputs, an iterable of arrays (or of dicts for several inputs), or
        a folder of samples as for calibrate(), for one run each; None uses random inputs.
    random_runs, seed: the number of runs with random inputs, and their seed.
    layers: also compare each operator, with the first of the inputs.
    limit: use at most N samples, evenly spaced over all of them; 0 uses all.
    tolerance: the maximum difference, relative to the largest element of each tensor.
    absolute_tolerance: the maximum absolute difference.
    min_agreement: for a quantized plan, the minimum fraction of equal top classes of class scores, or of equal elements
        of integer outputs such as those of ArgMax.
    min_snr_db: for a quantized plan, the minimum signal-to-noise ratio of other outputs; None: 10 dB, or differences of
        at most 1/256 for outputs from 0 to 1.
    python: an interpreter with onnxruntime, onnx and numpy; default: this one if it has them, otherwise a private
        environment, which is created on first use.

    Raises Unavailable if ONNX Runtime is not available.
    """
    check_ranges({"random_runs": (random_runs, 1, 10**6), "seed": (seed, 0, 2**32 - 1), "limit": (limit, 0, 2**31 - 1),
            "tolerance": (tolerance, 0.0, 1e9), "absolute_tolerance": (absolute_tolerance, 0.0, 1e30),
            "min_agreement": (min_agreement, 0.0, 1.0), "min_snr_db": (min_snr_db, -1e3, 1e3)})
    options = drop_none(random_runs=random_runs, seed=seed, layers=layers, tolerance=tolerance,
                        min_agreement=min_agreement, absolute_tolerance=absolute_tolerance, min_snr_db=min_snr_db,
                        python=python)
    if python is None and all(importlib.util.find_spec(name) for name in ("onnxruntime", "onnx", "numpy")):
        options["python"] = sys.executable
    with model_file(model) as path, plan_file(plan) as compiled, tempfile.TemporaryDirectory() as folder:
        samples: Sequence[Mapping[str, np.ndarray]] = []
        if isinstance(inputs, Mapping):
            options["inputs"] = write_arrays(_one_run(Plan(compiled), inputs), folder)
        elif inputs is not None:
            samples = _runs_of(Plan(compiled), inputs, limit)  # in the plan's order of inputs
            if not samples:
                raise ValueError("check: the inputs are empty; give at least one sample, or None for random inputs")
        rows = [list(sample.values()) for sample in samples]
        with name_arguments(options.get("inputs", {})):
            return CheckReport._of(_nestrt.check(path, compiled, rows, options))


def _one_run(plan: Plan, arrays: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns the arrays of a run: the plan's inputs, and inputs of the model that the plan has bound."""
    expected = {each.name: each for each in plan.inputs}
    if not arrays.keys() >= expected.keys():
        check_names(arrays, list(expected), "plan", "check")
    return {**arrays, **{name: as_input(np.asarray(arrays[name]), each) for name, each in expected.items()}}


def _runs_of(plan: Plan, inputs: Any, limit: int) -> Sequence[Mapping[str, np.ndarray]]:
    """Returns the arrays of each run."""
    if isinstance(inputs, (str, os.PathLike)) and path_text(inputs).endswith(".npy"):
        return _runs_of(plan, np.load(path_text(inputs), allow_pickle=False), limit)
    if isinstance(inputs, (str, os.PathLike)) or is_path_list(inputs):
        files = load_samples(lambda: [each.name for each in plan.inputs], "plan", inputs)
        return [read_sample(plan, files.folder, row) for row in select_evenly(files.rows, limit)]
    first = plan.inputs[0]
    rows = [inputs] if isinstance(inputs, np.ndarray) and inputs.shape == first.shape else stack_samples(inputs)
    if isinstance(rows, dict):
        runs = range(len(next(iter(rows.values()))))
        return [by_name(plan, {name: array[at] for name, array in rows.items()}) for at in select_evenly(runs, limit)]
    return [by_name(plan, {first.name: array}) for array in select_evenly(rows, limit)]


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

    inputs: an array for each input, by name; default: random inputs.
    runs, warmup: the number of measured and of preceding inferences.
    per_op, per_unit: also measure each operator or unit.
    pipeline: also measure the throughput with N inferences in flight; 0 disables this.
    against: compare with another schedule.
    trace: write a trace of the last runs to this file, for ui.perfetto.dev.
    options: those of Units, and schedule, split, partition, cost_file, check_every of Session.

    An interrupt ends the measurement with KeyboardInterrupt, or with the exception of the program's signal handler. If
    the handler does not raise, the report covers the runs until then.
    """
    unit_options = take_options(options, UNIT_OPTIONS)
    reject_unknown(options, "bench")
    if not isinstance(inputs, (Mapping, type(None))):
        raise TypeError(f"inputs: expected {{name: array}}, got {type(inputs).__name__}")
    check_ranges({"runs": (runs, 1, 10**9), "warmup": (warmup, 0, 10**9), "pipeline": (pipeline, 0, 1024)})
    settings = drop_none(runs=runs, warmup=warmup, per_op=per_op, per_unit=per_unit, pipeline=pipeline, against=against,
                         trace=trace)
    with plan_file(plan) as path, tempfile.TemporaryDirectory(prefix="nestrt-") as folder:
        if inputs:
            check_names(inputs, [each.name for each in Plan(path).inputs], "plan", "bench")
        files = write_arrays(dict(inputs or {}), folder)
        settings["inputs"] = [f"{name}={file}" for name, file in files.items()]
        try:
            with name_arguments(files):
                figures = json.loads(_nestrt.bench(path, {**unit_options, "units": units}, settings))
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
    """Predicts the latency of a plan on a simulated board, in virtual time.

    board: the name of a known board, or the path of its .yaml.
    profiles: cost files (see profile()); default: the board's.
    npu_clocks_mhz, cpu_scales: NPU clocks and CPU speed factors for a table of predictions.
    concurrent_plans: plans of other sessions on the same units.
    urgent: whether this plan's session has priority over them.
    transfer_scale, wait_scale: factors of the costs of transfers and of waiting.
    budget_ms: time limit of each search.
    trace: write a trace to this file, for ui.perfetto.dev.

    Raises NotFound if a cost is missing, InvalidArgument for an invalid board.
    """
    for scale in cpu_scales:
        check_ranges({"cpu_scales": (scale, 1e-3, 1e3)})
    for clock in npu_clocks_mhz:
        check_ranges({"npu_clocks_mhz": (clock, 1.0, 1e4)})
    check_ranges({"memory_mb_per_s": (memory_mb_per_s, 0.0, 1e6), "transfer_scale": (transfer_scale, 0.0, 1e3),
            "wait_scale": (wait_scale, 0.0, 1e6), "threads": (threads, 0, 1024), "instances": (instances, 0, 4),
            "budget_ms": (budget_ms, 1, 600_000)})
    if concurrent_plans and (cpu_scales or npu_clocks_mhz):
        raise TypeError("concurrent_plans: other sessions run at the board's own clock and speed; omit npu_clocks_mhz "
                        "and cpu_scales")
    if urgent and not concurrent_plans:
        reject_unused(urgent="concurrent_plans")
    options = drop_none(
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
    """Measures the cost of each operator of a plan on each unit, for schedules.

    output: write the costs to this file, for simulate() and Session(cost_file=...).
    counts: numbers of threads; default: 1, 2, 4 and so on up to all.
    precision: stop when the 95 % interval of every median is within this fraction of it.
    max_runs, max_seconds: stop after this many inferences or seconds for each way to run the plan.
    clocks: the clock of each unit in MHz, stored with the costs and used by simulate(); default: the CPU clock that
        Linux reports.
    options: those of Units.
    """
    unit_options = take_options(options, UNIT_OPTIONS)
    reject_unknown(options, "profile")
    check_ranges({"max_runs": (max_runs, 1, 10**9), "precision": (precision, 1e-4, 1.0),
            "max_seconds": (max_seconds, 1e-3, 1e6)})
    settings = drop_none(output=output, threads=list(counts) or None, precision=precision, max_runs=max_runs,
                         max_seconds=max_seconds)
    settings["clocks"] = [f"{unit}={mhz}" for unit, mhz in dict(clocks or {}).items()]
    with plan_file(plan) as path:
        return ProfileReport._of(json.loads(_nestrt.profile(path, {**unit_options, "units": units}, settings)))
