# SPDX-License-Identifier: Apache-2.0
"""What callers state, as the library takes it: refused where it would be read as something else."""

from __future__ import annotations

import numbers
import operator
import os
from typing import Any, Dict, List, Mapping, Optional, Sequence

import numpy as np

from ._errors import InvalidArgument


def path_text(path: Any) -> str:
    """A path as text. The library takes names in UTF-8."""
    text = os.fsdecode(os.fspath(path))
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidArgument(f"{text!r}: expected a name in UTF-8; give the file another one", "paths") from None
    return text


def names(name: str, values: Any) -> List[str]:
    """A list of names or paths."""
    if isinstance(values, (str, bytes, os.PathLike)):
        raise TypeError(f"{name}: expected a list of names, got {values!r}")
    return [path_text(value) for value in values]


def integer(name: str, value: Any, least: int, most: int) -> int:
    """Whole, of whatever integer type."""
    try:
        if isinstance(value, (bool, str)):
            raise TypeError
        whole = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: expected a whole number, got {value!r}") from None
    if not least <= whole <= most:
        raise InvalidArgument(f"{name}: expected {least} to {most}, got {whole}", "options")
    return whole


def number(name: str, value: Any, least: float, most: float) -> float:
    """Finite, of whatever type."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name}: expected a number, got {value!r}")
    if not least <= value <= most:
        raise InvalidArgument(f"{name}: expected {least:g} to {most:g}, got {value}", "options")
    return float(value)


def flag(name: str, value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}: expected True or False, got {value!r}")
    return bool(value)


def shapes(name: str, stated: Any) -> Dict[str, List[int]]:
    """{input: dimensions}."""
    if not isinstance(stated, Mapping):
        raise TypeError(f"{name}: expected {{input: shape}}, got {stated!r}")
    found = {}
    for tensor, dims in stated.items():
        if isinstance(dims, (str, bytes)) or not isinstance(dims, Sequence):
            raise TypeError(f"{name}: expected a shape for '{tensor}', such as (1, 3, 224, 224), got {dims!r}")
        found[str(tensor)] = [integer(f"{name}: a dimension of '{tensor}'", dim, 1, 2**31 - 1) for dim in dims]
    return found


def within(limits: Mapping[str, Any]) -> None:
    """{name: (value, least, most)}; None is nothing stated."""
    for name, (value, least, most) in limits.items():
        if value is None:
            continue
        check = integer if isinstance(least, int) and isinstance(most, int) else number
        check(name, value, least, most)


def useless(**stated: Optional[Any]) -> None:
    """Options that would do nothing: {name: the option that it goes with} for those that were given."""
    for name, needed in stated.items():
        if needed is not None:
            raise TypeError(f"{name} goes with {needed}")
