# SPDX-License-Identifier: Apache-2.0
"""Finds samples in folders, lists and sequences of paths."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

from ._errors import InvalidArgument, NotFound
from ._values import path_text

EXTENSIONS = (".jpg", ".jpeg", ".png", ".bmp", ".npy")


@dataclass(frozen=True)
class SampleFiles:
    """Samples in files.

    folder: the folder that contains all files.
    rows: for each sample, the paths of its files relative to the folder: one, or one per input.
    source: a folder or list file that the library itself can read, or None.
    """

    folder: str
    rows: Tuple[Tuple[str, ...], ...]
    source: Optional[str] = None

    def names(self) -> List[str]:
        """Returns a name for each sample: its path, or the file name that its files share."""
        return [row[0] if len(row) == 1 else os.path.basename(row[0]) for row in self.rows]


def is_path(value: Any) -> bool:
    """Returns whether a value is a path."""
    return isinstance(value, (str, os.PathLike))


def is_path_list(value: Any) -> bool:
    """Returns whether a value is a non-empty list of paths."""
    return isinstance(value, (list, tuple)) and len(value) > 0 and all(map(is_path, value))


def find_samples(source: str, num_inputs: Callable[[], int]) -> SampleFiles:
    """Finds the samples of a folder or of a text file with one path per line.

    A network of one input uses all files of the folder and its subfolders, sorted by path. A network of several inputs
    uses one subfolder per input. num_inputs() is only called if there are subfolders.
    """
    if not os.path.exists(source):
        raise NotFound(f"samples '{source}': no such file or folder", "samples")
    if not os.path.isdir(source):
        return SampleFiles(os.path.dirname(source) or ".", tuple((path,) for path in _read_list(source)), source)
    files = sorted(_walk(source, "", set()))
    if not files:
        raise ValueError(f"samples: the folder '{source}' and its subfolders have no .jpg, .jpeg, .png, .bmp or .npy "
                         "file")
    if all(os.sep not in file for file in files) or num_inputs() == 1:
        return SampleFiles(source, tuple((file,) for file in files), source)
    return SampleFiles(source, _rows_of_inputs(source), source)


def list_files(paths: Sequence[Any]) -> SampleFiles:
    """Returns a list of paths as samples of a network with one input."""
    absolute = [os.path.abspath(path_text(path)) for path in paths]
    for path in absolute:
        if not path.lower().endswith(EXTENSIONS):
            raise InvalidArgument(f"samples: '{path}' is not an image or a .npy file", "samples")
        if not os.path.isfile(path):
            raise NotFound(f"samples: the file '{path}' does not exist", "samples")
    folder = os.path.commonpath([os.path.dirname(path) for path in absolute])
    return SampleFiles(folder, tuple((os.path.relpath(path, folder),) for path in absolute))


def _walk(root: str, folder: str, visited: set) -> Iterator[str]:
    """Yields the samples below root/folder. Links to folders are followed once; hidden entries are ignored."""
    identity = os.path.realpath(os.path.join(root, folder))
    if identity in visited:
        return
    visited.add(identity)
    for entry in os.scandir(os.path.join(root, folder)):
        path = os.path.join(folder, entry.name)
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            yield from _walk(root, path, visited)
        elif entry.name.lower().endswith(EXTENSIONS):
            yield path


def _read_list(source: str) -> List[str]:
    with open(source, encoding="utf-8-sig", errors="surrogateescape") as file:
        paths = [line.rstrip("\r\n").split("\t")[0] for line in file]
    paths = [os.path.normpath(path) for path in paths if path]
    for path in paths:
        if not path.lower().endswith(EXTENSIONS) or os.path.isabs(path) or path.startswith(".."):
            raise InvalidArgument(f"'{source}': expected paths of images or .npy files inside the list's folder, got "
                                  f"{path!r:.80}", "samples")
    if not paths:
        raise ValueError(f"samples: the list '{source}' is empty")
    return paths


def _rows_of_inputs(folder: str) -> Tuple[Tuple[str, ...], ...]:
    """Returns the files of each sample of a network with several inputs: one in the subfolder of each."""
    columns = {entry.name: sorted(_walk(entry.path, "", set())) for entry in os.scandir(folder) if entry.is_dir()}
    inputs = sorted(name for name, column in columns.items() if column)
    stems = [[os.path.splitext(path)[0] for path in columns[name]] for name in inputs]
    for name, column in zip(inputs, stems):
        if column != stems[0]:
            raise InvalidArgument(f"'{folder}': the files of '{inputs[0]}' and '{name}' have different names; expected "
                                  "the same name for the files of one sample", "samples")
    return tuple(tuple(os.path.join(name, row[at]) for at, name in enumerate(inputs))
                 for row in zip(*(columns[name] for name in inputs)))


class ClassNames:
    """Finds classes by name, like ClassNames of tools/support/image/labels.h."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        self._by_line: Dict[str, int] = {}
        self._by_word: Dict[str, int] = {}  # -1 if several lines share the word
        for index, line in enumerate(names):
            self._by_line.setdefault(line, index)
            word = line.replace(",", " ").split(" ")[0]
            self._by_word[word] = -1 if word in self._by_word else index

    def by_class(self) -> Dict[int, str]:
        """Returns the lines by class."""
        return {index: line for line, index in self._by_line.items()}

    def __bool__(self) -> bool:
        return bool(self._by_line)

    def find(self, name: str) -> Optional[int]:
        """Returns the class whose line is `name`, or the only one whose line starts with this word."""
        index = self._by_line.get(name, self._by_word.get(name, -1))
        return index if index >= 0 else None

    def require(self, name: str) -> int:
        """Returns the class of a name. Raises InvalidArgument if there are no names, or it is not one of them."""
        index = self.find(name)
        if index is not None:
            return index
        why = f"is not one of the {len(self._by_line)} class names" if self else "is a name; give class_names="
        raise InvalidArgument(f"labels: {name!r} {why}", "evaluate")


def folder_classes(files: SampleFiles, class_names: ClassNames) -> Tuple[List[int], List[str]]:
    """Returns the class of each sample according to its first folder, like `nestrt eval` without --labels.

    It is the class of the folder's name, or without class names the folder's number if all folders are numbers, else
    its position among the sorted folders. The second result is the sorted folders if classes are positions, else empty.
    """
    folders = [row[0].split(os.sep)[0] if os.sep in row[0] else "" for row in files.rows]
    if "" in folders:
        outside = files.rows[folders.index("")][0]
        raise InvalidArgument(f"labels: '{outside}' is not in the folder of a class", "evaluate")
    known = sorted(set(folders))
    if class_names:
        return [class_names.require(folder) for folder in folders], []
    if all(folder.lstrip("-").isdigit() for folder in known):
        return [int(folder) for folder in folders], []
    positions = {folder: index for index, folder in enumerate(known)}
    return [positions[folder] for folder in folders], known
