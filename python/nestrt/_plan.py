# SPDX-License-Identifier: Apache-2.0
"""Plans: compiled networks."""

from __future__ import annotations

import os
import warnings
from dataclasses import asdict, dataclass
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _nestrt
from ._html import table
from ._values import flag, integer, names, number, path_text

PathLike = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Preprocessing:
    """How an image becomes an input: x = (pixel - mean) * scale by channel, pixels 0 to 255.

    mean, scale: one value for all channels, or one for each, in the input's order; default: 0 and 1.
    resize: the shorter side in pixels before the centre is cropped; 0: the image is resized to the input's size.
    bgr: the input takes blue first.
    letterbox: all of the image, in proportion, in the middle, with pixels of `pad` beside it.
    """

    mean: Tuple[float, ...] = ()
    scale: Tuple[float, ...] = ()
    resize: int = 0
    bgr: bool = False
    letterbox: bool = False
    pad: int = 0

    def to_dict(self) -> Dict[str, Any]:
        return asdict(self)

    @staticmethod
    def _of(value: Optional[Dict[str, Any]]) -> Optional["Preprocessing"]:
        if value is None:
            return None
        return Preprocessing(**{**value, "mean": tuple(value["mean"]), "scale": tuple(value["scale"])})


@dataclass(frozen=True)
class Quantization:
    """Which real numbers integers stand for: real = (integer - zero point) * scale.

    exponents: scale = 2 ** -exponent, where scales are powers of two, as nestc makes them; one, or one by index of
        `axis`.
    """

    exponents: Tuple[int, ...]
    scales: Tuple[float, ...]
    zero_points: Tuple[int, ...]
    axis: int

    @property
    def exponent(self) -> Optional[int]:
        """The exponent, where there is one for all elements."""
        return self.exponents[0] if len(self.exponents) == 1 else None

    @property
    def scale(self) -> Optional[float]:
        """The scale, where there is one for all elements."""
        return self.scales[0] if len(self.scales) == 1 else None

    @staticmethod
    def _of(value: Optional[Dict[str, Any]]) -> Optional["Quantization"]:
        if value is None:
            return None
        exponents = tuple(value["exponents"])
        scales = tuple(value["scales"]) or tuple(2.0**-exponent for exponent in exponents)
        return Quantization(exponents, scales, tuple(value["zero_points"]), value["axis"])


@dataclass(frozen=True)
class TensorSpec:
    """An input, an output or an inner value of a plan: dense and row-major where the caller sees it.

    dtype: what NumPy calls it. shape: fixed when the plan was compiled.
    quantization: of integers that stand for real numbers, else None; inputs and outputs of a quantized plan are real
        numbers already.
    preprocessing: of an input that takes images, where it was stated, else None.
    """

    name: str
    dtype: np.dtype
    shape: Tuple[int, ...]
    quantization: Optional[Quantization] = None
    preprocessing: Optional[Preprocessing] = None

    @property
    def nbytes(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize

    def to_dict(self) -> Dict[str, Any]:
        return {**asdict(self), "dtype": self.dtype.name}

    @staticmethod
    def _of(value: Dict[str, Any]) -> "TensorSpec":
        return TensorSpec(
            value["name"],
            np.dtype(value["dtype"]),
            tuple(value["shape"]),
            Quantization._of(value["quantization"]),
            Preprocessing._of(value["preprocessing"]),
        )


class Plan:
    """A compiled network, verified completely. Immutable; any number of sessions and threads may share it.

    source: the path of a .nest file, which is mapped, or its content as bytes.
    keys: files of public keys, of which one must have signed the plan; None: signed or not.
    copy: read the file into memory, safe from changes of the file, instead of mapping it.

    Raises NotFound, InputOutput, InvalidPlan, Incompatible.
    """

    def __init__(self, source: Union[PathLike, bytes], *, keys: Optional[Sequence[PathLike]] = None,
                 copy: bool = False) -> None:
        paths = names("keys", () if keys is None else keys)
        if keys is not None and not paths:
            raise ValueError("keys: no plan is signed by one of none; give a public key, or None to load plans that nobody signed")
        if isinstance(source, (bytes, bytearray, memoryview)):
            core = _nestrt.Plan(bytes(source), paths)
        else:
            core = _nestrt.Plan(path_text(source), paths, copy)
        self._take(core, {})

    def _take(self, core: _nestrt.Plan, report: Dict[str, Any]) -> None:
        self._core = core
        self._report = report
        self._inputs = tuple(TensorSpec._of(spec) for spec in core._inputs())
        self._outputs = tuple(TensorSpec._of(spec) for spec in core._outputs())

    @classmethod
    def _of(cls, core: _nestrt.Plan, report: Dict[str, Any]) -> "Plan":
        plan = cls.__new__(cls)
        plan._take(core, report)
        return plan

    @property
    def inputs(self) -> Tuple[TensorSpec, ...]:
        """In the plan's order."""
        return self._inputs

    @property
    def outputs(self) -> Tuple[TensorSpec, ...]:
        """In the plan's order."""
        return self._outputs

    @property
    def tensors(self) -> Dict[str, TensorSpec]:
        """Every value that is computed, by name, with the exponents of those in 8 bits."""
        return {name: TensorSpec._of(spec) for name, spec in self._core._tensors().items()}

    @property
    def operators(self) -> Tuple[Dict[str, Any], ...]:
        """name, kind and macs (multiply-accumulates) of each operator, in the order of the plan."""
        return tuple(self._core._operators())

    @property
    def metadata(self) -> Dict[str, Any]:
        """producer, model, digest, signer, file_bytes, arena_bytes, branches, targets."""
        return self._core._metadata()

    @property
    def units(self) -> Tuple[Tuple[str, str], ...]:
        """What the plan was compiled for: (kind, configuration), such as ("evta", "1x16_15_15_18_17")."""
        return tuple(self.metadata["targets"])

    @property
    def report(self) -> Dict[str, Any]:
        """Of a plan that compile() gave: quantization (s8_operators, kept_f32: why by name), units (operators by kind
        of unit), and trials where a quantization was searched for. Empty of others."""
        return self._report

    @property
    def path(self) -> Optional[str]:
        """The file that it was read from; None where it was made of bytes, or by compile() without output."""
        return self._core.path or None

    def preprocess(
        self, image: Union[PathLike, np.ndarray], *, input: int = 0, preprocessing: Optional[Preprocessing] = None
    ) -> np.ndarray:
        """The input that an image becomes.

        image: the path of a JPEG, PNG or BMP file, or uint8 of height x width x 3 (RGB) or 1.
        preprocessing: where the plan states nothing; pixels as they are without, which is warned of. Ignored where the
            plan states some.
        """
        integer("input", input, 0, len(self.inputs) - 1)
        if preprocessing is None and self.inputs[input].preprocessing is None:
            warnings.warn("the plan states no preprocessing: pixels go in as 0 to 255; see nestrt.Preprocessing",
                          stacklevel=2)
        return self._preprocessed(image, input, preprocessing)

    def _preprocessed(
        self, image: Union[PathLike, np.ndarray], input: int, preprocessing: Optional[Preprocessing] = None
    ) -> np.ndarray:
        source = image if hasattr(image, "__array_interface__") else path_text(image)
        return self._core._preprocess(source, input, _keywords(preprocessing))

    def to_bytes(self) -> bytes:
        """The content of the plan's file."""
        return self._core.to_bytes()

    def save(self, path: PathLike) -> None:
        """Writes the plan's file: whole or not at all."""
        _nestrt.write_plan(self._core, path_text(path))

    def to_dict(self) -> Dict[str, Any]:
        return {
            "metadata": self.metadata,
            "inputs": [spec.to_dict() for spec in self.inputs],
            "outputs": [spec.to_dict() for spec in self.outputs],
            "operators": list(self.operators),
        }

    def __reduce__(self):
        return Plan, (self.to_bytes(),)

    def __repr__(self) -> str:
        specs = [f"{spec.name}: {spec.dtype.name}{list(spec.shape)}" for spec in self.inputs + self.outputs]
        count = len(self.inputs)
        return f"<nestrt.Plan {', '.join(specs[:count])} -> {', '.join(specs[count:])}>"

    def _repr_html_(self) -> str:
        metadata = self.metadata
        rows = [("input", s.name, s.dtype.name, "x".join(map(str, s.shape))) for s in self.inputs]
        rows += [("output", s.name, s.dtype.name, "x".join(map(str, s.shape))) for s in self.outputs]
        title = (
            f"Plan of {metadata['model'] or 'a network'}: {len(self.operators)} operators, "
            f"{metadata['file_bytes'] / 1e6:.1f} MB, for {', '.join(' '.join(unit).strip() for unit in self.units)}"
        )
        return table(title, ("", "name", "dtype", "shape"), rows)


def _keywords(preprocessing: Union[Preprocessing, Dict[str, Any], None]) -> Dict[str, Any]:
    """As the library takes it, checked as nestc checks its options."""
    if preprocessing is None:
        return {}
    if not isinstance(preprocessing, (Preprocessing, Mapping)):
        raise TypeError(f"preprocessing: expected nestrt.Preprocessing or a dict of its values, got {preprocessing!r}")
    stated = preprocessing.to_dict() if isinstance(preprocessing, Preprocessing) else dict(preprocessing)
    values: Dict[str, Any] = {}
    for name, neutral in (("mean", 0.0), ("scale", 1.0)):
        each = np.atleast_1d(stated.pop(name, ())).tolist() or [neutral]
        values[name] = [number(name, value, -1e30, 1e30) for value in each]
    values["resize"] = integer("resize", stated.pop("resize", 0), 0, 2**31 - 1)
    values["pad"] = integer("pad", stated.pop("pad", 0), 0, 255)
    for name in ("bgr", "letterbox"):
        values[name] = flag(name, stated.pop(name, False))
    if stated:
        raise TypeError(f"preprocessing has no {', '.join(sorted(map(str, stated)))}; see nestrt.Preprocessing")
    if values["letterbox"] and values["resize"]:
        raise ValueError("preprocessing: letterbox and resize exclude each other")
    if values["pad"] and not values["letterbox"]:
        raise ValueError("preprocessing: pad goes with letterbox")
    return values
