# SPDX-License-Identifier: Apache-2.0
"""evaluate() and sensitivity(): many runs, distributed to workers."""

from __future__ import annotations

import contextlib
import json
import math
import os
import warnings
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from . import _nestrt
from . import _tasks as tasks
from ._errors import InvalidArgument
from ._files import model_file, load_samples
from ._plan import PathLike, Plan
from ._reports import Calibration, Report
from ._sample_files import ClassNames, SampleFiles, folder_classes, is_path
from ._samples import count_samples, select_evenly, split_samples
from ._session import as_plan
from ._workers import Workers, open_workers
from ._values import integer, path_text

WorkerChoice = Union[str, int, None]
Progress = Callable[[str, int, int], None]
Label = Union[int, str]

SAMPLES_PER_TASK = 32  # of an evaluation


@contextlib.contextmanager
def opened_workers(workers: WorkerChoice) -> Iterator[Workers]:
    """Opens a pool of workers and closes it at the end."""
    pool = open_workers(workers)
    try:
        yield pool
    finally:
        pool.close()


def model_bytes(model: Any) -> bytes:
    """Returns the bytes of a model, for workers on other machines. External tensors are not included."""
    with model_file(model) as path, open(path, "rb") as file:
        return file.read()


def shared_model(model: Any, workers: WorkerChoice) -> Union[str, bytes]:
    """Returns the path of a model for workers on this machine, so that external tensors are found, or its bytes."""
    on_cluster = isinstance(workers, str) and workers.startswith("ray")
    if isinstance(model, (str, os.PathLike)) and not on_cluster:
        return os.path.abspath(path_text(model))
    return model_bytes(model)


def threads_of(workers: WorkerChoice) -> int:
    """Returns the threads of a task: 1 on a cluster; 0 (all CPUs of the process) on this machine."""
    return 1 if isinstance(workers, str) and workers.startswith("ray") else 0


def observe(model: Any, samples: Any, options: Dict[str, Any], *, method: str, percentile: float, limit: int,
            skip_unreadable: bool, workers: WorkerChoice, progress: Optional[Progress]) -> Any:
    """Returns a calibration whose parts were observed by workers. It equals that of one process to the byte."""
    shared = {"model": shared_model(model, workers), "options": options, "skip_unreadable": skip_unreadable,
              "threads": threads_of(workers)}
    with opened_workers(workers) as pool:
        divided = split_samples(samples, limit, _nestrt.SAMPLES_OF_PART)
        parts = pool.map(tasks.observe, shared, divided, "calibrating", progress)
    skipped = [why for _, reasons in parts for why in reasons]
    return _nestrt.merge_parts([part for part, _ in parts], skipped, method, percentile)


@dataclass(frozen=True)
class SensitivityReport(Report):
    """Sensitivity of each layer to 8-bit quantization.

    samples: the number of samples.
    all: agreement with f32 (None without class scores) and snr_db if all layers are s8.
    layers: name, kind and mac_share, and the same figures if only this layer is s8 (only_it) and if only this layer is
        not (all_but_it); most sensitive first.
    """

    samples: int = 0
    all: Optional[Dict[str, Any]] = None
    layers: Sequence[Dict[str, Any]] = ()

    def _rows(self) -> Tuple[Sequence[str], List[Sequence[Any]]]:
        rows = [[layer["name"], layer["kind"], layer["mac_share"], *layer["only_it"].values()]
                for layer in self.layers]
        return ("layer", "kind", "share of the work", "only this layer in s8: SNR dB", "agreement"), rows


def sensitivity(model: Any, calibration: Calibration, samples: Any, *, limit: int = 16, all_but_one: bool = True,
                workers: WorkerChoice = None, progress: Optional[Progress] = None, options: Mapping[str, Any] = {},
                quantize: Mapping[str, Any] = {}) -> SensitivityReport:
    """Measures the loss if only one layer is s8, and the gain if only that layer is not, for each layer."""
    base = dict(quantize)
    with model_file(model) as path:
        named = _nestrt.quantized_layers(path, dict(options), calibration._core._text(), base)
    names = [name for name, _ in named]
    alone = [tuple(other for other in names if other != name) for name in names]
    all_but_it = [(name,) for name in names] if all_but_one and len(names) > 1 else []
    shared = _evaluation(model, calibration, samples, limit, workers, options)
    asked = [({**base, "keep_f32": [*base.get("keep_f32", ()), *kept]}, 0) for kept in [(), *alone, *all_but_it]]
    with opened_workers(workers) as pool:
        scores = pool.map(tasks.score, shared, asked, "layers", progress)
    rows = []
    for index, (name, kind) in enumerate(named):
        only_it = scores[1 + index]
        rows.append({"name": name, "kind": kind, "mac_share": 1 - only_it["f32_share"], "only_it": _figures(only_it),
                     "all_but_it": _figures(scores[1 + len(names) + index]) if all_but_it else None})
    rows.sort(key=lambda row: math.inf if row["only_it"]["snr_db"] is None else row["only_it"]["snr_db"])
    return SensitivityReport._of({"samples": scores[0]["samples"], "all": _figures(scores[0]), "layers": rows})


def _evaluation(model: Any, calibration: Calibration, samples: Any, limit: int, workers: WorkerChoice,
                options: Mapping[str, Any], *, skip_unreadable: bool = False, labels: Optional[PathLike] = None,
                offset: int = 0) -> Dict[str, Any]:
    """Returns the shared values that tasks.score needs."""
    limited = split_samples(samples, limit, limit or 1 << 30)[0]
    given_labels = None
    if labels is not None:
        with open(labels, "rb") as file:
            given_labels = file.read()
    return {"model": shared_model(model, workers), "options": dict(options), "profile": calibration._core._text(),
            "percentile": calibration._core._percentile,
            "samples": limited.portable() if threads_of(workers) == 1 else limited,
            "skip_unreadable": skip_unreadable, "labels": given_labels, "offset": offset,
            "threads": threads_of(workers)}


Measure = Callable[[Sequence[Dict[str, Any]], int, Callable[[int], None]], List[Optional[Dict[str, Any]]]]


@contextlib.contextmanager
def measuring(model: Any, calibration: Calibration, samples: Any, limit: int, workers: WorkerChoice,
              options: Mapping[str, Any], **how: Any) -> Iterator[Optional[Measure]]:
    """Provides a function that measures quantizations on workers, or None if the search runs in this process."""
    if workers is None:
        yield None
        return
    shared = _evaluation(model, calibration, samples, limit, workers, options, **how)
    with opened_workers(workers) as pool:

        def measure(settings: Sequence[Dict[str, Any]], count: int, done: Callable[[int], None]) -> Any:
            asked = [(each, count) for each in settings]
            return pool.map(tasks.score_or_none, shared, asked, "", lambda _, finished, total: done(finished))

        yield measure


def _figures(score: Mapping[str, Any]) -> Dict[str, Any]:
    return {"snr_db": score["snr_db"], "agreement": score["agreement"]}


@dataclass(frozen=True)
class EvaluateReport(Report):
    """Accuracy of a classifier, with the figures of `nestrt eval`.

    n: the number of samples with a label, or of all samples without labels.
    top1, top5: the fraction of labelled samples whose class is first, or among the first five.
    interval: the 95 % confidence interval of top1 (Wilson, 1927).
    balanced_accuracy, macro_f1: means over the classes of their top-1 accuracy and F1, as in scikit-learn.
    classes: for each class that has samples or was found: class (its number in the labels), name if known, n samples,
        found (the number of samples whose first class it is), top1, top5, precision and f1. Figures without samples
        are None.
    confusion: the number n of samples for each pair of a class and a found class that occurs. A found class of None
        means NaN.
    predictions: the name and the five most likely classes of each sample, best first; [-1] if a score is NaN.
    """

    n: int = 0
    top1: Optional[float] = None
    top5: Optional[float] = None
    interval: Optional[Tuple[float, float]] = None
    balanced_accuracy: Optional[float] = None
    macro_f1: Optional[float] = None
    classes: Sequence[Dict[str, Any]] = ()
    confusion: Sequence[Dict[str, Any]] = ()
    predictions: Sequence[Tuple[str, List[int]]] = ()

    def agreement(self, other: "EvaluateReport") -> float:
        """Returns the fraction of samples for which both reports have the same first class."""
        if [name for name, _ in self.predictions] != [name for name, _ in other.predictions]:
            raise ValueError("agreement: the reports have different samples")
        same = sum(mine[0] == theirs[0] >= 0 for (_, mine), (_, theirs) in zip(self.predictions, other.predictions))
        return same / len(self.predictions)


def wilson(right: int, n: int) -> Tuple[float, float]:
    """Returns the 95 % confidence interval of a fraction."""
    z = 1.959964
    share = right / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def evaluate(
    plan: Union[Plan, PathLike, bytes],
    samples: Any,
    labels: Union[PathLike, Mapping[str, Label], Sequence[Label], None] = None,
    *,
    class_names: Union[PathLike, Sequence[str], None] = None,
    units: str = "cpu",
    offset: int = 0,
    limit: int = 0,
    workers: WorkerChoice = None,
    progress: Optional[Progress] = None,
) -> EvaluateReport:
    """Classifies samples and counts how often the plan is right.

    samples: as for calibrate(); images are preprocessed as the plan states.
    labels: a file with lines image<TAB>class, a dict by path relative to the folder of the samples, or a class for each
        sample in order; "folders" uses the folder of each image, as in val/<class>/<file>; None returns classes only.
        Files of a folder are sorted by path. A list needs a class for all samples, including those that `limit` skips.
        Samples without a label do not count.
    class_names: a file with one name per line, or the names, in the plan's order; for labels that are names. Without
        them, class folders that are numbers are classes, and others are classes in sorted order.
    units: the units of each worker.
    offset: the class number in the labels minus the plan's class index.
    limit: use at most N samples, evenly spaced over all of them; 0 uses all.
    workers: distribute the work to these workers (see calibrate()).
    progress: called with ("samples", done, total).
    """
    if not isinstance(units, str):
        raise TypeError(f"units: each worker opens its own units; expected names such as 'cpu,evta', got {units!r}")
    loaded = as_plan(plan)
    count = _number_of_classes(loaded)
    samples = load_samples(lambda: [each.name for each in loaded.inputs], "plan", samples)
    divided = split_samples(samples, limit, SAMPLES_PER_TASK)
    known_names = _class_names(class_names)
    titles = known_names.by_class()
    if isinstance(labels, str) and labels == "folders":
        labels, folders = _labels_of_folders(samples, known_names, count, offset)
        titles = titles or folders
    labels = _select_labels(labels, samples, limit)
    names = [name for chunk in divided for name in chunk.names]
    classes = _classes(labels, names, known_names, range(offset, offset + count), is_whole=limit == 0)
    if loaded.inputs[0].preprocessing is None and any(not name.endswith((".npy", "]")) for name in names):
        warnings.warn("the plan states no preprocessing: pixels stay 0 to 255; compile it with "
                      "preprocessing=", stacklevel=2)
    shared = {"plan": loaded.to_bytes(), "units": units, "threads": threads_of(workers)}
    with opened_workers(workers) as pool:
        found = pool.map(tasks.classify, shared, divided, "samples", progress)
    predictions = [entry for part in found for entry in part]
    num_nan = sum(top[0] < 0 for _, top in predictions)
    if num_nan:
        warnings.warn(f"{num_nan} of {len(predictions)} samples contain NaN or have NaN scores and count as wrong",
                      stacklevel=2)
    report: Dict[str, Any] = {"n": len(predictions), "predictions": predictions}
    if classes is not None:
        largest = max((each for each in classes if each is not None), default=0)
        remark = _nestrt.remark_on_background(count, offset, largest)
        if remark:
            warnings.warn(remark.replace("--offset -1", "offset=-1"), stacklevel=2)
        labelled = [(top, wanted - offset) for (_, top), wanted in zip(predictions, classes) if wanted is not None]
        n = len(labelled)
        right = sum(top[0] == wanted for top, wanted in labelled)
        remark = _nestrt.remark_on_guessing(right, n, count)
        if remark:
            warnings.warn(remark, stacklevel=2)
        counted = [(wanted + offset, [index + offset for index in top if index >= 0]) for top, wanted in labelled]
        figures = json.loads(_nestrt.class_figures(counted, titles))
        report.update(figures, interval=wilson(right, n))
    return EvaluateReport._of(report)


def _number_of_classes(plan: Plan) -> int:
    """Returns the number of classes. The first output must be one row of class scores."""
    shape = plan.outputs[0].shape
    count = math.prod(shape)
    if max(shape, default=1) != count or count < 2:
        raise InvalidArgument(f"output '{plan.outputs[0].name}': expected one row of class scores, got shape {shape}",
                              "evaluate")
    if plan._core._gives_ranks():
        raise InvalidArgument(f"output '{plan.outputs[0].name}' comes from a TopK, so its positions are ranks, not "
                              "classes", "evaluate")
    return count


def _class_names(names: Union[PathLike, Sequence[str], None]) -> ClassNames:
    """Returns the class names of an argument."""
    if names is None:
        return ClassNames()
    if not is_path(names):
        return ClassNames([str(name) for name in names])
    with open(names, encoding="utf-8-sig", errors="surrogateescape") as file:
        return ClassNames([line.rstrip("\r\n") for line in file])


def _labels_of_folders(samples: Any, class_names: ClassNames, count: int,
                       offset: int) -> Tuple[List[int], Dict[int, str]]:
    """Returns the class of each sample, and the folders by class if classes are positions of folders."""
    if not isinstance(samples, SampleFiles):
        raise InvalidArgument("labels: 'folders' requires samples in a folder", "evaluate")
    classes, positions = folder_classes(samples, class_names)
    if len(positions) not in (0, count + offset):
        raise InvalidArgument(f"labels: '{samples.folder}' has {len(positions)} class folders, but the plan has "
                              f"{count} classes; give class_names=, in the plan's order", "evaluate")
    return classes, dict(enumerate(positions))


def _classes(labels: Any, names: Sequence[str], class_names: ClassNames, known: range,
             is_whole: bool) -> Optional[List[Optional[int]]]:
    """Returns the class of each sample, or None for samples without a label.

    class_names: the classes that labels may name.
    is_whole: whether `names` contains all samples.
    """
    if labels is None:
        return None
    if isinstance(labels, (str, os.PathLike)):
        labels = _read_labels(labels, class_names)
    if isinstance(labels, Mapping):
        classes = [_class(labels[name], class_names) if name in labels else None for name in names]
        if all(wanted is None for wanted in classes):
            hint = "; rows of an array are named '[0]', '[1]' and so on" if names[0] == "[0]" else ""
            selected = "" if is_whole else " selected by limit"
            raise InvalidArgument(f"labels: no class for '{names[0]}', nor for any other sample{selected}{hint}",
                                  "evaluate")
        absent = sorted(set(labels) - set(names)) if is_whole else []
        if absent:
            warnings.warn(f"{len(absent)} of {len(labels)} labels match no sample and are ignored; the first is "
                          f"'{absent[0]}'", stacklevel=3)
    else:
        classes = [_class(label, class_names) for label in labels]
    for wanted in classes:
        if wanted is not None and wanted not in known:
            raise InvalidArgument(f"labels: class {wanted} is out of range; the plan has classes {known[0]} to "
                                  f"{known[-1]}; see offset=", "evaluate")
    return classes


def _select_labels(labels: Any, samples: Any, limit: int) -> Any:
    """Selects the labels of the samples that `limit` keeps from a list; other forms of labels are unchanged."""
    if labels is None or isinstance(labels, (str, os.PathLike, Mapping)):
        return labels
    labels = list(labels)  # index by position; the column of a table would be indexed by its labels
    count = count_samples(samples)
    if len(labels) != count:
        skipped = ", including those that limit skips" if limit else ""
        raise InvalidArgument(f"labels: expected {count}, one per sample{skipped}, got {len(labels)}",
                              "evaluate")
    return select_evenly(labels, limit)


def _class(label: Any, class_names: ClassNames) -> int:
    if isinstance(label, str):
        return class_names.require(label)
    return integer("labels: a class", label, -(10**9), 10**9)


def _read_labels(path: PathLike, class_names: ClassNames) -> Dict[str, int]:
    """Returns the class of each path."""
    found: Dict[str, int] = {}
    with open(path, encoding="utf-8-sig", errors="surrogateescape") as file:  # as for file names
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
            continue  # the column headers
        if (named := class_names.find(label)) is not None:
            label = str(named)
        if not label.lstrip("-").isdigit():
            raise InvalidArgument(f"{where}: expected image<TAB>class, a number or one of class_names, got "
                                  f"{line.rstrip()!r:.80}", "evaluate")
        name = os.path.normpath(name)
        if found.setdefault(name, int(label)) != int(label):
            raise InvalidArgument(f"{where}: '{name}' already has another class", "evaluate")
    if not found:
        raise InvalidArgument(f"'{path_text(path)}' has no line image<TAB>class", "evaluate")
    return found
