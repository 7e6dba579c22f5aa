# SPDX-License-Identifier: Apache-2.0
"""What calibrate(), check(), bench(), simulate() and profile() find out."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields
from typing import Any, Dict, List, Optional, Sequence, Tuple, Type, TypeVar, Union

from . import _nestrt
from ._html import table
from ._plan import PathLike, Preprocessing
from ._values import path_text, useless, within

R = TypeVar("R", bound="Report")

DEFAULT_PERCENTILE = 99.99


@dataclass(frozen=True)
class Report:
    """Figures by name: the most used as attributes, all of them in to_dict(), as --json of the command has them."""

    _all: Dict[str, Any] = field(repr=False, compare=False)

    @classmethod
    def _of(cls: Type[R], figures: Dict[str, Any]) -> R:
        names = [each.name for each in fields(cls) if each.name != "_all"]
        return cls(figures, **{name: figures[name] for name in names if name in figures})

    def to_dict(self) -> Dict[str, Any]:
        return self._all

    def _title(self) -> str:
        return type(self).__name__

    def _rows(self) -> Tuple[Sequence[str], List[Sequence[Any]]]:
        plain: List[Sequence[Any]] = [(n, v) for n, v in self._all.items() if isinstance(v, (str, int, float, bool)) or v is None]
        return ("", ""), plain

    def _repr_html_(self) -> str:
        columns, rows = self._rows()
        return table(self._title(), columns, rows)


@dataclass(frozen=True)
class BenchReport(Report):
    """Latency of a plan on random inputs. Milliseconds, unless the name says otherwise.

    operators: name, kind, unit, kernel, mean_ms, macs of each (per_op). units: how long each was busy (per_unit).
    pipeline: throughput with several inferences in flight (pipeline). comparison: with another schedule (against).
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
    """Latency of a plan on a described board, in virtual time, by way of scheduling. Milliseconds.

    steps: of the schedule that splits channels: name, unit, lane, threads, channels, start_ms, end_ms and others.
    estimated: operators that no profile has. sensitivity: the same figures by clock and CPU factor.
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
    """What operators cost on the units of this machine. Microseconds.

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
    """A plan against ONNX Runtime on the model itself. True where it matches.

    outputs: over all runs: name, max_absolute, relative, cosine, snr_db (None: nothing differs), rows and
        rows_agreeing of class scores, matches.
    layers: the same by operator of a plan of floating point; noise: signal to noise by operator of a quantized one,
        the worst first (both where layers=True).
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
    """What was seen of every value of a network over sample data, and the exponents to quantize them with."""

    def __init__(self, source: Union[PathLike, _nestrt.Profile]) -> None:
        """source: a file of save(), as load() reads it."""
        is_file = isinstance(source, (str, os.PathLike))
        self._core = _nestrt.load_profile(path_text(source), "") if is_file else source
        self._summary: Dict[str, Any] = self._core._summary()

    @classmethod
    def load(cls, path: PathLike, *, method: str = "", percentile: Optional[float] = None) -> "Calibration":
        """From a file of save() or `nestc calibrate`. method, percentile: choose the exponents anew by them. percentile:
        50 to 100, with method="percentile", which may be the file's own."""
        check_method(method, empty=True)
        check_percentile(percentile, method, of_profile=True)
        return cls(_nestrt.load_profile(path_text(path), method, percentile))

    def save(self, path: PathLike) -> None:
        """As YAML, to keep, read and edit."""
        self._core._save(path_text(path))

    @property
    def method(self) -> str:
        return self._summary["method"]

    @property
    def samples(self) -> int:
        """How many were seen."""
        return self._summary["samples"]

    @property
    def skipped(self) -> List[str]:
        """Why, by image (skip_unreadable)."""
        return self._summary["skipped"]

    @property
    def values(self) -> List[Dict[str, Any]]:
        """name, min, max, elements, zeros and exponent of each: a step of the integers is 2 ** -exponent."""
        return self._summary["values"]

    @property
    def preprocessing(self) -> Optional[Preprocessing]:
        """What images went through."""
        return Preprocessing._of(self._summary["preprocessing"])

    def to_dict(self) -> Dict[str, Any]:
        return self._summary

    def __repr__(self) -> str:
        return f"<nestrt.Calibration of {len(self.values)} values over {self.samples} samples, by {self.method}>"

    def _repr_html_(self) -> str:
        names = ("name", "min", "max", "exponent")
        return table(repr(self), names, [[value[name] for name in names] for value in self.values])


METHODS = ("minmax", "percentile", "kl", "mse")


def check_method(method: str, empty: bool = False) -> str:
    if method in METHODS or (empty and not method):
        return method
    raise ValueError(f"method: expected one of {', '.join(METHODS)}, got {method!r}")


def check_percentile(percentile: Optional[float], method: Optional[str], of_profile: bool = False) -> None:
    """None: not stated. of_profile: a saved profile, whose own method it may be."""
    within({"percentile": (percentile, 50.0, 100.0)})
    if percentile not in (None, DEFAULT_PERCENTILE) and method != "percentile" and not (of_profile and not method):
        useless(percentile="method='percentile'")
