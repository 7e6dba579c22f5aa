"""Samples in pieces, for work that is divided."""

from __future__ import annotations

import contextlib
import os
import tempfile
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from ._errors import InvalidArgument
from ._files import sample_arrays
from ._values import path_text

ENDINGS = (".jpg", ".jpeg", ".png", ".bmp", ".npy")


def evenly(items: Sequence[Any], limit: int) -> List[Any]:
    """At most so many, evenly from all; 0: all."""
    if limit < 0:
        raise ValueError(f"limit: expected at least 0, got {limit}")
    count = min(limit, len(items)) if limit > 0 else len(items)
    return [items[index * len(items) // count] for index in range(count)]


def sample_names(folder: str) -> List[str]:
    """Its pictures and arrays, in their order."""
    return sorted(name for name in os.listdir(folder) if os.path.splitext(name)[1].lower() in ENDINGS)


def fitting(array: np.ndarray, plan: Any) -> np.ndarray:
    """As the plan's first input; its batch of one may be left out."""
    shape = plan.inputs[0].shape
    if array.shape != shape and (1, *array.shape) != shape:
        came, expected = ("x".join(map(str, each)) for each in (array.shape, shape))
        raise InvalidArgument(f"a sample is {came}; input '{plan.inputs[0].name}' takes {expected}", "samples")
    return np.ascontiguousarray(array).reshape(shape)


@dataclass(frozen=True)
class Piece:
    """Some of the samples: files of a folder by name, or an array of them. Files are paths on this machine, or, in a
    piece that is carried to another one, what is in them."""

    names: Tuple[str, ...]
    folder: Optional[str] = None
    contents: Optional[Tuple[bytes, ...]] = None
    array: Optional[np.ndarray] = None

    def carried(self) -> "Piece":
        if self.folder is None:
            return self
        contents = []
        for name in self.names:
            with open(os.path.join(self.folder, name), "rb") as file:
                contents.append(file.read())
        return Piece(self.names, contents=tuple(contents))

    @contextlib.contextmanager
    def files(self) -> Iterator[Dict[str, Any]]:
        """As the library's options of samples."""
        with tempfile.TemporaryDirectory(prefix="nestrt-") as work:
            if self.array is not None:
                path = os.path.join(work, "samples.npy")
                np.save(path, self.array)
                yield {"npy": path}
                return
            for index, name in enumerate(self.names):
                path = os.path.join(work, name)
                if self.folder is not None:
                    os.symlink(os.path.abspath(os.path.join(self.folder, name)), path)
                    continue
                assert self.contents is not None
                with open(path, "wb") as file:
                    file.write(self.contents[index])
            yield {"images": work}


def pieces(samples: Any, limit: int, size: int) -> List[Piece]:
    """Of so many samples each, in the order in which the library reads them: a folder of pictures or .npy arrays, a
    .npy file, an array of N inputs, or an iterable of arrays of the input's shape."""
    if isinstance(samples, (str, os.PathLike)):
        path = path_text(samples)
        if path.endswith(".npy"):
            return _of_array(np.load(path, allow_pickle=False), limit, size)
        chosen = evenly(sample_names(path), limit)
        if not chosen:
            raise ValueError(f"samples: the folder '{path}' has no .jpg, .jpeg, .png, .bmp or .npy file")
        return [Piece(tuple(chosen[at : at + size]), folder=path) for at in range(0, len(chosen), size)]
    arrays = sample_arrays(samples)
    return _of_array(arrays[0] if isinstance(samples, np.ndarray) else np.stack(arrays), limit, size)


def _of_array(array: np.ndarray, limit: int, size: int) -> List[Piece]:
    if array.ndim == 0 or len(array) == 0:
        raise ValueError("samples: the array is empty; expected N inputs along its first axis")
    chosen = evenly(range(len(array)), limit)
    parts = [chosen[at : at + size] for at in range(0, len(chosen), size)]
    return [Piece(tuple(f"[{index}]" for index in part), array=array[part]) for part in parts]
