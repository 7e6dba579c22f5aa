# SPDX-License-Identifier: Apache-2.0
"""Writes Python objects to the files that the library reads."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from typing import Any, Callable, ContextManager, Dict, Iterable, Iterator, List, Mapping, Sequence, Tuple, Union

import numpy as np

from . import _nestrt
from ._errors import InvalidArgument, reworded
from ._plan import Plan
from ._sample_files import SampleFiles, find_samples, is_path, is_path_list, list_files
from ._values import path_text


@contextlib.contextmanager
def model_file(model: Any) -> Iterator[str]:
    """Provides the path of an ONNX or TensorFlow Lite model that is a path, bytes, or an onnx.ModelProto."""
    if isinstance(model, (str, os.PathLike)):
        yield path_text(model)
        return
    content = model.SerializeToString() if hasattr(model, "SerializeToString") else model
    if not isinstance(content, (bytes, bytearray, memoryview)):
        raise TypeError(f"model: expected a path, bytes or an onnx.ModelProto, got {type(model).__name__}")
    with tempfile.TemporaryDirectory(prefix="nestrt-") as folder:
        path = os.path.join(folder, "model.onnx")
        with open(path, "wb") as file:
            file.write(content)
        yield path


def _is_unchanged(plan: Plan) -> bool:
    """Returns whether the plan's path still contains this plan."""
    if plan.path is None:
        return False
    try:
        with open(plan.path, "rb") as file:
            return file.read() == plan.to_bytes()
    except OSError:
        return False


@contextlib.contextmanager
def plan_file(plan: Any) -> Iterator[str]:
    """Provides the path of a plan that is a path, bytes, or a Plan."""
    if isinstance(plan, (str, os.PathLike)):
        yield path_text(plan)
        return
    plan = plan if isinstance(plan, Plan) else Plan(plan)
    if _is_unchanged(plan):
        yield plan.path
        return
    with tempfile.TemporaryDirectory(prefix="nestrt-") as folder:
        path = os.path.join(folder, "plan.nest")
        plan.save(path)
        yield path


def check_names(given: Iterable[Any], inputs: Sequence[str], owner: str, where: str) -> None:
    """Checks names of inputs, with the same messages as Session.run().

    owner: what has the inputs: "plan" or "network".
    """
    actual = list(given)
    expected, got = (", ".join(map(repr, each)) or "nothing" for each in (inputs, actual))
    for name in inputs:
        if name not in actual:
            raise InvalidArgument(f"input '{name}' is missing: the {owner} expects {expected}, got {got}", where)
    if len(actual) != len(inputs):
        raise InvalidArgument(f"inputs: unknown names: the {owner} expects {expected}, got {got}", where)


def inputs_of(model: Any, how: Mapping[str, Any]) -> List[str]:
    """Returns the names of a network's inputs. It compiles the network, without the slow optimizations."""
    simple = {name: how[name] for name in ("input_shapes", "bindings", "computed_constants") if name in how}
    with model_file(model) as path:
        core, report = _nestrt.compile(path, {**simple, "layout": "plain"}, None, {}, None, None, None)
    return [each.name for each in Plan._of(core, report).inputs]


def load_samples(inputs: Callable[[], Sequence[str]], owner: str, samples: Any) -> Any:
    """Finds samples in files, or reads other samples once.

    Returns SampleFiles, the path of a .npy file, or arrays. If arrays have names, inputs() supplies the expected names,
    and the result has their order.
    """
    if isinstance(samples, SampleFiles):
        return samples
    if is_path(samples):
        path = path_text(samples)
        return path if path.endswith(".npy") else find_samples(path, lambda: len(inputs()))
    if is_path_list(samples):
        return list_files(samples)
    arrays = stack_samples(samples)
    if isinstance(arrays, dict):
        names = inputs()
        check_names(arrays, names, owner, "samples")
        return {name: arrays[name] for name in names}
    return arrays


def stack_samples(samples: Any) -> Union[np.ndarray, Dict[str, np.ndarray]]:
    """Returns all samples in one array, or in one array per input."""
    if isinstance(samples, np.ndarray):
        return sample_arrays(samples)[0]
    if isinstance(samples, Mapping):
        return _check_lengths({name: sample_arrays(np.asarray(array))[0] for name, array in samples.items()})
    listed = list(samples) if isinstance(samples, (list, tuple)) else [_copy_sample(sample) for sample in samples]
    if not any(isinstance(sample, Mapping) for sample in listed):
        return np.stack(sample_arrays(listed))
    if any(not isinstance(sample, Mapping) or sample.keys() != listed[0].keys() for sample in listed):
        raise ValueError("samples: expected a dict with the same names for each sample")
    return _check_lengths({name: np.stack(sample_arrays(sample[name] for sample in listed)) for name in listed[0]})


def _copy_sample(sample: Any) -> Any:
    """Returns a copy, since a generator may reuse its array."""
    if isinstance(sample, Mapping):
        return {name: np.array(array) for name, array in sample.items()}
    return np.array(_as_array(sample))


def _check_lengths(arrays: Dict[str, np.ndarray]) -> Dict[str, np.ndarray]:
    """Checks that all arrays have the same number of samples."""
    lengths = {name: len(array) if array.ndim else 0 for name, array in arrays.items()}
    if len(set(lengths.values())) != 1:
        counted = ", ".join(f"'{name}' has {length}" for name, length in lengths.items())
        raise ValueError("samples: expected arrays of the same length along the first axis, got "
                         f"{counted or 'no arrays'}")
    return arrays


def row_major(array: np.ndarray) -> np.ndarray:
    """Returns the array in row-major order, with floating point converted to f32."""
    return np.asarray(array, dtype=np.float32 if array.dtype.kind == "f" else None, order="C")


def write_samples(samples: Union[np.ndarray, Dict[str, np.ndarray]], folder: str) -> Dict[str, str]:
    """Writes samples to files that the library can read, and returns the option that names them."""
    if isinstance(samples, np.ndarray) or len(samples) == 1:
        path = os.path.join(folder, "samples.npy")
        np.save(path, row_major(samples if isinstance(samples, np.ndarray) else next(iter(samples.values()))))
        return {"npy": path}
    for stem, array in zip(_nestrt.file_stems(list(samples)), samples.values()):
        own = os.path.join(folder, stem)
        os.mkdir(own)
        for index in range(len(array)):
            np.save(os.path.join(own, f"{index:09}.npy"), row_major(array[index : index + 1]))
    return {"images": folder}


def sample_arrays(samples: Any) -> List[np.ndarray]:
    """Returns a list of arrays, each with the shape of an input or with several inputs along the first axis."""
    if isinstance(samples, np.ma.MaskedArray):
        raise TypeError("samples: masked arrays are not supported; convert them with array.filled(...)")
    if isinstance(samples, np.ndarray):
        return [_numbers(samples)]
    arrays = [_numbers(sample) for sample in samples]
    if not arrays:
        raise ValueError("samples: empty; give at least one array")
    return arrays


def _as_array(sample: Any) -> np.ndarray:
    try:
        return np.asarray(sample)
    except ValueError as error:  # for example tuples of array and label, as PyTorch data sets return
        raise ValueError(f"samples: expected an array for each sample, or a dict of arrays for several inputs, got "
                         f"{sample!r:.80}") from error


def _numbers(sample: Any) -> np.ndarray:
    array = _as_array(sample)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"samples: expected arrays of numbers, got {sample!r:.80}; for a folder of images or a .npy "
                        "file, give its path")
    return array


def link_files(folder: str, paths: Iterable[str], work: str) -> None:
    """Creates links to files in the folder `work` under the same relative paths."""
    for path in dict.fromkeys(paths):
        link = os.path.join(work, path)
        os.makedirs(os.path.dirname(link), exist_ok=True)
        os.symlink(os.path.abspath(os.path.join(folder, path)), link)


def write_list(paths: Iterable[str], work: str) -> str:
    """Writes a list of samples in the folder `work`, and returns its path."""
    listed = os.path.join(work, "samples.txt")
    with open(listed, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write("".join(f"{path}\n" for path in paths))
    return listed


@contextlib.contextmanager
def sample_files(samples: Any, limit: int, skip_unreadable: bool) -> Iterator[Dict[str, Any]]:
    """Provides the library's options for samples.

    samples: what load_samples() returns, or a folder.
    """
    options: Dict[str, Any] = {"limit": limit, "skip_unreadable": skip_unreadable}
    source = samples.source if isinstance(samples, SampleFiles) else samples
    if is_path(source):
        path = path_text(source)
        yield {**options, ("npy" if path.endswith(".npy") else "images"): path}
        return
    with tempfile.TemporaryDirectory(prefix="nestrt-") as folder:
        if isinstance(samples, SampleFiles):
            paths = [row[0] for row in samples.rows]
            link_files(samples.folder, paths, folder)
            yield {**options, "images": write_list(paths, folder)}
            return
        yield {**options, **write_samples(stack_samples(samples), folder)}


def write_arrays(arrays: Dict[str, Any], folder: str) -> Dict[str, str]:
    """Writes a .npy file for each array, and returns the paths by name."""
    files = {}
    for index, (name, array) in enumerate(arrays.items()):
        files[name] = os.path.join(folder, f"{index}.npy")
        np.save(files[name], row_major(np.asarray(array)))
    return files


def name_arguments(files: Mapping[str, str]) -> ContextManager[None]:
    """Rewords messages about files and command-line options in terms of `inputs` and Python arguments."""

    def change(message: str) -> str:
        message = re.sub(r"--input (.+?)=FILE\.npy", r"\1", message).replace("--python", "python=")
        for name, path in files.items():
            message = message.replace(f"'{path}'", f"inputs[{name!r}]")
        return message

    return reworded(change)
