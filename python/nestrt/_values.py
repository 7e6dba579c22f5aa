# SPDX-License-Identifier: Apache-2.0
"""Checks and conversions of arguments. Values that could be misread are rejected."""

from __future__ import annotations

import numbers
import operator
import os
from typing import Any, Dict, List, Mapping, Optional, Sequence

import numpy as np

from ._errors import InvalidArgument


def path_text(path: Any) -> str:
    """Returns a path as text. The library expects paths in UTF-8."""
    text = os.fsdecode(os.fspath(path))
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidArgument(f"{text!r}: expected a UTF-8 path; rename the file", "paths") from None
    return text


def names(name: str, values: Any) -> List[str]:
    """Returns a list of names or paths as text."""
    if isinstance(values, (str, bytes, os.PathLike)):
        raise TypeError(f"{name}: expected a list of names, got {values!r}")
    return [path_text(value) for value in values]


def integer(name: str, value: Any, minimum: int, maximum: int) -> int:
    """Returns a value of any integer type as int, after a range check."""
    try:
        if isinstance(value, (bool, str)):
            raise TypeError
        whole = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: expected a whole number, got {value!r}") from None
    if not minimum <= whole <= maximum:
        raise InvalidArgument(f"{name}: expected {minimum} to {maximum}, got {whole}", "options")
    return whole


def number(name: str, value: Any, minimum: float, maximum: float) -> float:
    """Returns a value of any real type as float, after a range check that also rejects NaN."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name}: expected a number, got {value!r}")
    if not minimum <= value <= maximum:
        raise InvalidArgument(f"{name}: expected {minimum:g} to {maximum:g}, got {value}", "options")
    return float(value)


def flag(name: str, value: Any) -> bool:
    """Returns a Python or NumPy Boolean as bool."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}: expected True or False, got {value!r}")
    return bool(value)


def shapes(name: str, stated: Any) -> Dict[str, List[int]]:
    """Returns {input: dimensions} with dimensions as lists of int."""
    if not isinstance(stated, Mapping):
        raise TypeError(f"{name}: expected {{input: shape}}, got {stated!r}")
    found = {}
    for tensor, dims in stated.items():
        if isinstance(dims, (str, bytes)) or not isinstance(dims, Sequence):
            raise TypeError(f"{name}: expected a shape for '{tensor}', such as (1, 3, 224, 224), got {dims!r}")
        found[str(tensor)] = [integer(f"{name}: a dimension of '{tensor}'", dim, 1, 2**31 - 1) for dim in dims]
    return found


def check_ranges(limits: Mapping[str, Any]) -> None:
    """Checks the ranges of {name: (value, minimum, maximum)}. None means that the value is not set."""
    for name, (value, minimum, maximum) in limits.items():
        if value is None:
            continue
        check = integer if isinstance(minimum, int) and isinstance(maximum, int) else number
        check(name, value, minimum, maximum)


def reject_unused(**stated: Optional[Any]) -> None:
    """Rejects options that have no effect: {name: the required option}, with None for options that are not set."""
    for name, needed in stated.items():
        if needed is not None:
            raise TypeError(f"{name} requires {needed}")
