# SPDX-License-Identifier: Apache-2.0
"""Samples in pieces, for work that is divided."""

from __future__ import annotations

import contextlib
import os
import tempfile
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _nestrt
from ._errors import InvalidArgument
from ._files import check_names, row_major, stacked, write_samples
from ._values import path_text

ENDINGS = (".jpg", ".jpeg", ".png", ".bmp", ".npy")


def evenly(items: Sequence[Any], limit: int) -> List[Any]:
    """At most so many, evenly from all; 0: all."""
    if limit < 0:
        raise ValueError(f"limit: expected at least 0, got {limit}")
    count = min(limit, len(items)) if limit > 0 else len(items)
    return [items[index * len(items) // count] for index in range(count)]


def sample_names(folder: str) -> List[str]:
    """Its images and arrays, in their order."""
    return sorted(name for name in os.listdir(folder) if os.path.splitext(name)[1].lower() in ENDINGS)


def folders_of_inputs(folder: str) -> List[str]:
    """Those that have samples, for a network with several inputs; none where the folder itself has samples."""
    if sample_names(folder):
        return []
    return sorted(entry.name for entry in os.scandir(folder) if entry.is_dir() and sample_names(entry.path))


def fitting(array: np.ndarray, expected: Any) -> np.ndarray:
    """As that input of a plan; its batch of one may be left out."""
    shape = expected.shape
    if array.shape != shape and (1, *array.shape) != shape:
        came, takes = ("x".join(map(str, each)) for each in (array.shape, shape))
        raise InvalidArgument(f"a sample is {came}; input '{expected.name}' takes {takes}", "samples")
    return row_major(array).reshape(shape)


def by_name(plan: Any, arrays: Mapping[str, np.ndarray]) -> Dict[str, np.ndarray]:
    """An array for each input, as it takes it."""
    expected = {each.name: each for each in plan.inputs}
    check_names(arrays, list(expected), "plan", "samples")
    return {name: fitting(arrays[name], each) for name, each in expected.items()}


def run_of_files(plan: Any, folder: str, paths: Sequence[str]) -> Dict[str, np.ndarray]:
    """A sample that lies in files of a folder: one, or one in the folder of each input."""
    inputs = [each.name for each in plan.inputs]
    folders = sorted({os.path.dirname(path) for path in paths} - {""})
    if folders and len(inputs) == 1:
        raise InvalidArgument(f"'{folder}' has its samples in folders, as of {folders[0]!r}, which are for networks of "
                              "several inputs; the plan has one: give a folder that has them itself", "samples")
    if len(inputs) > 1:
        stems = dict(zip(_nestrt.file_stems(inputs), inputs))
        names = [stems.get(os.path.dirname(path), os.path.dirname(path)) for path in paths]
    else:
        names = inputs
    return by_name(plan, {name: _read(plan, inputs, name, os.path.join(folder, path))
                          for name, path in zip(names, paths)})


def _read(plan: Any, inputs: Sequence[str], name: str, path: str) -> np.ndarray:
    if path.lower().endswith(".npy"):
        return np.load(path, allow_pickle=False)
    return plan._preprocessed(path, inputs.index(name) if name in inputs else 0)


@dataclass(frozen=True)
class Piece:
    """Some of the samples by name: files of a folder, or arrays, one or one for each input. Files are paths on this
    machine, or, in a piece that is carried to another one, what is in them."""

    names: Tuple[str, ...]
    paths: Tuple[str, ...] = ()  # in the folder: the names, or, where inputs have folders, such of each
    folder: Optional[str] = None
    contents: Optional[Tuple[bytes, ...]] = None
    array: Union[np.ndarray, Dict[str, np.ndarray], None] = None

    def carried(self) -> "Piece":
        if self.folder is None:
            return self
        contents = []
        for path in self.paths:
            with open(os.path.join(self.folder, path), "rb") as file:
                contents.append(file.read())
        return Piece(self.names, self.paths, contents=tuple(contents))

    @contextlib.contextmanager
    def files(self) -> Iterator[Dict[str, Any]]:
        """As the library's options of samples."""
        with tempfile.TemporaryDirectory(prefix="nestrt-") as work:
            if self.array is not None:
                yield write_samples(self.array, work)
                return
            for index, name in enumerate(self.paths):
                path = os.path.join(work, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                if self.folder is not None:
                    os.symlink(os.path.abspath(os.path.join(self.folder, name)), path)
                    continue
                assert self.contents is not None
                with open(path, "wb") as file:
                    file.write(self.contents[index])
            yield {"images": work}


def pieces(samples: Any, limit: int, size: int) -> List[Piece]:
    """Of so many samples each, in the order in which the library reads them: a folder of images or .npy arrays, a
    .npy file, an array of N inputs, or an iterable of arrays of the input's shape; by name of several inputs."""
    if isinstance(samples, (str, os.PathLike)):
        path = path_text(samples)
        if path.endswith(".npy"):
            return _of_array(np.load(path, allow_pickle=False), limit, size)
        return _of_folder(path, limit, size)
    return _of_array(stacked(samples), limit, size)


def number_of(samples: Any) -> int:
    """Of all of them, of those that pieces() takes and that are read once."""
    if isinstance(samples, (str, os.PathLike)):
        path = path_text(samples)
        return len(np.load(path, mmap_mode="r") if path.endswith(".npy") else runs_of_folder(path))
    return len(samples if isinstance(samples, np.ndarray) else next(iter(samples.values())))


def _of_folder(folder: str, limit: int, size: int) -> List[Piece]:
    rows = runs_of_folder(folder)
    if not rows:
        raise ValueError(f"samples: the folder '{folder}' has no .jpg, .jpeg, .png, .bmp or .npy file")
    chosen = evenly(rows, limit)
    parts = [chosen[at : at + size] for at in range(0, len(chosen), size)]
    return [Piece(tuple(os.path.basename(row[0]) for row in part), tuple(path for row in part for path in row),
                  folder=folder) for part in parts]


def runs_of_folder(folder: str) -> List[Tuple[str, ...]]:
    """Of each sample its files in the folder: one, or one of each input's folder."""
    inputs = folders_of_inputs(folder)
    if not inputs:
        return [(name,) for name in sample_names(folder)]
    columns = [sample_names(os.path.join(folder, name)) for name in inputs]
    stems = [[os.path.splitext(name)[0] for name in column] for column in columns]
    for name, column in zip(inputs, stems):
        if column != stems[0]:
            raise InvalidArgument(f"'{folder}': the files of '{inputs[0]}' and '{name}' have other names; expected "
                                  "those of one sample to have the same", "samples")
    return [tuple(os.path.join(name, row[at]) for at, name in enumerate(inputs)) for row in zip(*columns)]


def _of_array(arrays: Union[np.ndarray, Dict[str, np.ndarray]], limit: int, size: int) -> List[Piece]:
    first = arrays if isinstance(arrays, np.ndarray) else next(iter(arrays.values()))
    if first.ndim == 0 or len(first) == 0:
        raise ValueError("samples: the array is empty; expected N inputs along its first axis")
    chosen = evenly(range(len(first)), limit)
    parts = [chosen[at : at + size] for at in range(0, len(chosen), size)]

    def rows(part: Sequence[int]) -> Union[np.ndarray, Dict[str, np.ndarray]]:
        return arrays[part] if isinstance(arrays, np.ndarray) else {name: each[part] for name, each in arrays.items()}

    return [Piece(tuple(f"[{index}]" for index in part), array=rows(part)) for part in parts]
