# SPDX-License-Identifier: Apache-2.0
"""Compiled networks."""

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
    """Preprocessing that converts an image to an input: x = (pixel - mean) * scale per channel, with pixels from 0 to
    255.

    mean, scale: one value for all channels, or one per channel in the input's order; default: 0 and 1.
    resize: length of the shorter side in pixels before the centre is cropped; 0 resizes the image to the input's size.
    bgr: the input expects the channel order blue, green, red.
    letterbox: scale the whole image to fit, keep its aspect ratio, and centre it on a border of value `pad`.
    pad: pixel value of the letterbox border, 0 to 255.
    antialias: when shrinking, average all pixels, as Pillow and torchvision; False interpolates between the nearest
        pixels only, as OpenCV's INTER_LINEAR.
    """

    mean: Tuple[float, ...] = ()
    scale: Tuple[float, ...] = ()
    resize: int = 0
    bgr: bool = False
    letterbox: bool = False
    pad: int = 0
    antialias: bool = True

    def to_dict(self) -> Dict[str, Any]:
        """Returns the values by name."""
        return asdict(self)

    @staticmethod
    def _of(value: Optional[Dict[str, Any]]) -> Optional["Preprocessing"]:
        if value is None:
            return None
        return Preprocessing(**{**value, "mean": tuple(value["mean"]), "scale": tuple(value["scale"])})


@dataclass(frozen=True)
class Quantization:
    """Mapping from integers to real numbers: real = (integer - zero point) * scale.

    exponents: for power-of-two scales, as nestc produces, scale = 2 ** -exponent; one value, or one per index of
        `axis`.
    scales: the scales, in the same form.
    zero_points: the zero points, in the same form.
    axis: the axis of per-channel values.
    """

    exponents: Tuple[int, ...]
    scales: Tuple[float, ...]
    zero_points: Tuple[int, ...]
    axis: int

    @property
    def exponent(self) -> Optional[int]:
        """The exponent, or None if it differs between channels."""
        return self.exponents[0] if len(self.exponents) == 1 else None

    @property
    def scale(self) -> Optional[float]:
        """The scale, or None if it differs between channels."""
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
    """An input, output or intermediate value of a plan. Inputs and outputs are dense and row-major.

    dtype: the NumPy type.
    shape: the shape fixed at compile time.
    quantization: the mapping of integers to real numbers, or None. Inputs and outputs of a quantized plan are real
        numbers, so theirs is None.
    preprocessing: the preprocessing of an image input, or None if the plan does not state any.
    """

    name: str
    dtype: np.dtype
    shape: Tuple[int, ...]
    quantization: Optional[Quantization] = None
    preprocessing: Optional[Preprocessing] = None

    @property
    def nbytes(self) -> int:
        """The size in bytes."""
        return int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize

    def to_dict(self) -> Dict[str, Any]:
        """Returns the values by name."""
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
    """A compiled and fully verified network. Plans are immutable; any number of sessions and threads may share one.

    source: the path of a .nest file, which is memory-mapped, or its content as bytes.
    keys: public key files; one of them must have signed the plan. None accepts unsigned plans.
    copy: read the file into memory instead of mapping it, so that later changes of the file have no effect.

    Raises NotFound, InputOutput, InvalidPlan, Incompatible.
    """

    def __init__(self, source: Union[PathLike, bytes], *, keys: Optional[Sequence[PathLike]] = None,
                 copy: bool = False) -> None:
        paths = names("keys", () if keys is None else keys)
        if keys is not None and not paths:
            raise ValueError("keys: expected at least one public key, got none; pass None to accept "
                             "unsigned plans")
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
        """The inputs, in the plan's order."""
        return self._inputs

    @property
    def outputs(self) -> Tuple[TensorSpec, ...]:
        """The outputs, in the plan's order."""
        return self._outputs

    @property
    def tensors(self) -> Dict[str, TensorSpec]:
        """All computed values by name, with the exponents of 8-bit values."""
        return {name: TensorSpec._of(spec) for name, spec in self._core._tensors().items()}

    @property
    def operators(self) -> Tuple[Dict[str, Any], ...]:
        """The name, kind and macs (multiply-accumulates) of each operator, in the plan's order."""
        return tuple(self._core._operators())

    def explain(self) -> Tuple[Dict[str, Any], ...]:
        """Returns how each operator is computed, in the plan's order.

        Each entry contains name, kind, type (s8, s8c, f32, integers, convert or view), units that have a program for
        it, macs, and, for an f32 operator of a plan with 8-bit operators, the reason and the remedy: the change of the
        model or the options that would make it s8. Both are empty otherwise.
        """
        return tuple(self._core._explanation())

    @property
    def metadata(self) -> Dict[str, Any]:
        """The producer, model, digest, signer, file_bytes, arena_bytes, branches and targets."""
        return self._core._metadata()

    @property
    def units(self) -> Tuple[Tuple[str, str], ...]:
        """The units the plan was compiled for, as (kind, configuration), such as ("evta", "1x16_15_15_18_17")."""
        return tuple(self.metadata["targets"])

    @property
    def report(self) -> Dict[str, Any]:
        """The report of compile(); empty for plans from other sources.

        It contains quantization (s8_operators; kept_f32: reasons by name of every f32 operator), units (number of
        operators by kind of unit), and trials if compile() searched for a quantization.
        """
        return self._report

    @property
    def path(self) -> Optional[str]:
        """The path of the plan's file; None for plans from bytes or from compile() without output."""
        return self._core.path or None

    def preprocess(
        self, image: Union[PathLike, np.ndarray], *, input: int = 0, preprocessing: Optional[Preprocessing] = None
    ) -> np.ndarray:
        """Converts an image to an input array.

        image: the path of a JPEG, PNG or BMP file, or a uint8 array of height x width x 3 (RGB) or 1.
        input: the index of the input.
        preprocessing: used only if the plan does not state any. If neither does, pixels stay 0 to 255 and a warning is
            issued.
        """
        integer("input", input, 0, len(self.inputs) - 1)
        if preprocessing is None and self.inputs[input].preprocessing is None:
            warnings.warn("the plan states no preprocessing: pixels stay 0 to 255; see nestrt.Preprocessing",
                          stacklevel=2)
        return self._preprocessed(image, input, preprocessing)

    def _preprocessed(
        self, image: Union[PathLike, np.ndarray], input: int, preprocessing: Optional[Preprocessing] = None
    ) -> np.ndarray:
        source = image if hasattr(image, "__array_interface__") else path_text(image)
        return self._core._preprocess(source, input, _keywords(preprocessing))

    def to_bytes(self) -> bytes:
        """Returns the content of the plan's file."""
        return self._core.to_bytes()

    def save(self, path: PathLike) -> None:
        """Writes the plan's file atomically: on failure nothing is written."""
        _nestrt.write_plan(self._core, path_text(path))

    def to_dict(self) -> Dict[str, Any]:
        """Returns the metadata, inputs, outputs and operators."""
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
    """Returns the preprocessing as keywords for the native module, with the same checks as nestc."""
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
    values["antialias"] = flag("antialias", stated.pop("antialias", True))
    if stated:
        raise TypeError(f"preprocessing: unknown names {', '.join(sorted(map(str, stated)))}; see nestrt.Preprocessing")
    if values["letterbox"] and values["resize"]:
        raise ValueError("preprocessing: letterbox and resize are mutually exclusive")
    if values["pad"] and not values["letterbox"]:
        raise ValueError("preprocessing: pad requires letterbox")
    return values
