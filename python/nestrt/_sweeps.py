# SPDX-License-Identifier: Apache-2.0
"""evaluate() and sensitivity(): many runs, which workers share."""

from __future__ import annotations

import contextlib
import math
import os
import warnings
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from . import _nestrt
from . import _tasks as tasks
from ._errors import InvalidArgument
from ._files import model_file, samples_for
from ._plan import PathLike, Plan
from ._reports import Calibration, Report
from ._samples import Piece, evenly, number_of, pieces
from ._session import as_plan
from ._workers import Workers, open_workers
from ._values import integer, path_text

WorkerChoice = Union[str, int, None]
Progress = Callable[[str, int, int], None]

SAMPLES_OF_TASK = 32  # of an evaluation


@contextlib.contextmanager
def opened(workers: WorkerChoice) -> Iterator[Workers]:
    pool = open_workers(workers)
    try:
        yield pool
    finally:
        pool.close()


def content_of(model: Any) -> bytes:
    """A model for workers that may be on another machine. Data beside it (external tensors) stays behind."""
    with model_file(model) as path, open(path, "rb") as file:
        return file.read()


def shared_model(model: Any, workers: WorkerChoice) -> Union[str, bytes]:
    """A path as long as workers are on this machine, so that data beside the model is found."""
    on_cluster = isinstance(workers, str) and workers.startswith("ray")
    if isinstance(model, (str, os.PathLike)) and not on_cluster:
        return os.path.abspath(path_text(model))
    return content_of(model)


def threads_of(workers: WorkerChoice) -> int:
    """A task of a cluster has one CPU; a process of this machine those that it was given."""
    return 1 if isinstance(workers, str) and workers.startswith("ray") else 0


def observe(model: Any, samples: Any, options: Dict[str, Any], *, method: str, percentile: float, limit: int,
            skip_unreadable: bool, workers: WorkerChoice, progress: Optional[Progress]) -> Any:
    """A calibration whose parts workers observe: the same as one of this process, to the byte."""
    shared = {"model": shared_model(model, workers), "options": options, "skip_unreadable": skip_unreadable,
              "threads": threads_of(workers)}
    with opened(workers) as pool:
        divided = pieces(samples, limit, _nestrt.SAMPLES_OF_PART)
        parts = pool.map(tasks.observe, shared, divided, "calibrating", progress)
    skipped = [why for _, reasons in parts for why in reasons]
    return _nestrt.merge_parts([part for part, _ in parts], skipped, method, percentile)


@dataclass(frozen=True)
class SensitivityReport(Report):
    """Which layers a network can least afford in 8 bits.

    all: samples, agreement with f32 (None without class scores) and snr_db where everything is s8. layers, the worst first: name, kind, mac_share, and
    the same figures where only it is s8 (only_it), and where all but it are (all_but_it).
    """

    samples: int = 0
    all: Optional[Dict[str, Any]] = None
    layers: Sequence[Dict[str, Any]] = ()

    def _rows(self) -> Tuple[Sequence[str], List[Sequence[Any]]]:
        rows = [[layer["name"], layer["kind"], layer["mac_share"], *layer["only_it"].values()]
                for layer in self.layers]
        return ("layer", "kind", "share of the work", "only it: SNR dB", "agreement"), rows


def sensitivity(model: Any, calibration: Calibration, samples: Any, *, limit: int = 16, all_but_one: bool = True,
                workers: WorkerChoice = None, progress: Optional[Progress] = None, options: Mapping[str, Any] = {},
                quantize: Mapping[str, Any] = {}) -> SensitivityReport:
    """Measures what each layer loses as the only one in s8, and gains as the only one that is not."""
    base = dict(quantize)
    with model_file(model) as path:
        named = _nestrt.quantized_layers(path, dict(options), calibration._core._text(), base)
    names = [name for name, _ in named]
    alone = [tuple(other for other in names if other != name) for name in names]
    but_one = [(name,) for name in names] if all_but_one and len(names) > 1 else []
    shared = _evaluation(model, calibration, samples, limit, workers, options)
    asked = [({**base, "keep_f32": [*base.get("keep_f32", ()), *kept]}, 0) for kept in [(), *alone, *but_one]]
    with opened(workers) as pool:
        scores = pool.map(tasks.score, shared, asked, "layers", progress)
    rows = []
    for index, (name, kind) in enumerate(named):
        only_it = scores[1 + index]
        rows.append({"name": name, "kind": kind, "mac_share": 1 - only_it["f32_share"], "only_it": _figures(only_it),
                     "all_but_it": _figures(scores[1 + len(names) + index]) if but_one else None})
    rows.sort(key=lambda row: math.inf if row["only_it"]["snr_db"] is None else row["only_it"]["snr_db"])
    return SensitivityReport._of({"samples": scores[0]["samples"], "all": _figures(scores[0]), "layers": rows})


def _evaluation(model: Any, calibration: Calibration, samples: Any, limit: int, workers: WorkerChoice,
                options: Mapping[str, Any], *, skip_unreadable: bool = False, labels: Optional[PathLike] = None,
                offset: int = 0) -> Dict[str, Any]:
    """What tasks.score needs."""
    limited = pieces(samples, limit, limit or 1 << 30)[0]
    given_labels = None
    if labels is not None:
        with open(labels, "rb") as file:
            given_labels = file.read()
    return {"model": shared_model(model, workers), "options": dict(options), "profile": calibration._core._text(),
            "percentile": calibration._core._percentile,
            "samples": limited.carried() if threads_of(workers) == 1 else limited,
            "skip_unreadable": skip_unreadable, "labels": given_labels, "offset": offset,
            "threads": threads_of(workers)}


Measure = Callable[[Sequence[Dict[str, Any]], int, Callable[[int], None]], List[Optional[Dict[str, Any]]]]


@contextlib.contextmanager
def measuring(model: Any, calibration: Calibration, samples: Any, limit: int, workers: WorkerChoice,
              options: Mapping[str, Any], **how: Any) -> Iterator[Optional[Measure]]:
    """What measures for a search of quantizations; None: the search does itself."""
    if workers is None:
        yield None
        return
    shared = _evaluation(model, calibration, samples, limit, workers, options, **how)
    with opened(workers) as pool:

        def measure(settings: Sequence[Dict[str, Any]], count: int, done: Callable[[int], None]) -> Any:
            asked = [(each, count) for each in settings]
            return pool.map(tasks.score_if_any, shared, asked, "", lambda _, finished, total: done(finished))

        yield measure


def _figures(score: Mapping[str, Any]) -> Dict[str, Any]:
    return {"snr_db": score["snr_db"], "agreement": score["agreement"]}


@dataclass(frozen=True)
class EvaluateReport(Report):
    """How often a classifier is right: shares of the samples that have a label, with the 95 % interval of top1 (Wilson,
    1927). predictions: of each sample its name and five classes, the likeliest first; [-1] where a score is no number.
    """

    n: int = 0
    top1: Optional[float] = None
    top5: Optional[float] = None
    interval: Optional[Tuple[float, float]] = None
    predictions: Sequence[Tuple[str, List[int]]] = ()

    def agreement(self, other: "EvaluateReport") -> float:
        """The share of samples for which both name the same class first."""
        if [name for name, _ in self.predictions] != [name for name, _ in other.predictions]:
            raise ValueError("agreement: the evaluations are of different samples")
        same = sum(mine[0] == theirs[0] >= 0 for (_, mine), (_, theirs) in zip(self.predictions, other.predictions))
        return same / len(self.predictions)


def wilson(right: int, n: int) -> Tuple[float, float]:
    """The 95 % interval of a share."""
    z = 1.959964
    share = right / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def evaluate(
    plan: Union[Plan, PathLike, bytes],
    samples: Any,
    labels: Union[PathLike, Mapping[str, int], Sequence[int], None] = None,
    *,
    units: str = "cpu",
    offset: int = 0,
    limit: int = 0,
    workers: WorkerChoice = None,
    progress: Optional[Progress] = None,
) -> EvaluateReport:
    """Classifies samples, and counts how often the plan is right.

    samples: as calibrate() takes them; images are preprocessed as the plan states.
    labels: a file of lines image<TAB>class, a dict by file name, or a class for each sample in order (files of a
        folder: sorted by name, as text), those that `limit` leaves out too; None: classes only. Samples without a label do not count.
    offset: what a class of the labels is more than the plan's index.
    limit: at most so many samples, evenly from all, not the first; 0: all.
    workers: who classifies (calibrate()).
    """
    if not isinstance(units, str):
        raise TypeError(f"units: each worker opens its own; expected their names, as 'cpu,evta', got {units!r}")
    loaded = as_plan(plan)
    count = _number_of_classes(loaded)
    samples = samples_for(lambda: [each.name for each in loaded.inputs], "plan", samples)
    divided = pieces(samples, limit, SAMPLES_OF_TASK)
    labels = _of_those_taken(labels, samples, limit)
    names = [name for piece in divided for name in piece.names]
    classes = _classes(labels, names, range(offset, offset + count), is_whole=limit == 0)
    if loaded.inputs[0].preprocessing is None and any(not name.endswith((".npy", "]")) for name in names):
        warnings.warn("the plan states no preprocessing: images enter as pixels of 0 to 255; compile it with "
                      "preprocessing=", stacklevel=2)
    shared = {"plan": loaded.to_bytes(), "units": units, "threads": threads_of(workers)}
    with opened(workers) as pool:
        found = pool.map(tasks.classify, shared, divided, "samples", progress)
    predictions = [entry for part in found for entry in part]
    without = sum(top[0] < 0 for _, top in predictions)
    if without:
        warnings.warn(f"{without} of {len(predictions)} samples hold or got what is no number: they count as wrong", stacklevel=2)
    report: Dict[str, Any] = {"n": len(predictions), "predictions": predictions}
    if classes is not None:
        remark = _nestrt.remark_on_background(count, offset, max((each for each in classes if each is not None), default=0))
        if remark:
            warnings.warn(remark.replace("--offset -1", "offset=-1"), stacklevel=2)
        labelled = [(top, wanted - offset) for (_, top), wanted in zip(predictions, classes) if wanted is not None]
        n = len(labelled)
        right = sum(top[0] == wanted for top, wanted in labelled)
        remark = _nestrt.remark_on_guessing(right, n, count)
        if remark:
            warnings.warn(remark, stacklevel=2)
        among = sum(wanted in top for top, wanted in labelled)
        report.update(n=n, top1=right / n, top5=among / n, interval=wilson(right, n))
    return EvaluateReport._of(report)


def _number_of_classes(plan: Plan) -> int:
    """Of a network whose first output is one row of class scores."""
    shape = plan.outputs[0].shape
    count = math.prod(shape)
    if max(shape, default=1) != count or count < 2:
        raise InvalidArgument(f"output '{plan.outputs[0].name}' of shape {shape} is no row of class scores", "evaluate")
    if plan._core._gives_ranks():
        raise InvalidArgument(f"output '{plan.outputs[0].name}' is what a TopK gives: its places are ranks, and no classes",
                              "evaluate")
    return count


def _classes(labels: Any, names: Sequence[str], known: range, is_whole: bool) -> Optional[List[Optional[int]]]:
    """By sample; None for those without a label. is_whole: `names` are those of all samples."""
    if labels is None:
        return None
    if isinstance(labels, (str, os.PathLike)):
        labels = _read_labels(labels)
    if isinstance(labels, Mapping):
        classes = [_class(labels[name]) if name in labels else None for name in names]
        if all(wanted is None for wanted in classes):
            hint = "; rows of an array have the names '[0]', '[1]' and so on" if names[0] == "[0]" else ""
            taken = "" if is_whole else " that limit takes"
            raise InvalidArgument(f"the labels have no class for '{names[0]}', nor for any other sample{taken}{hint}",
                                  "evaluate")
        absent = sorted(set(labels) - set(names)) if is_whole else []
        if absent:
            warnings.warn(f"{len(absent)} of {len(labels)} labels are of no sample, the first of them '{absent[0]}': "
                          "they do not count", stacklevel=3)
    else:
        classes = [_class(label) for label in labels]
    for wanted in classes:
        if wanted is not None and wanted not in known:
            what = f"class {wanted} is none of the plan's, {known[0]} to {known[-1]}; see offset="
            raise InvalidArgument(what, "evaluate")
    return classes


def _of_those_taken(labels: Any, samples: Any, limit: int) -> Any:
    """Of a class for each sample those of the samples that `limit` takes; other labels have names."""
    if labels is None or isinstance(labels, (str, os.PathLike, Mapping)):
        return labels
    labels = list(labels)  # a column of a table is indexed by its own labels
    count = number_of(samples)
    if len(labels) != count:
        left_out = ", those that limit leaves out too" if limit else ""
        raise InvalidArgument(f"{len(labels)} labels are for {count} samples; give a class for each{left_out}",
                              "evaluate")
    return evenly(labels, limit)


def _class(label: Any) -> int:
    return integer("labels: a class", label, -(10**9), 10**9)


def _read_labels(path: PathLike) -> Dict[str, int]:
    found: Dict[str, int] = {}
    with open(path, encoding="utf-8-sig", errors="surrogateescape") as file:  # as names of files are read
        content = file.read()
    if "\0" in content:
        raise InvalidArgument(f"'{path_text(path)}' is not a text file", "evaluate")
    for number, line in enumerate(content.split("\n"), 1):
        if not line.strip():
            continue
        name, _, text = line.rstrip("\r\n").partition("\t")
        label = text.split("\t")[0].strip()
        where = f"'{path_text(path)}' line {number}"
        if number == 1 and "\t" in line and "." not in name and not label.lstrip("-").isdigit():
            continue  # the names of the columns
        if not label.lstrip("-").isdigit():
            raise InvalidArgument(f"{where}: expected image<TAB>class, a number, got {line.rstrip()!r:.80}", "evaluate")
        name = os.path.normpath(name)
        if found.setdefault(name, int(label)) != int(label):
            raise InvalidArgument(f"{where}: '{name}' had another class before", "evaluate")
    if not found:
        raise InvalidArgument(f"'{path_text(path)}' has no line image<TAB>class", "evaluate")
    return found
