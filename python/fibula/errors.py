"""Exceptions of Fibula.

Every exception has a stable ``code``, a ``message``, a ``hint`` that says what to do, and ``details`` for programs. The
classes group the codes by what a program can do about them::

    Error
    ├── ArgumentError     also a ValueError: an argument, expression, value or file is invalid
    ├── NotFoundError     also a LookupError: there is no such function, node, project, file, ...
    ├── ConflictError     the project has changed meanwhile, or has something else in that place
    ├── LimitError        the result would be too large, or takes too long
    ├── ShapeError        the function has no inside, no bounds, or cannot be evaluated
    └── CancelledError    the progress callback returned False
"""

from __future__ import annotations

import json
import sys
import warnings
from types import FrameType
from typing import Any

__all__ = [
    "ArgumentError",
    "CancelledError",
    "ConflictError",
    "Error",
    "LimitError",
    "NotFoundError",
    "ShapeError",
    "ShapeWarning",
]


class Error(Exception):
    """A call was refused; nothing was changed.

    Attributes:
        code: Stable code, such as ``"unknown_function"``.
        message: What was asked, and what is true instead.
        hint: What to do, if the message does not say it.
        details: The same facts in machine-readable form.
    """

    def __init__(self, code: str, message: str, hint: str | None = None, details: Any = None) -> None:
        super().__init__(code, message, hint, details)
        self.code = code
        self.message = message
        self.hint = hint
        self.details = details

    def __str__(self) -> str:
        return f"{self.message}; {self.hint} ({self.code})" if self.hint else f"{self.message} ({self.code})"


class ArgumentError(Error, ValueError):
    """An argument, expression, value or file is invalid."""


class NotFoundError(Error, LookupError):
    """There is no such function, node, port, project, revision or file."""


class ConflictError(Error):
    """The project has changed meanwhile, or has something else in that place."""


class LimitError(Error):
    """The result would exceed a limit of size or time."""


class ShapeError(Error):
    """The function has no inside, no bounds, or cannot be evaluated."""


class CancelledError(Error):
    """The progress callback returned False."""


class ShapeWarning(UserWarning):
    """A function computes something, but hardly what is meant: a size is beyond a limit, distances are subtracted, ..."""


def _warn(message: str) -> None:
    """Issues a warning at the place that called the package; called by the extension module."""
    level = 0
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "fibula":
        level += 1
        frame = frame.f_back
    warnings.warn(message, ShapeWarning, stacklevel=level + 1)


#: Classes of codes that their names do not tell; docs/refusals.md lists all codes.
_CODES: dict[str, type[Error]] = {
    "cancelled": CancelledError,
    "too_large": LimitError,
    "timed_out": LimitError,
    "too_many_threads": LimitError,
    "revision_conflict": ConflictError,
    "in_use": ConflictError,
    "in_the_way": ConflictError,
    "read_only_store": ConflictError,
    "store_busy": ConflictError,
    "empty_shape": ShapeError,
    "unbounded_shape": ShapeError,
    "no_inside": ShapeError,
    "no_field": ShapeError,
    "missing_input": ShapeError,
    "missing_resource": NotFoundError,
    "missing_content": NotFoundError,
    "content_missing": NotFoundError,
    "not_a_store": NotFoundError,
    "internal": Error,
    "damaged_store": Error,
    "disk_full": Error,
    "forked_process": Error,
    "newer_format": Error,
    "network_file_system": Error,
    "permission_denied": Error,
    "store_failed": Error,
    "store_moved": Error,
    # What an expression names, and a call gives, is an argument.
    "unknown_argument": ArgumentError,
    "unknown_name": ArgumentError,
    "unknown_function_name": ArgumentError,
    "unknown_format": ArgumentError,
}


def _from_refusal(code: str, message: str, hint: str | None, details: str) -> Error:
    """Returns the exception of a refusal; called by the extension module."""
    kind = _CODES.get(code)
    if kind is None:
        if code.startswith("unknown_"):
            kind = NotFoundError
        elif code.startswith(("already_", "duplicate_")):
            kind = ConflictError
        else:
            kind = ArgumentError
    return kind(code, message, hint, json.loads(details))
