"""Opening tapes."""

from __future__ import annotations

import json
import os
import threading
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Iterator, Literal, Mapping, Sequence, cast

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._errors import DamagedTapeWarning, StreamNotFoundError
from ._laps import Lap, Laps, Session
from ._sources import FileSource, HttpSource
from ._stream import NS, Loss, Stream, column_name, to_ns
from ._table import Column, Frame

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


@dataclass(frozen=True)
class Event:
    """An event on a tape: a mark of the user, a session, a gap …"""

    time_ns: int
    kind: str
    text: str
    length_ns: int | None = None
    """How long what it ends had lasted."""


@dataclass(frozen=True)
class Problem:
    """Something that is wrong with a tape."""

    kind: str
    """`block`, `missing_frames`, `not_closed` … as `gametape verify --json` names it."""
    text: str
    offset: int
    journal: int | None = None
    stream: str | None = None
    frames_lost: int | None = None


def open(
    source: str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO,
    *,
    strict: bool = False,
    headers: Mapping[str, str] | None = None,
) -> Tape:
    """Opens a tape: a path, bytes, a binary file object, or an `http://` or `https://` address whose server answers ranges.

    Nothing is read but the index. A tape that is still being recorded, or whose recorder was killed, opens like any other. Damaged parts are
    left out and listed in `Tape.problems`; with `strict=True` they raise `DamagedTapeError`. `headers` go with the requests to a server.

    >>> import gametape as gt
    >>> with gt.open("race.gtape") as tape:
    ...     tape.game, tape.complete, round(tape.duration)
    ('assetto-corsa-competizione', True, 114)
    >>> gt.open("no/such/file")
    Traceback (most recent call last):
    FileNotFoundError: cannot read no/such/file at byte 0: No such file or directory (os error 2)
    """
    if isinstance(source, (bytes, bytearray, memoryview)):
        return Tape(_native.Tape.open_bytes(bytes(source), strict))
    if isinstance(source, str) and source.lower().startswith(("http://", "https://")):
        remote = HttpSource(source, headers)
        return Tape(_native.Tape.open_object(remote, source, strict), remote)
    if isinstance(source, str) and "://" in source and not os.path.exists(source):
        scheme = source.partition("://")[0]
        raise ValueError(
            f"{source}: {scheme}:// is not supported: use an https:// address (presigned, for a bucket) or a file object of fsspec"
        )
    if isinstance(source, (str, os.PathLike)):
        return Tape(_native.Tape.open_path(os.fspath(source), strict))
    if not hasattr(source, "read"):
        raise TypeError(f"cannot open {type(source).__name__}: use a path, bytes, a binary file object or an http(s) address")
    return Tape(_native.Tape.open_object(FileSource(source), str(getattr(source, "name", "<file object>")), strict))


class Tape:
    """A tape that is open for reading. `gametape.open` makes it; `with` closes it. All methods may be called from several threads.

    >>> import gametape as gt
    >>> tape = gt.open("race.gtape")
    >>> [stream.name for stream in tape.streams]
    ['physics', 'graphics', 'static']
    >>> tape["physics/speedKmh"].shape
    (1...,)
    """

    def __init__(self, native: _native.Tape, remote: HttpSource | None = None) -> None:
        self._native = native
        self._remote = remote
        self._lock = threading.Lock()
        self._streams: tuple[Stream, ...] | None = None
        self._metadata: dict[str, str] | None = None
        self._found: _native.Tracked | None = None
        self._sessions: list[Session] | None = None

    # -- what it is ---------------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The path or address that it was opened from."""
        return self._native.name

    @property
    def id(self) -> str | None:
        """The identity of the tape; None if it is unreadable."""
        return self._native.id

    @property
    def size(self) -> int:
        """The length of the file in bytes."""
        return self._native.size

    @property
    def complete(self) -> bool:
        """Whether the recording was closed. If not, it is still being written, or its recorder was killed."""
        return self._native.complete

    @property
    def is_being_written(self) -> bool:
        """Whether a recorder is writing to it now. Known for files only."""
        return self._native.is_being_written

    @property
    def start_utc(self) -> np.datetime64 | None:
        """UTC at time 0; None if unknown."""
        start = self._native.start_utc_ns
        return None if start is None else np.datetime64(start, "ns")

    @property
    def duration(self) -> float:
        """The length in seconds: until the last frame, or until it was last seen unchanged."""
        infos = [stream._info for stream in self.streams]
        ends = [time for info in infos for time in (info.last_ns, info.seen_until_ns) if time is not None]
        return max(ends, default=0) / NS

    @property
    def metadata(self) -> dict[str, str]:
        """What the recorder noted: keys and values."""
        if self._metadata is None:
            self._metadata = self._native.metadata()
        return dict(self._metadata)

    @property
    def game(self) -> str | None:
        """The id of the game; None if it is of none."""
        return next((stream.game for stream in self.streams if stream.game), None)

    @property
    def track(self) -> str | None:
        """The track of the first session, as noted by the recorder; None if unknown."""
        return self.metadata.get("track")

    @property
    def car(self) -> str | None:
        """The car, as noted by the recorder; None if unknown."""
        return self.metadata.get("car")

    @property
    def driver(self) -> str | None:
        """The driver, as noted by the recorder; else that of the first session, which reads the tape. None if unknown."""
        noted = self.metadata.get("driver")
        if noted is None and self.game is not None:
            noted = next((session.driver for session in self.sessions if session.driver), None)
        return noted

    @property
    def loss(self) -> dict[str, Loss]:
        """What the recording lost, for each stream."""
        return {stream.name: stream.loss for stream in self.streams}

    @property
    def problems(self) -> list[Problem]:
        """What was found damaged so far. Blocks are checked when they are read: `verify` reads them all."""
        names = {info.id: info.name for info in self._native.streams()}
        return [
            Problem(kind, text, offset, journal, None if stream is None else names.get(stream), lost)
            for kind, offset, journal, stream, lost, text in self._native.problems()
        ]

    def verify(self) -> bool:
        """Reads the whole tape and checks every byte. Returns whether it is intact; otherwise `problems` says what is not."""
        return self._native.verify()

    # -- streams ------------------------------------------------------------------------------------------------------

    @property
    def streams(self) -> tuple[Stream, ...]:
        """The streams of the game, without those that the recorder writes about itself."""
        if self._streams is None:
            infos = [info for info in self._native.streams() if info.role in ("data", "describe")]
            self._streams = tuple(Stream(self, info) for info in infos)
        return self._streams

    def stream(self, name: str) -> Stream:
        """Returns a stream by name. `StreamNotFoundError`, a `KeyError`, names those that exist."""
        for stream in self.streams:
            if stream.name == name:
                return stream
        known = ", ".join(stream.name for stream in self.streams) or "none"
        raise StreamNotFoundError(f"{self.name}: there is no stream {name!r}; there are {known}")

    def channel(self, name: str) -> NDArray[Any]:
        """Returns all values of a channel: `physics/speedKmh`, or `speedKmh` if only one stream has it."""
        stream, channel = self._find(name)
        return stream[channel]

    def __getitem__(self, name: str) -> Any:
        """A stream by its name, or the values of a channel (`physics/speedKmh`). `stream` and `channel` do the same with exact types."""
        for stream in self.streams:
            if stream.name == name:
                return stream
        return self.channel(name)

    def __iter__(self) -> Iterator[Stream]:
        return iter(self.streams)

    def __contains__(self, name: object) -> bool:
        return any(stream.name == name for stream in self.streams)

    def _find(self, name: str) -> tuple[Stream, str]:
        for stream in self.streams:
            if name.startswith(f"{stream.name}/"):
                return stream, name[len(stream.name) + 1 :]
        base = name[: name.rindex("[")] if name.endswith("]") and "[" in name else name
        having = [stream for stream in self.streams if name in stream or base in stream]
        if len(having) == 1:
            return having[0], name
        if len(having) > 1:
            where = ", ".join(f"{stream.name}/{name}" for stream in having)
            raise StreamNotFoundError(f"{self.name}: {name!r} is in several streams: write {where}")
        known = ", ".join(stream.name for stream in self.streams) or "none"
        near = sorted({one for stream in self.streams for one in stream if base.lower() in one.lower()})[:5]
        hint = f"; did you mean {', '.join(near)}?" if near and base else ""
        raise StreamNotFoundError(f"{self.name}: there is no stream and no channel {name!r}{hint} (streams: {known})")

    # -- sessions and laps --------------------------------------------------------------------------------------------

    @property
    def sessions(self) -> list[Session]:
        """The sessions. The first call reads all frames of the tape."""
        tracked = self._tracked()
        with self._lock:
            if self._sessions is None:
                facts = {lap: (top, coverage) for lap, top, coverage in tracked.lap_facts()}
                self._sessions = [Session(self, json.loads(text), facts) for text in tracked.sessions()]
            return list(self._sessions)

    @property
    def laps(self) -> Laps:
        """All laps, in the order in which they were driven. The first call reads all frames of the tape."""
        return Laps([lap for session in self.sessions for lap in session.laps])

    def lap(self, number: int) -> Lap:
        """Returns the lap with this number on the tape, from 1."""
        return self.laps.number(number)

    def _tracked(self) -> _native.Tracked:
        with self._lock:
            if self._found is None:
                self._found = self._native.track()
                if self._found.damaged:
                    text = f"{self.name}: {self._found.damaged} damaged parts were skipped in search of laps; see Tape.problems"
                    warnings.warn(text, DamagedTapeWarning, stacklevel=3)
            return self._found

    # -- events and frames --------------------------------------------------------------------------------------------

    @property
    def events(self) -> list[Event]:
        """All events, in order of time.

        >>> import gametape as gt
        >>> [event.kind for event in gt.open("race.gtape").events]
        ['session_start', 'presence']
        """
        return [Event(time_ns, kind, text, length) for time_ns, kind, text, length in self._native.events()]

    @property
    def marks(self) -> list[Event]:
        """The marks of the user."""
        return [event for event in self.events if event.kind == "mark"]

    def iter_frames(
        self,
        streams: Sequence[str] | None = None,
        *,
        start: float | None = None,
        stop: float | None = None,
    ) -> Iterator[tuple[str, int, bytes]]:
        """Iterates over stream name, time in nanoseconds and bytes of all frames, in order of time."""
        chosen = self.streams if streams is None else [self.stream(name) for name in streams]
        names = {stream._info.id: stream.name for stream in chosen}
        start_ns = None if start is None else to_ns(start, "start")
        stop_ns = None if stop is None else to_ns(stop, "stop")
        frames = self._native.frames(list(names), start_ns, stop_ns)
        return self._frames(frames, names, chosen)

    @staticmethod
    def _frames(
        frames: _native.FrameIterator, names: Mapping[int, str], chosen: Sequence[Stream]
    ) -> Iterator[tuple[str, int, bytes]]:
        for stream, time_ns, data in frames:
            yield names[stream], time_ns, data
        for one in chosen:
            one._warn_if_damaged()

    # -- tables over streams ------------------------------------------------------------------------------------------

    def select(
        self,
        channels: Sequence[str],
        *,
        how: Literal["hold"] = "hold",
        hz: float | None = None,
        start: float | None = None,
        stop: float | None = None,
    ) -> Frame:
        """A table of channels of several streams: each row has the value that each channel had at that time.

        Rows are at the frames of all these streams, or `hz` times a second. Before the first frame of a stream its values are unknown.

        >>> import gametape as gt
        >>> table = gt.open("race.gtape").select(["physics/speedKmh", "graphics/normalizedCarPosition"], hz=60)
        >>> table.columns
        ['t_ns', 'physics/speedKmh', 'graphics/normalizedCarPosition']
        """
        if how != "hold":
            raise ValueError(f"how={how!r} is not known: 'hold' keeps each value until the next one")
        if hz is not None and not 0 < hz <= 1_000_000:
            raise ValueError(f"hz={hz!r} must be a number above 0")
        if not channels:
            raise ValueError("no channels are chosen")
        wanted: dict[str, list[tuple[str, str]]] = {}
        for name in channels:
            stream, channel = self._find(name)
            wanted.setdefault(stream.name, []).append((name, channel))
        read: dict[str, dict[str, NDArray[Any]]] = {}
        for stream_name, names in wanted.items():
            # From the start, since a value holds until the next one.
            found = self.stream(stream_name).read([channel for _, channel in names], stop=stop)
            read[stream_name] = found
        grid = self._grid([found["time_ns"] for found in read.values()], hz, start, stop)
        columns = {"t_ns": Column(grid, "ns")}
        for name in channels:
            stream, channel = self._find(name)
            found = read[stream.name]
            rows = np.searchsorted(found["time_ns"], grid, side="right") - 1
            columns.update(_held(name, found[channel], rows, _unit(stream, channel)))
        return Frame(columns)

    def to_polars(
        self,
        channels: Sequence[str],
        *,
        how: Literal["hold"] = "hold",
        hz: float | None = None,
        start: float | None = None,
        stop: float | None = None,
    ) -> polars.DataFrame:
        """The table of `select` as a Polars DataFrame."""
        return self.select(channels, how=how, hz=hz, start=start, stop=stop).to_polars()

    def to_pandas(
        self,
        channels: Sequence[str],
        *,
        how: Literal["hold"] = "hold",
        hz: float | None = None,
        start: float | None = None,
        stop: float | None = None,
    ) -> pandas.DataFrame:
        """The table of `select` as a pandas DataFrame."""
        return self.select(channels, how=how, hz=hz, start=start, stop=stop).to_pandas()

    def to_arrow(
        self,
        channels: Sequence[str],
        *,
        how: Literal["hold"] = "hold",
        hz: float | None = None,
        start: float | None = None,
        stop: float | None = None,
    ) -> pyarrow.Table:
        """The table of `select` as a pyarrow Table."""
        return self.select(channels, how=how, hz=hz, start=start, stop=stop).to_arrow()

    def _grid(
        self, times: list[NDArray[np.int64]], hz: float | None, start: float | None, stop: float | None
    ) -> NDArray[np.int64]:
        start_ns = 0 if start is None else to_ns(start, "start")
        known = [time for time in times if len(time)]
        if not known:
            return np.empty(0, dtype=np.int64)
        if hz is None:
            grid = np.unique(np.concatenate(known))
            return grid[grid >= start_ns]
        first = max(start_ns, min(int(time[0]) for time in known)) if start is None else start_ns
        last = max(int(time[-1]) for time in known)
        count = max(0, int((last - first) * hz / NS) + 1)
        if count > 1_000_000_000:
            raise ValueError(f"hz={hz!r} gives {count} rows: choose a lower rate, or start= and stop=")
        return cast("NDArray[np.int64]", first + np.round(np.arange(count) * (NS / hz)).astype(np.int64))

    # -- the end ------------------------------------------------------------------------------------------------------

    @property
    def closed(self) -> bool:
        return self._native.closed

    def close(self) -> None:
        """Closes the file. Arrays that were read stay valid."""
        self._native.close()
        if self._remote is not None:
            self._remote.close()

    def __enter__(self) -> Tape:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self.closed:
            return f"<Tape {self.name}: closed>"
        parts = [self.game or "no game", f"{self.duration:.1f} s", f"{len(self.streams)} streams"]
        return f"<Tape {self.name}: {', '.join(parts)}{'' if self.complete else ', not closed'}>"


def _unit(stream: Stream, channel: str) -> str:
    base = channel if channel in stream else channel.rpartition("[")[0]
    return stream.channel(base).unit


def _held(name: str, values: NDArray[Any], rows: NDArray[np.intp], unit: str) -> dict[str, Column]:
    """The values at these rows; row -1 is unknown."""
    if values.ndim == 2:
        parts = {f"{name}_{element}": values[:, element] for element in range(values.shape[1])}
    else:
        parts = {column_name(name): values}
    known = rows >= 0
    columns = {}
    for column, part in parts.items():
        if len(part) == 0:
            part = np.zeros(1, dtype=part.dtype)
        held = part[np.maximum(rows, 0)]
        if part.dtype.kind == "f":
            held = held.astype(part.dtype, copy=True)
            held[~known] = np.nan
            columns[column] = Column(held, unit)
        elif part.dtype.kind == "O":
            held = held.astype(object, copy=True)
            held[~known] = None
            columns[column] = Column(held, unit)
        else:
            columns[column] = Column(held, unit, None if bool(known.all()) else known)
    return columns
