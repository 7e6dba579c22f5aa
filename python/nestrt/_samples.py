# SPDX-License-Identifier: Apache-2.0
"""Reads samples and splits them into chunks for workers."""

from __future__ import annotations

import contextlib
import os
import tempfile
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _nestrt
from ._errors import InvalidArgument
from ._files import check_names, link_files, row_major, stack_samples, write_list, write_samples
from ._sample_files import SampleFiles, is_path
from ._values import path_text

def select_evenly(items: Sequence[Any], limit: int) -> List[Any]:
    """Returns at most `limit` items, evenly spaced over all of them; 0 returns all."""
    if limit < 0:
        raise ValueError(f"limit: expected at least 0, got {limit}")
    count = min(limit, len(items)) if limit > 0 else len(items)
    return [items[index * len(items) // count] for index in range(count)]


def as_input(array: np.ndarray, expected: Any) -> np.ndarray:
    """Returns the array in the shape and layout of a plan's input. The batch dimension of 1 is optional."""
    shape = expected.shape
    if array.shape != shape and (1, *array.shape) != shape:
        actual, wanted = ("x".join(map(str, each)) for each in (array.shape, shape))
        raise InvalidArgument(f"samples: input '{expected.name}' expects shape {wanted}, got {actual}", "samples")
    return row_major(array).reshape(shape)


def by_name(plan: Any, arrays: Mapping[str, np.ndarray]) -> Dict[str, np.ndarray]:
    """Returns an array for each input of the plan, in its shape and layout."""
    expected = {each.name: each for each in plan.inputs}
    check_names(arrays, list(expected), "plan", "samples")
    return {name: as_input(arrays[name], each) for name, each in expected.items()}


def read_sample(plan: Any, folder: str, paths: Sequence[str]) -> Dict[str, np.ndarray]:
    """Reads one sample: a file of the folder, or one file from the folder of each input."""
    inputs = [each.name for each in plan.inputs]
    if len(inputs) > 1:
        stems = dict(zip(_nestrt.file_stems(inputs), inputs))
        names = [stems.get(path.split(os.sep)[0], path.split(os.sep)[0]) for path in paths]
    else:
        names = inputs
    return by_name(plan, {name: _read(plan, inputs, name, os.path.join(folder, path))
                          for name, path in zip(names, paths)})


def _read(plan: Any, inputs: Sequence[str], name: str, path: str) -> np.ndarray:
    if path.lower().endswith(".npy"):
        return np.load(path, allow_pickle=False)
    return plan._preprocessed(path, inputs.index(name) if name in inputs else 0)


@dataclass(frozen=True)
class Chunk:
    """A chunk of the samples.

    It holds files of a folder or arrays, one per sample or one per sample and input. Files are paths on this machine;
    after portable() they are their contents.
    """

    names: Tuple[str, ...]
    paths: Tuple[str, ...] = ()  # relative to the folder; one per sample, or one per sample and input
    folder: Optional[str] = None
    contents: Optional[Tuple[bytes, ...]] = None
    array: Union[np.ndarray, Dict[str, np.ndarray], None] = None

    def portable(self) -> "Chunk":
        """Returns a chunk that can be used on another machine."""
        if self.folder is None:
            return self
        contents = []
        for path in self.paths:
            with open(os.path.join(self.folder, path), "rb") as file:
                contents.append(file.read())
        return Chunk(self.names, self.paths, contents=tuple(contents))

    @contextlib.contextmanager
    def directory(self) -> Iterator[str]:
        """Provides a folder that contains the files. Requires: the chunk holds files."""
        if self.folder is not None:
            yield self.folder
            return
        with tempfile.TemporaryDirectory(prefix="nestrt-") as work:
            assert self.contents is not None
            for path, content in dict(zip(self.paths, self.contents)).items():
                place = os.path.join(work, path)
                os.makedirs(os.path.dirname(place), exist_ok=True)
                with open(place, "wb") as file:
                    file.write(content)
            yield work

    @contextlib.contextmanager
    def files(self) -> Iterator[Dict[str, Any]]:
        """Provides the chunk as files, as options of the library."""
        with tempfile.TemporaryDirectory(prefix="nestrt-") as work:
            if self.array is not None:
                yield write_samples(self.array, work)
                return
            with self.directory() as folder:
                link_files(folder, self.paths, work)
                has_one_input = len(self.paths) == len(self.names)
                yield {"images": write_list(self.paths, work) if has_one_input else work}


def split_samples(samples: Any, limit: int, size: int) -> List[Chunk]:
    """Splits samples into chunks of at most `size` samples, in the order in which the library reads them.

    samples: what load_samples() returns.
    """
    if isinstance(samples, SampleFiles):
        return _split_files(samples, limit, size)
    if is_path(samples):
        return _split_array(np.load(path_text(samples), allow_pickle=False), limit, size)
    return _split_array(stack_samples(samples), limit, size)


def count_samples(samples: Any) -> int:
    """Returns the number of samples. They must be in a form that split_samples() accepts, except iterators."""
    if isinstance(samples, SampleFiles):
        return len(samples.rows)
    if is_path(samples):
        return len(np.load(path_text(samples), mmap_mode="r"))
    return len(samples if isinstance(samples, np.ndarray) else next(iter(samples.values())))


def _split_files(files: SampleFiles, limit: int, size: int) -> List[Chunk]:
    chosen = select_evenly(list(zip(files.names(), files.rows)), limit)
    parts = [chosen[at : at + size] for at in range(0, len(chosen), size)]
    return [Chunk(tuple(name for name, _ in part), tuple(path for _, row in part for path in row),
                  folder=files.folder) for part in parts]


def _split_array(arrays: Union[np.ndarray, Dict[str, np.ndarray]], limit: int, size: int) -> List[Chunk]:
    first = arrays if isinstance(arrays, np.ndarray) else next(iter(arrays.values()))
    if first.ndim == 0 or len(first) == 0:
        raise ValueError("samples: the array is empty; expected N inputs along its first axis")
    chosen = select_evenly(range(len(first)), limit)
    parts = [chosen[at : at + size] for at in range(0, len(chosen), size)]

    def rows(part: Sequence[int]) -> Union[np.ndarray, Dict[str, np.ndarray]]:
        return arrays[part] if isinstance(arrays, np.ndarray) else {name: each[part] for name, each in arrays.items()}

    return [Chunk(tuple(f"[{index}]" for index in part), array=rows(part)) for part in parts]
