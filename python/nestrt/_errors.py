# SPDX-License-Identifier: Apache-2.0
"""Exceptions of nestrt: one class for each code of nestrt::Status."""

from __future__ import annotations

import contextlib
from typing import Callable, Iterator


class Error(Exception):
    """What could not be done, and why.

    code: the code of nestrt::Status, such as "invalid plan".
    message: what was wrong, what was expected and what came.
    where: the file or the call that it is about.
    remedy: the last part of the message, after "; ": most often what to do about it, or what there is to choose from.
        Empty where there is none, or one that begins with no letter, which says what came: "-1 were asked for".
    """

    code = "error"

    def __init__(self, message: str, where: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.where = where

    @property
    def remedy(self) -> str:
        before, _, last = self.message.rpartition("; ")
        return last if before and last[:1].isalpha() else ""

    def __reduce__(self):
        return type(self), (self.message, self.where)


class InvalidArgument(Error, ValueError):
    """A wrong name, type, shape, size or option."""

    code = "invalid argument"


class NotFound(Error, LookupError):
    """A file, tensor, node or cost of that name does not exist."""

    code = "not found"


class InvalidModel(Error):
    """An ONNX file that is malformed, hostile or inconsistent."""

    code = "invalid model"


class Unsupported(Error, NotImplementedError):
    """Well-formed, but uses something that nestrt does not implement."""

    code = "unsupported"


class InvalidPlan(Error):
    """A plan that fails verification."""

    code = "invalid plan"


class Incompatible(Error):
    """A plan of another format version, or for other units."""

    code = "incompatible plan"


class OutOfMemory(Error, MemoryError):
    """Memory is short."""

    code = "out of memory"


class InputOutput(Error):
    """A file that could not be read or written."""

    code = "input/output error"


class Unavailable(Error):
    """A unit, its driver, or ONNX Runtime is absent, in quarantine or busy."""

    code = "unavailable"


class DeadlineExceeded(Error, TimeoutError):
    """The deadline passed before completion."""

    code = "deadline exceeded"


class Cancelled(Error):
    """Session.cancel() ended the run."""

    code = "cancelled"


class DeviceFault(Error):
    """A unit reported a failure."""

    code = "device fault"


class InternalError(Error):
    """A defect of nestrt itself: please report it."""

    code = "internal error"


_BY_CODE = {
    10: InvalidArgument,
    11: NotFound,
    20: InvalidModel,
    21: Unsupported,
    22: InvalidPlan,
    23: Incompatible,
    30: OutOfMemory,
    31: InputOutput,
    40: Unavailable,
    41: DeadlineExceeded,
    42: Cancelled,
    43: DeviceFault,
    50: InternalError,
}


def from_status(code: int, message: str, where: str) -> Error:
    return _BY_CODE.get(code, InternalError)(message, where)


@contextlib.contextmanager
def reworded(change: Callable[[str], str]) -> Iterator[None]:
    """What an error says is said in other words, those that `change` makes of them."""
    try:
        yield
    except Error as error:
        message = change(error.message)
        if message == error.message:
            raise
        raise type(error)(message, error.where) from None
