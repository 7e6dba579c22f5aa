# SPDX-License-Identifier: Apache-2.0
"""Tasks that workers run: functions of the shared values and one item (_workers.py)."""

from __future__ import annotations

import os
import re
import tempfile
from typing import Any, Dict, Iterator, List, Optional, Tuple

import numpy as np

from . import _nestrt
from ._errors import InvalidArgument, reworded
from ._plan import Plan
from ._samples import Chunk, by_name, read_sample
from ._session import Session
from ._workers import Shared


class ModelFile:
    """An anonymous in-memory file with a model's content. It disappears when the process ends, even after a crash."""

    def __init__(self, content: bytes) -> None:
        self._descriptor = os.memfd_create("model.onnx")
        with open(self._descriptor, "wb", closefd=False) as file:
            file.write(content)
        self.path = f"/proc/self/fd/{self._descriptor}"

    def __del__(self) -> None:
        os.close(self._descriptor)


def _model(shared: Shared) -> str:
    """Returns the path of the model: a path that all workers can read, or an in-memory file of its content."""
    if isinstance(shared["model"], str):
        return shared["model"]
    return shared.keep("model", lambda: ModelFile(shared["model"])).path


def observe(shared: Shared, chunk: Chunk) -> Tuple[bytes, List[str]]:
    """Observes samples for a calibration.

    Returns the bytes of a partial profile and the reasons for samples that could not be read.
    """
    with chunk.files() as files, reworded(lambda message: _with_global_indices(chunk, message)):
        options = {**files, "skip_unreadable": shared["skip_unreadable"]}
        part, skipped = _nestrt.observe_part(_model(shared), shared["options"], options, shared["threads"])
    return part, [_with_global_indices(chunk, why) for why in skipped]


_SAMPLE_INDEX = re.compile(r"samples\.npy\[(\d+)\]")


def _with_global_indices(chunk: Chunk, message: str) -> str:
    """Replaces array indices relative to the chunk with indices into all samples."""
    if chunk.array is None:
        return message
    return _SAMPLE_INDEX.sub(lambda match: f"samples.npy{chunk.names[int(match[1])]}", message)


def _evaluator(shared: Shared) -> Any:
    """Creates an evaluator of quantizations over the shared samples."""
    with shared["samples"].files() as files, tempfile.TemporaryDirectory(prefix="nestrt-") as folder:
        options = {**files, "skip_unreadable": shared["skip_unreadable"], "offset": shared["offset"]}
        if shared["labels"] is not None:
            options["labels"] = os.path.join(folder, "labels")
            with open(options["labels"], "wb") as file:
                file.write(shared["labels"])
        return _nestrt.Evaluator(_model(shared), shared["options"], options, shared["profile"], shared["percentile"],
                                 shared["threads"])


def score(shared: Shared, item: Tuple[Dict[str, Any], int]) -> Dict[str, Any]:
    """Returns the loss of a quantization with these settings over N of the samples; 0 uses all."""
    settings, samples = item
    return shared.keep("evaluator", lambda: _evaluator(shared)).evaluate(settings, samples)


def score_or_none(shared: Shared, item: Tuple[Dict[str, Any], int]) -> Optional[Dict[str, Any]]:
    """Returns score(), or None if the settings are not possible."""
    try:
        return score(shared, item)
    except InvalidArgument:
        return None


def classify(shared: Shared, chunk: Chunk) -> List[Tuple[str, List[int]]]:
    """Returns the five classes with the highest scores of each sample, best first.

    [-1] marks a sample that contains NaN or has NaN scores.
    """
    session = shared.keep("session", lambda: Session(Plan(shared["plan"]), shared["units"], threads=shared["threads"]))
    plan = session.plan
    found = []
    for name, sample in zip(chunk.names, _inputs(plan, chunk)):
        scores = np.asarray(next(iter(session.run(sample).values()))).reshape(-1)
        if scores.dtype.kind != "f":
            scores = scores.astype(np.float64)  # negating the smallest integer overflows
        if np.isnan(scores).any() or _has_nan(sample):
            top = [-1]
        else:
            top = [int(index) for index in np.argsort(-scores, kind="stable")[:5]]
        found.append((name, top))
    return found


def _has_nan(sample: Dict[str, np.ndarray]) -> bool:
    """Returns whether an input contains NaN. Integer inputs would turn NaN into 0, which yields a plausible class."""
    return any(array.dtype.kind == "f" and bool(np.isnan(array).any()) for array in sample.values())


def _inputs(plan: Plan, chunk: Chunk) -> Iterator[Dict[str, np.ndarray]]:
    """Yields the inputs of each sample."""
    if chunk.array is not None:
        rows = chunk.array if isinstance(chunk.array, dict) else {plan.inputs[0].name: chunk.array}
        yield from (by_name(plan, {name: each[at] for name, each in rows.items()}) for at in range(len(chunk.names)))
        return
    files_of_one = len(chunk.paths) // len(chunk.names)
    with chunk.directory() as folder:
        for at in range(0, len(chunk.paths), files_of_one):
            yield read_sample(plan, folder, chunk.paths[at : at + files_of_one])
