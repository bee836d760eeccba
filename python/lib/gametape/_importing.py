"""Files of other programs as tapes, and tapes that were not closed."""

from __future__ import annotations

import os
from typing import NamedTuple

from . import _native


class Imported(NamedTuple):
    """What an import found."""

    kind: str
    """The kind of the file: `ibt`, `ld` …"""
    tape_id: str
    frames: int
    problems: list[str]
    """What was wrong with the file. Its intact parts were imported."""


class Recovered(NamedTuple):
    """What a recovery kept."""

    frames: int
    problems: list[str]


def import_file(source: str | os.PathLike[str], target: str | os.PathLike[str], *, own: bool = False) -> Imported:
    """Imports a file of another program as a tape, as `gametape import` does: iRacing `.ibt`, MoTeC `.ld`, replays …

    A file that exists is never overwritten (`FileExistsError`). `own=True` says that the laps of a lap file are the user's.

    >>> import gametape as gt
    >>> gt.import_file("race.gtape", "again.gtape")
    Traceback (most recent call last):
    gametape._errors.GametapeError: race.gtape: this file is already a tape and needs no import; ...
    """
    return Imported(*_native.import_file(os.fspath(source), os.fspath(target), own))


def recover(path: str | os.PathLike[str]) -> Recovered:
    """Closes a tape whose recorder was killed, in place, with the frames of its journal.

    Reading such a tape does not need this. A tape that is still being written is refused.
    """
    return Recovered(*_native.recover_file(os.fspath(path)))
