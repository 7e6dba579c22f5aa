# SPDX-License-Identifier: Apache-2.0
"""Checks and converts the keyword options of the tools for the native module."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Sequence

import numpy as np

from . import _nestrt
from ._errors import InvalidArgument
from ._plan import _keywords
from ._session import drop_none
from ._values import integer, names, shapes

COMPILE_OPTIONS = ("input_shapes", "other_shapes", "bindings", "preprocessing", "expose", "layout", "disabled_passes",
                   "target", "partial_programs", "tuning_cache", "computed_constants", "qdq_rounding")
QUANTIZE_OPTIONS = ("scales", "per_tensor", "rounding", "corrections", "keep_f32")
UNIT_OPTIONS = ("units", "threads", "cpus", "pace", "xclbin", "device", "device_wait", "plugin",
                "plugin_options", "isolate", "schedule", "split", "partition", "cost_file", "check_every")
_CORRECTIONS = ("none", "equalisation", "weights", "bias")
_ROUNDINGS = ("half_up", "floor", "half_even")
_CHOICES = {"layout": ("auto", "plain"), "scales": ("tensor", "single"), "rounding": _ROUNDINGS,
            "qdq_rounding": _ROUNDINGS}


def _check_choice(name: str, value: Any) -> None:
    """Rejects a value that is not a choice of the option."""
    if name in _CHOICES and value not in _CHOICES[name]:
        raise ValueError(f"{name}: expected one of {', '.join(_CHOICES[name])}, got {value!r}")


def take_options(options: Dict[str, Any], names: Sequence[str]) -> Dict[str, Any]:
    """Removes the options with these names and returns those that are set."""
    taken = {}
    for name in names:
        if name in options and options[name] is not None:
            _check_choice(name, options[name])
            taken[name] = options[name]
        options.pop(name, None)
    return drop_none(**taken)


def _convert_names(options: Dict[str, Any], *lists: str) -> None:
    """Converts options that are lists of names."""
    for name in lists:
        if name in options:
            options[name] = names(name, options[name])


def quantize_options(options: Dict[str, Any]) -> Dict[str, Any]:
    """Removes and returns the options about quantization."""
    taken = take_options(options, QUANTIZE_OPTIONS)
    _convert_names(taken, "corrections", "keep_f32")
    unknown = set(taken.get("corrections", ())) - set(_CORRECTIONS)
    if unknown:
        known, first = ", ".join(_CORRECTIONS), sorted(map(str, unknown))[0]
        raise ValueError(f"corrections: expected some of {known}, got {first!r}")
    if "none" in taken.get("corrections", ()) and len(taken["corrections"]) > 1:
        raise ValueError("corrections: 'none' excludes all others")
    return taken


def reject_unknown(options: Dict[str, Any], what: str) -> None:
    """Rejects the remaining options of a tool."""
    if options:
        raise TypeError(f"{what}(): unknown options: {', '.join(sorted(options))}")


def compile_options(options: Dict[str, Any]) -> Dict[str, Any]:
    """Removes and returns the options about compilation."""
    taken = take_options(options, COMPILE_OPTIONS)
    if "preprocessing" in taken:
        taken["preprocessing"] = _keywords(taken["preprocessing"])
    if "input_shapes" in taken:
        taken["input_shapes"] = shapes("input_shapes", taken["input_shapes"])
    if "other_shapes" in taken:
        taken["other_shapes"] = [shapes("other_shapes", each) for each in taken["other_shapes"]]
    if "bindings" in taken:
        _check_bindings(taken)
    if "partial_programs" in taken:
        taken["partial_programs"] = integer("partial_programs", taken["partial_programs"], 0,
                                            _nestrt.MAX_PARTIAL_PROGRAMS)
    if "computed_constants" in taken:
        taken["computed_constants"] = integer("computed_constants", taken["computed_constants"], 0, 4096)
    if not isinstance(taken.get("target", ""), str):
        taken["target"] = ",".join(taken["target"])
    _convert_names(taken, "expose", "disabled_passes")
    return taken


def _check_bindings(how: Mapping[str, Any]) -> None:
    """Rejects an input shape that differs from the shape of the array bound to the input."""
    bindings = how["bindings"]
    if not isinstance(bindings, Mapping):
        raise TypeError(f"bindings: expected {{input: array}}, got {bindings!r}")
    for option, stated in [("input_shapes", how.get("input_shapes", {})),
                           *(("other_shapes", each) for each in how.get("other_shapes", ()))]:
        for name in stated.keys() & bindings.keys():
            bound = np.shape(bindings[name])
            if tuple(stated[name]) != bound:
                raise InvalidArgument(f"{option}: input '{name}' has shape {tuple(stated[name])}, but its bound array "
                                      f"has {bound}; remove it from {option}, or bind another array", "compile")


def require_one_shape(how: Dict[str, Any], what: str) -> Dict[str, Any]:
    """Rejects other_shapes for a tool that supports only one shape."""
    if "other_shapes" in how:
        raise TypeError(f"{what}() does not support other_shapes; use input_shapes")
    return how
