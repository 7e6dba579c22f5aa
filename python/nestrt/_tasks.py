# SPDX-License-Identifier: Apache-2.0
"""What workers compute: functions of what is shared and one item (_workers.py)."""

from __future__ import annotations

import os
import re
import tempfile
from typing import Any, Dict, Iterator, List, Optional, Tuple

import numpy as np

from . import _nestrt
from ._errors import InvalidArgument, reworded
from ._plan import Plan
from ._samples import Piece, by_name, run_of_files
from ._session import Session
from ._workers import Shared


class ModelFile:
    """A model's content as a file of no folder, which ends with its process, however that ends."""

    def __init__(self, content: bytes) -> None:
        self._descriptor = os.memfd_create("model.onnx")
        with open(self._descriptor, "wb", closefd=False) as file:
            file.write(content)
        self.path = f"/proc/self/fd/{self._descriptor}"

    def __del__(self) -> None:
        os.close(self._descriptor)


def _model(shared: Shared) -> str:
    """Where the model lies: a path of all workers, or a file of its content."""
    if isinstance(shared["model"], str):
        return shared["model"]
    return shared.keep("model", lambda: ModelFile(shared["model"])).path


def observe(shared: Shared, piece: Piece) -> Tuple[bytes, List[str]]:
    """What a calibration sees of some samples, as the bytes of its file, and those that could not be read."""
    with piece.files() as files, reworded(lambda message: _as_in(piece, message)):
        options = {**files, "skip_unreadable": shared["skip_unreadable"]}
        part, skipped = _nestrt.observe_part(_model(shared), shared["options"], options, shared["threads"])
    return part, [_as_in(piece, why) for why in skipped]


_PLACE = re.compile(r"samples\.npy\[(\d+)\]")


def _as_in(piece: Piece, message: str) -> str:
    """With the places that arrays have among all samples, not in the piece."""
    if piece.array is None:
        return message
    return _PLACE.sub(lambda place: f"samples.npy{piece.names[int(place[1])]}", message)


def _evaluator(shared: Shared) -> Any:
    with shared["samples"].files() as files, tempfile.TemporaryDirectory(prefix="nestrt-") as folder:
        options = {**files, "skip_unreadable": shared["skip_unreadable"], "offset": shared["offset"]}
        if shared["labels"] is not None:
            options["labels"] = os.path.join(folder, "labels")
            with open(options["labels"], "wb") as file:
                file.write(shared["labels"])
        return _nestrt.Evaluator(_model(shared), shared["options"], options, shared["profile"], shared["percentile"],
                                 shared["threads"])


def score(shared: Shared, item: Tuple[Dict[str, Any], int]) -> Dict[str, Any]:
    """What the network loses by settings of its quantization, over so many of the samples (0: all)."""
    settings, samples = item
    return shared.keep("evaluator", lambda: _evaluator(shared)).evaluate(settings, samples)


def score_if_any(shared: Shared, item: Tuple[Dict[str, Any], int]) -> Optional[Dict[str, Any]]:
    """score(), or None where the settings are not to be had."""
    try:
        return score(shared, item)
    except InvalidArgument:
        return None


def classify(shared: Shared, piece: Piece) -> List[Tuple[str, List[int]]]:
    """The five classes with the largest scores for each sample, the largest first; -1 alone where one is no number."""
    session = shared.keep("session", lambda: Session(Plan(shared["plan"]), shared["units"], threads=shared["threads"]))
    plan = session.plan
    found = []
    for name, sample in zip(piece.names, _inputs(plan, piece)):
        scores = np.asarray(next(iter(session.run(sample).values()))).reshape(-1)
        if scores.dtype.kind != "f":
            scores = scores.astype(np.float64)  # of integers the smallest has no negative
        top = [-1] if np.isnan(scores).any() or _has_nan(sample) else [int(index) for index in np.argsort(-scores, kind="stable")[:5]]
        found.append((name, top))
    return found


def _has_nan(sample: Dict[str, np.ndarray]) -> bool:
    """Of which integers make 0, and a class that looks like any other."""
    return any(array.dtype.kind == "f" and bool(np.isnan(array).any()) for array in sample.values())


def _inputs(plan: Plan, piece: Piece) -> Iterator[Dict[str, np.ndarray]]:
    if piece.array is not None:
        rows = piece.array if isinstance(piece.array, dict) else {plan.inputs[0].name: piece.array}
        yield from (by_name(plan, {name: each[at] for name, each in rows.items()}) for at in range(len(piece.names)))
        return
    files_of_one = len(piece.paths) // len(piece.names)
    with piece.files() as files:
        for at in range(0, len(piece.paths), files_of_one):
            yield run_of_files(plan, files["images"], piece.paths[at : at + files_of_one])
