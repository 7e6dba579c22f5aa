# SPDX-License-Identifier: Apache-2.0
"""What the library reads from files, given as Python objects."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from typing import Any, Callable, ContextManager, Dict, Iterable, Iterator, List, Mapping, Sequence, Union

import numpy as np

from . import _nestrt
from ._errors import InvalidArgument, reworded
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


def _is_in_its_file(plan: Plan) -> bool:
    """Whether a plan's path still leads to it, and not to what was written there since."""
    if plan.path is None:
        return False
    try:
        with open(plan.path, "rb") as file:
            return file.read() == plan.to_bytes()
    except OSError:
        return False


@contextlib.contextmanager
def plan_file(plan: Any) -> Iterator[str]:
    """The path of a plan that is a path, bytes, or a Plan."""
    if isinstance(plan, (str, os.PathLike)):
        yield path_text(plan)
        return
    plan = plan if isinstance(plan, Plan) else Plan(plan)
    if _is_in_its_file(plan):
        yield plan.path
        return
    with tempfile.TemporaryDirectory(prefix="nestrt-") as folder:
        path = os.path.join(folder, "plan.nest")
        plan.save(path)
        yield path


def check_names(given: Iterable[Any], inputs: Sequence[str], owner: str, where: str) -> None:
    """Names of inputs are refused in the words of Session.run(). owner: of the inputs: a plan or a network."""
    came = list(given)
    has, got = (", ".join(map(repr, each)) or "nothing" for each in (inputs, came))
    for name in inputs:
        if name not in came:
            raise InvalidArgument(f"input '{name}' is missing: the {owner} has {has}, and given is {got}", where)
    if len(came) != len(inputs):
        raise InvalidArgument(f"inputs: there are names that the {owner} does not have, which has {has}, and given is "
                              f"{got}", where)


def inputs_of(model: Any, how: Mapping[str, Any]) -> List[str]:
    """Names of a network's inputs. Compiling it tells them; without what makes a plan fast that takes least."""
    simple = {name: how[name] for name in ("input_shapes", "bindings", "computed_constants") if name in how}
    with model_file(model) as path:
        core, report = _nestrt.compile(path, {**simple, "layout": "plain"}, None, {}, None, None)
    return [each.name for each in Plan._of(core, report).inputs]


def samples_for(inputs: Callable[[], Sequence[str]], owner: str, samples: Any) -> Any:
    """Samples that are no file, read once; names are those of `inputs`, which are looked for where there are names,
    and come in their order."""
    if isinstance(samples, (str, os.PathLike)):
        return samples
    arrays = stacked(samples)
    if isinstance(arrays, dict):
        names = inputs()
        check_names(arrays, names, owner, "samples")
        return {name: arrays[name] for name in names}
    return arrays


def stacked(samples: Any) -> Union[np.ndarray, Dict[str, np.ndarray]]:
    """All samples in one array, or in one of each input."""
    if isinstance(samples, np.ndarray):
        return sample_arrays(samples)[0]
    if isinstance(samples, Mapping):
        return _as_many({name: sample_arrays(np.asarray(array))[0] for name, array in samples.items()})
    listed = list(samples) if isinstance(samples, (list, tuple)) else [_copied(sample) for sample in samples]
    if not any(isinstance(sample, Mapping) for sample in listed):
        return np.stack(sample_arrays(listed))
    if any(not isinstance(sample, Mapping) or sample.keys() != listed[0].keys() for sample in listed):
        raise ValueError("the samples: expected a dict of the same names for each")
    return _as_many({name: np.stack(sample_arrays(sample[name] for sample in listed)) for name in listed[0]})


def _copied(sample: Any) -> Any:
    """A generator may fill the same array again."""
    if isinstance(sample, Mapping):
        return {name: np.array(array) for name, array in sample.items()}
    return np.array(_as_array(sample))


def _as_many(arrays: Dict[str, np.ndarray]) -> Dict[str, np.ndarray]:
    lengths = {name: len(array) if array.ndim else 0 for name, array in arrays.items()}
    if len(set(lengths.values())) != 1:
        counted = ", ".join(f"'{name}' has {length}" for name, length in lengths.items())
        raise ValueError("the samples: expected as many along the first axis of each array; "
                         f"{counted or 'there is none'}")
    return arrays


def row_major(array: np.ndarray) -> np.ndarray:
    """As the library reads arrays, with f32 for all floating point."""
    return np.asarray(array, dtype=np.float32 if array.dtype.kind == "f" else None, order="C")


def write_samples(samples: Union[np.ndarray, Dict[str, np.ndarray]], folder: str) -> Dict[str, str]:
    """Files as the library reads them, and the option that names them."""
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


def _as_array(sample: Any) -> np.ndarray:
    try:
        return np.asarray(sample)
    except ValueError as error:  # of an array and its label, say, as data sets of PyTorch have them
        raise ValueError(f"the samples: expected an array for each, or a dict of arrays for several inputs, got "
                         f"{sample!r:.80}") from error


def _numbers(sample: Any) -> np.ndarray:
    array = _as_array(sample)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"the samples: expected arrays of numbers, got {sample!r:.80}; a folder of images or a .npy "
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
        np.save(files[name], row_major(np.asarray(array)))
    return files


def of_arguments(files: Mapping[str, str]) -> ContextManager[None]:
    """What a command says of its files and options is said of the arrays of `inputs` and of arguments."""

    def change(message: str) -> str:
        message = re.sub(r"--input (.+?)=FILE\.npy", r"\1", message).replace("--python", "python=")
        for name, path in files.items():
            message = message.replace(f"'{path}'", f"inputs[{name!r}]")
        return message

    return reworded(change)
