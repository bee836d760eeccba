"""Exceptions and warnings of gametape. Each message says what was found and where."""

from __future__ import annotations


class GametapeError(Exception):
    """The base of all exceptions of this package. I/O errors are `OSError`, wrong arguments `ValueError`."""


class NotATapeError(GametapeError):
    """The file is not a tape, or of a version that this package does not read."""


class DamagedTapeError(GametapeError):
    """A part of the tape is damaged, and the tape was opened with `strict=True`."""


class _LookupError(GametapeError, KeyError):
    def __str__(self) -> str:  # KeyError would print the text with quotes and escapes
        return str(self.args[0]) if self.args else ""


class StreamNotFoundError(_LookupError):
    """The tape has no such stream."""


class ChannelNotFoundError(_LookupError):
    """The stream has no such channel. The message names similar ones."""


class LapNotFoundError(_LookupError):
    """No lap of the tape is what was asked for."""


class ServerError(GametapeError):
    """A gametape server refused a request, or did not understand it."""

    def __init__(self, message: str, status: int | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class DamagedTapeWarning(UserWarning):
    """Damaged parts of a tape were left out of a result. `Tape.problems` has the details."""
