# SPDX-License-Identifier: Apache-2.0
"""Exceptions of nestrt: one class for each code of nestrt::Status."""

from __future__ import annotations

import contextlib
from typing import Callable, Iterator


class Error(Exception):
    """Base class of all nestrt errors.

    code: the code of nestrt::Status, such as "invalid plan".
    message: what is wrong, expected against actual.
    where: the file or call the error is about.
    remedy: the part of the message after the last "; ", usually how to fix the error or the available choices. Empty if
        there is no such part, or if it does not start with a letter, as in "expected 1 to 8; -1 given".
    """

    code = "error"

    def __init__(self, message: str, where: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.where = where

    @property
    def remedy(self) -> str:
        """The suggested fix, or an empty string."""
        before, _, last = self.message.rpartition("; ")
        return last if before and last[:1].isalpha() else ""

    def __reduce__(self):
        return type(self), (self.message, self.where)


class InvalidArgument(Error, ValueError):
    """A name, type, shape, size or option is wrong."""

    code = "invalid argument"


class NotFound(Error, LookupError):
    """A file, tensor, node or cost does not exist."""

    code = "not found"


class InvalidModel(Error):
    """An ONNX file is malformed, hostile or inconsistent."""

    code = "invalid model"


class Unsupported(Error, NotImplementedError):
    """A valid model uses a feature that nestrt does not implement."""

    code = "unsupported"


class InvalidPlan(Error):
    """A plan fails verification."""

    code = "invalid plan"


class Incompatible(Error):
    """A file has a different version or is for other units, or a board does not fit."""

    code = "incompatible"


class OutOfMemory(Error, MemoryError):
    """Not enough memory is available."""

    code = "out of memory"


class InputOutput(Error):
    """A file cannot be read or written."""

    code = "input/output error"


class Unavailable(Error):
    """A unit, its driver or ONNX Runtime is absent, quarantined or busy."""

    code = "unavailable"


class DeadlineExceeded(Error, TimeoutError):
    """The deadline passed before the run completed."""

    code = "deadline exceeded"


class Cancelled(Error):
    """Session.cancel() ended the run."""

    code = "cancelled"


class DeviceFault(Error):
    """A unit reported a failure."""

    code = "device fault"


class InternalError(Error):
    """nestrt has a defect; please report it."""

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
    """Returns the exception for a status code."""
    return _BY_CODE.get(code, InternalError)(message, where)


@contextlib.contextmanager
def reworded(change: Callable[[str], str]) -> Iterator[None]:
    """Replaces the message of a nestrt.Error by change(message)."""
    try:
        yield
    except Error as error:
        message = change(error.message)
        if message == error.message:
            raise
        raise type(error)(message, error.where) from None
