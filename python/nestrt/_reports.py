# SPDX-License-Identifier: Apache-2.0
"""Results of calibrate(), check(), bench(), simulate() and profile()."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields
from typing import Any, Dict, List, Optional, Sequence, Tuple, Type, TypeVar, Union

from . import _nestrt
from ._html import table
from ._plan import PathLike, Preprocessing
from ._values import path_text, reject_unused, check_ranges

R = TypeVar("R", bound="Report")

DEFAULT_PERCENTILE = 99.99


@dataclass(frozen=True)
class Report:
    """Figures by name. The main ones are attributes; to_dict() has all of them, like --json of the command."""

    _all: Dict[str, Any] = field(repr=False, compare=False)

    @classmethod
    def _of(cls: Type[R], figures: Dict[str, Any]) -> R:
        names = [each.name for each in fields(cls) if each.name != "_all"]
        return cls(figures, **{name: figures[name] for name in names if name in figures})

    def to_dict(self) -> Dict[str, Any]:
        """Returns all figures."""
        return self._all

    def _title(self) -> str:
        return type(self).__name__

    def _rows(self) -> Tuple[Sequence[str], List[Sequence[Any]]]:
        plain: List[Sequence[Any]] = [(name, value) for name, value in self._all.items()
                                      if value is None or isinstance(value, (str, int, float, bool))]
        return ("", ""), plain

    def _repr_html_(self) -> str:
        columns, rows = self._rows()
        return table(self._title(), columns, rows)


@dataclass(frozen=True)
class BenchReport(Report):
    """Latency of a plan on random inputs, in milliseconds unless the name states another unit.

    operators: name, kind, unit, kernel, mean_ms and macs of each operator (per_op).
    units: busy time of each unit (per_unit).
    pipeline: throughput with several inferences in flight (pipeline).
    comparison: latency with another schedule (against).
    """

    runs: int = 0
    threads: int = 0
    median_ms: float = 0.0
    p90_ms: float = 0.0
    p99_ms: float = 0.0
    min_ms: float = 0.0
    jitter_ms: float = 0.0
    first_ms: float = 0.0
    load_ms: float = 0.0
    predicted_ms: float = 0.0
    peak_rss_mb: float = 0.0
    arena_bytes: int = 0
    macs: int = 0
    operators: Optional[List[Dict[str, Any]]] = None
    units: Optional[List[Dict[str, Any]]] = None
    pipeline: Optional[Dict[str, Any]] = None
    comparison: Optional[Dict[str, Any]] = None

    def _title(self) -> str:
        return f"{self.median_ms:.3f} ms, median of {self.runs} runs with {self.threads} threads"


@dataclass(frozen=True)
class SimulateReport(Report):
    """Latency of a plan on a simulated board in virtual time, by schedule, in milliseconds.

    steps: the steps of the schedule that splits channels: name, unit, lane, threads, channels, start_ms, end_ms and
        others.
    estimated: operators that are not in any profile.
    sensitivity: the same figures by clock and CPU factor.
    """

    board: str = ""
    cpu_only_ms: float = 0.0
    sequential_ms: float = 0.0
    group_enumeration_ms: float = 0.0
    optimum_ms: float = 0.0
    split_ms: float = 0.0
    lower_bound_ms: float = 0.0
    max_per_second: float = 0.0
    steps: List[Dict[str, Any]] = field(default_factory=list)
    estimated: List[str] = field(default_factory=list)
    sensitivity: List[Dict[str, Any]] = field(default_factory=list)

    def _title(self) -> str:
        return f"{self.split_ms:.2f} ms on {self.board}; the CPU alone {self.cpu_only_ms:.2f} ms"


@dataclass(frozen=True)
class ProfileReport(Report):
    """Costs of operators on the units of this machine, in microseconds.

    works: operator, unit, threads, branch, median_us, error_us (half of the 95 % interval) and others.
    overheads: start_us and finish_us of each unit.
    """

    digest: str = ""
    works: List[Dict[str, Any]] = field(default_factory=list)
    overheads: List[Dict[str, Any]] = field(default_factory=list)

    def _title(self) -> str:
        return f"{len(self.works)} costs"

    def _rows(self) -> Tuple[Sequence[str], List[Sequence[Any]]]:
        names = ("operator", "unit", "threads", "median_us", "error_us", "runs")
        return names, [[work[name] for name in names] for work in self.works]


@dataclass(frozen=True)
class CheckReport(Report):
    """Comparison of a plan with ONNX Runtime on the model. The report is true if the plan matches.

    outputs: over all runs: name, max_absolute, relative, cosine, snr_db (None if the outputs are equal), rows and
        rows_agreeing of class scores, and matches.
    layers: the same figures by operator of a floating-point plan (layers=True).
    noise: signal-to-noise ratio by operator of a quantized plan, worst first (layers=True).
    first_divergence: the first operator that differs, or None.
    """

    matches: bool = False
    quantized: bool = False
    outputs: List[Dict[str, Any]] = field(default_factory=list)
    layers: List[Dict[str, Any]] = field(default_factory=list)
    noise: List[Dict[str, Any]] = field(default_factory=list)
    first_divergence: Optional[str] = None

    def __bool__(self) -> bool:
        return self.matches

    def _title(self) -> str:
        return "the plan matches ONNX Runtime" if self.matches else "the plan does not match ONNX Runtime"

    def _rows(self) -> Tuple[Sequence[str], List[Sequence[Any]]]:
        names = ("name", "max_absolute", "relative", "cosine", "snr_db", "matches")
        return names, [[output[name] for name in names] for output in self.outputs]


class Calibration:
    """Statistics of every value of a network over sample data, and the exponents for quantization."""

    def __init__(self, source: Union[PathLike, _nestrt.Profile]) -> None:
        """Creates a calibration.

        source: a file written by save().
        """
        is_file = isinstance(source, (str, os.PathLike))
        self._core = _nestrt.load_profile(path_text(source), "") if is_file else source
        self._summary: Dict[str, Any] = self._core._summary()

    @classmethod
    def load(cls, path: PathLike, *, method: str = "", percentile: Optional[float] = None) -> "Calibration":
        """Loads a file written by save() or `nestc calibrate`.

        method, percentile: choose the exponents again by this method.
        percentile: 50 to 100; requires method="percentile", given here or in the file.
        """
        check_method(method, empty=True)
        check_percentile(percentile, method, of_profile=True)
        return cls(_nestrt.load_profile(path_text(path), method, percentile))

    def save(self, path: PathLike) -> None:
        """Writes a YAML file that can be loaded, read and edited."""
        self._core._save(path_text(path))

    @property
    def method(self) -> str:
        """The method that chose the exponents."""
        return self._summary["method"]

    @property
    def samples(self) -> int:
        """The number of observed samples."""
        return self._summary["samples"]

    @property
    def skipped(self) -> List[str]:
        """The reasons for skipped images (skip_unreadable)."""
        return self._summary["skipped"]

    @property
    def values(self) -> List[Dict[str, Any]]:
        """The name, min, max, elements, zeros and exponent of each value. One integer step is 2 ** -exponent."""
        return self._summary["values"]

    @property
    def preprocessing(self) -> Optional[Preprocessing]:
        """The preprocessing of the images, or None."""
        return Preprocessing._of(self._summary["preprocessing"])

    def to_dict(self) -> Dict[str, Any]:
        """Returns the whole summary."""
        return self._summary

    def __repr__(self) -> str:
        return f"<nestrt.Calibration of {len(self.values)} values over {self.samples} samples, by {self.method}>"

    def _repr_html_(self) -> str:
        names = ("name", "min", "max", "exponent")
        return table(repr(self), names, [[value[name] for name in names] for value in self.values])


METHODS = ("minmax", "percentile", "kl", "mse")


def check_method(method: str, empty: bool = False) -> str:
    """Rejects unknown calibration methods."""
    if method in METHODS or (empty and not method):
        return method
    raise ValueError(f"method: expected one of {', '.join(METHODS)}, got {method!r}")


def check_percentile(percentile: Optional[float], method: Optional[str], of_profile: bool = False) -> None:
    """Checks a percentile; None means that it is not set.

    of_profile: whether it applies to a saved profile, whose own method may be "percentile".
    """
    check_ranges({"percentile": (percentile, 50.0, 100.0)})
    if percentile not in (None, DEFAULT_PERCENTILE) and method != "percentile" and not (of_profile and not method):
        reject_unused(percentile="method='percentile'")
