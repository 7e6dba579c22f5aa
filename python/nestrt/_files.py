"""What the library reads from files, given as Python objects."""

from __future__ import annotations

import contextlib
import os
import tempfile
from typing import Any, Dict, Iterator, List, Mapping, Union

import numpy as np

from . import _nestrt
from ._plan import Plan
from ._values import path_text


@contextlib.contextmanager
def model_file(model: Any) -> Iterator[str]:
    """The path of an ONNX model that is a path, bytes, or an onnx.ModelProto."""
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


@contextlib.contextmanager
def plan_file(plan: Any) -> Iterator[str]:
    """The path of a plan that is a path, bytes, or a Plan."""
    if isinstance(plan, (str, os.PathLike)):
        yield path_text(plan)
        return
    plan = plan if isinstance(plan, Plan) else Plan(plan)
    if plan.path is not None:
        yield plan.path
        return
    with tempfile.TemporaryDirectory(prefix="nestrt-") as folder:
        path = os.path.join(folder, "plan.nest")
        plan.save(path)
        yield path


def stacked(samples: Any) -> Union[np.ndarray, Dict[str, np.ndarray]]:
    """All samples in one array, or in one of each input."""
    if isinstance(samples, np.ndarray):
        return sample_arrays(samples)[0]
    if isinstance(samples, Mapping):
        return _alone({name: sample_arrays(np.asarray(array))[0] for name, array in samples.items()})
    listed = list(samples) if isinstance(samples, (list, tuple)) else [_copied(sample) for sample in samples]
    if not any(isinstance(sample, Mapping) for sample in listed):
        return np.stack(sample_arrays(listed))
    if any(not isinstance(sample, Mapping) or sample.keys() != listed[0].keys() for sample in listed):
        raise ValueError("the samples: expected a dict of the same names for each")
    return _alone({name: np.stack(sample_arrays(sample[name] for sample in listed)) for name in listed[0]})


def _copied(sample: Any) -> Any:
    """A generator may fill the same array again."""
    if isinstance(sample, Mapping):
        return {name: np.array(array) for name, array in sample.items()}
    return np.array(sample)


def _alone(arrays: Dict[str, np.ndarray]) -> Union[np.ndarray, Dict[str, np.ndarray]]:
    """As many of each; that of the only input without its name."""
    lengths = {name: len(array) if array.ndim else 0 for name, array in arrays.items()}
    if len(set(lengths.values())) != 1:
        counted = ", ".join(f"'{name}' has {length}" for name, length in lengths.items())
        raise ValueError("the samples: expected as many along the first axis of each array; "
                         f"{counted or 'there is none'}")
    return arrays if len(arrays) != 1 else next(iter(arrays.values()))


def write_samples(samples: Union[np.ndarray, Dict[str, np.ndarray]], folder: str) -> Dict[str, str]:
    """Files as the library reads them, and the option that names them."""
    if isinstance(samples, np.ndarray):
        path = os.path.join(folder, "samples.npy")
        np.save(path, samples)
        return {"npy": path}
    for name, array in samples.items():
        own = os.path.join(folder, _nestrt.file_stem(name))
        os.mkdir(own)
        for index in range(len(array)):
            np.save(os.path.join(own, f"{index:09}.npy"), array[index : index + 1])
    return {"images": folder}


def sample_arrays(samples: Any) -> List[np.ndarray]:
    """Each of the shape of an input, or several of them along the first axis."""
    if isinstance(samples, np.ma.MaskedArray):
        raise TypeError("the samples: a masked array, whose mask means nothing here; array.filled(...) makes one "
                        "without")
    if isinstance(samples, np.ndarray):
        return [_numbers(samples)]
    arrays = [_numbers(sample) for sample in samples]
    if not arrays:
        raise ValueError("the samples are empty; give at least one array")
    return arrays


def _numbers(sample: Any) -> np.ndarray:
    array = np.asarray(sample)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"the samples: expected arrays of numbers, got {sample!r:.80}; a folder of pictures or a .npy "
                        "file is given by its path alone")
    return array


@contextlib.contextmanager
def sample_files(samples: Any, limit: int, skip_unreadable: bool) -> Iterator[Dict[str, Any]]:
    """Options of samples that are a folder, a .npy file, an array of N inputs, or an iterable of arrays; of a network
    with several inputs arrays by name."""
    options: Dict[str, Any] = {"limit": limit, "skip_unreadable": skip_unreadable}
    if isinstance(samples, (str, os.PathLike)):
        path = path_text(samples)
        yield {**options, ("npy" if path.endswith(".npy") else "images"): path}
        return
    with tempfile.TemporaryDirectory(prefix="nestrt-") as folder:
        yield {**options, **write_samples(stacked(samples), folder)}


def named_files(arrays: Dict[str, Any], folder: str) -> Dict[str, str]:
    """A .npy file for each array."""
    files = {}
    for index, (name, array) in enumerate(arrays.items()):
        files[name] = os.path.join(folder, f"{index}.npy")
        np.save(files[name], np.asarray(array))
    return files


