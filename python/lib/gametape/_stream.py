"""Streams of a tape and their channels."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterator, Sequence, overload

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._errors import ChannelNotFoundError, DamagedTapeWarning
from ._table import _Capsule, need

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from ._laps import Lap
    from ._tape import Tape

NS = 1_000_000_000

_DTYPES = {
    "u8": "u1", "i8": "i1", "u16": "u2", "i16": "i2", "u32": "u4", "i32": "i4", "u64": "u8", "i64": "i8",
    "f32": "f4", "f64": "f8", "bool": "?", "char": "O", "char16": "O",
    "bits8": "u1", "bits16": "u2", "bits32": "u4", "bits64": "u8",
}  # fmt: skip

_MOST_ELEMENT_COLUMNS = 8
_COSTS_FRAMES = ("block", "missing_frames", "journal_row", "newer")


@dataclass(frozen=True)
class Channel:
    """A channel: a named value in each frame of a stream."""

    name: str
    type: str
    """The type on the tape: `f32`, `char16`, `bits32` …"""
    count: int
    """Values per row: more than 1 for an array. A text is one value, whatever its length."""
    unit: str
    offset: int
    """Byte offset in a raw frame."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The numpy type of its values. Text is `object`: an array of `str`."""
        return np.dtype(_DTYPES[self.type])

    @property
    def is_text(self) -> bool:
        return self.type in ("char", "char16")


@dataclass(frozen=True)
class Loss:
    """What a recording lost of a stream. All zeros: nothing."""

    dropped: int
    """Frames that were not accepted."""
    torn: int
    """Frames that were copied while the game wrote them."""
    missed: int
    """Frames of the game that were never copied, by the game's own counter."""
    gaps: int
    """Periods in which the game was away."""
    late: int
    """Samples that were taken late."""
    unchanged: int
    """Samples that equalled the frame before: not a loss, they are not stored twice."""

    def __bool__(self) -> bool:
        return bool(self.dropped or self.torn or self.missed or self.gaps)


def to_ns(seconds: float, name: str) -> int:
    """Converts a time on the tape from seconds."""
    ns = seconds * NS
    if not 0 <= ns < 2**63:
        raise ValueError(f"{name}={seconds!r} is not a time on a tape: seconds from 0 on")
    return round(ns)


class Stream:
    """Frames of one kind, with their times.

    >>> import gametape as gt
    >>> physics = gt.open("race.gtape")["physics"]
    >>> physics
    <Stream physics: 1... frames, ... Hz, 85 channels>
    >>> physics["speedKmh"].dtype
    dtype('float32')
    >>> physics["wheelSlip"].shape
    (1..., 4)
    """

    def __init__(self, tape: Tape, info: _native.StreamInfo) -> None:
        self._tape = tape
        self._info = info
        self._channels: tuple[Channel, ...] | None = None

    # -- what it is ---------------------------------------------------------------------------------------------------

    @property
    def tape(self) -> Tape:
        """The tape that it is on."""
        return self._tape

    @property
    def name(self) -> str:
        return self._info.name

    @property
    def game(self) -> str:
        """The id of the game; empty if there is none."""
        return self._info.game

    @property
    def layout(self) -> str:
        """The id of the layout of its frames."""
        return self._info.layout

    @property
    def frames(self) -> int:
        """The number of frames."""
        return self._info.frames

    @property
    def frame_bytes(self) -> int | None:
        """The size of a frame; None if the sizes differ."""
        return self._info.frame_bytes or None

    @property
    def start_ns(self) -> int | None:
        """The time of the first frame; None if there is none."""
        return self._info.first_ns

    @property
    def end_ns(self) -> int | None:
        """The time of the last frame; None if there is none."""
        return self._info.last_ns

    @property
    def rate_hz(self) -> float | None:
        """Frames per second, on average; None with fewer than two frames."""
        first, last = self._info.first_ns, self._info.last_ns
        if first is None or last is None or last <= first or self.frames < 2:
            return None
        return (self.frames - 1) * NS / (last - first)

    @property
    def loss(self) -> Loss:
        """What the recording lost of this stream."""
        info = self._info
        return Loss(info.dropped, info.torn, info.missed, info.gaps, info.late, info.unchanged)

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The channels, in the order of their bytes in a frame."""
        if self._channels is None:
            found = self._tape._native.channels(self._info.id)
            self._channels = tuple(Channel(name, kind, count, unit, offset) for name, kind, count, offset, unit in found)
        return self._channels

    def channel(self, name: str) -> Channel:
        """Returns what is known of a channel.

        >>> import gametape as gt
        >>> gt.open("race.gtape").stream("physics").channel("speedKmh").unit
        'km/h'
        """
        for channel in self.channels:
            if channel.name == name:
                return channel
        raise self._unknown(name)

    def __contains__(self, name: object) -> bool:
        return any(channel.name == name for channel in self.channels)

    def __iter__(self) -> Iterator[str]:
        return (channel.name for channel in self.channels)

    def __len__(self) -> int:
        return self.frames

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        rate = "" if self.rate_hz is None else f", {self.rate_hz:.1f} Hz"
        return f"<Stream {self.name}: {self.frames} frames{rate}, {len(self.channels)} channels>"

    # -- values -------------------------------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> NDArray[Any]:
        """All values of a channel, `(frames,)`, or `(frames, count)` for an array. `name[2]` is one element."""
        return self.read(name)

    @overload
    def read(
        self,
        channels: str,
        *,
        lap: Lap | int | None = None,
        start: float | None = None,
        stop: float | None = None,
    ) -> NDArray[Any]: ...

    @overload
    def read(
        self,
        channels: list[str] | tuple[str, ...],
        *,
        lap: Lap | int | None = None,
        start: float | None = None,
        stop: float | None = None,
    ) -> dict[str, NDArray[Any]]: ...

    def read(
        self,
        channels: str | list[str] | tuple[str, ...],
        *,
        lap: Lap | int | None = None,
        start: float | None = None,
        stop: float | None = None,
    ) -> NDArray[Any] | dict[str, NDArray[Any]]:
        """Reads channels of a lap, or from `start` up to but not including `stop`, in seconds on the tape.

        Only the blocks of that time are decoded, and only these channels. A name gives an array; a list of names gives a dict of arrays of equal
        length, with `time_ns` first. Damaged parts are left out of all of them, with a `DamagedTapeWarning`.

        >>> import gametape as gt
        >>> physics = gt.open("race.gtape").stream("physics")
        >>> 0 < len(physics.read("gas", start=10, stop=11)) <= 101
        True
        >>> part = physics.read(["gas", "brake"], lap=2)
        >>> list(part), len(part["time_ns"]) == len(part["gas"])
        (['time_ns', 'gas', 'brake'], True)
        """
        start_ns, stop_ns = self._window(lap, start, stop)
        if isinstance(channels, str):
            _, values, damaged = self._tape._native.read(self._info.id, [channels], start_ns, stop_ns)
            self._warn(damaged)
            return values[0]
        names = list(channels)
        times, values, damaged = self._tape._native.read(self._info.id, names, start_ns, stop_ns, True)
        self._warn(damaged)
        assert times is not None
        return {"time_ns": times, **dict(zip(names, values))}

    @property
    def time_ns(self) -> NDArray[np.int64]:
        """The time of each frame on the tape, in nanoseconds."""
        # Frames of another size than the layout have no values: their times are left out, too.
        odd = bool(self.channels) and self._info.raw_bytes != self._info.frames * self._info.frame_bytes
        names = [self.channels[0].name] if odd else []
        times, _, damaged = self._tape._native.read(self._info.id, names, None, None, True)
        self._warn(damaged)
        assert times is not None
        return times

    @property
    def time_s(self) -> NDArray[np.float64]:
        """The time of each frame on the tape, in seconds."""
        seconds: NDArray[np.float64] = self.time_ns / NS
        return seconds

    @property
    def utc(self) -> NDArray[np.datetime64]:
        """The UTC of each frame. `ValueError` if the tape has no start time."""
        start = self._tape._native.start_utc_ns
        if start is None:
            raise ValueError(f"{self._tape.name} does not say when it was recorded")
        utc: NDArray[np.datetime64] = (self.time_ns + start).view("datetime64[ns]")
        return utc

    def overview(
        self,
        channel: str,
        points: int = 1000,
        *,
        start: float | None = None,
        stop: float | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The minimum and maximum in `points` equal intervals, from the index of the tape: hours at once. NaN where nothing was recorded.

        >>> import gametape as gt
        >>> low, high = gt.open("race.gtape").stream("physics").overview("speedKmh", points=100)
        >>> len(low), bool((low <= high).all())
        (100, True)
        """
        if points < 1 or points > 1_000_000:
            raise ValueError(f"points={points!r} must be from 1 to 1000000")
        base, element = channel, 0
        if channel not in self and channel.endswith("]") and "[" in channel:
            base, _, index = channel[:-1].rpartition("[")
            if not index.isdigit():
                raise self._unknown(channel)
            element = int(index)
        found = self.channel(base)
        if found.is_text:
            raise ValueError(f"channel {channel!r} of stream {self.name!r} is text: it has no minimum")
        if found.count > 1 and base == channel:
            raise ValueError(
                f"channel {channel!r} has {found.count} elements: write {channel}[0] to {channel}[{found.count - 1}]"
            )
        start_ns, stop_ns = self._window(None, start, stop)
        _, low, high = self._tape._native.overview(self._info.id, base, element, start_ns, stop_ns, points)
        return low, high

    def iter_frames(
        self,
        *,
        lap: Lap | int | None = None,
        start: float | None = None,
        stop: float | None = None,
    ) -> Iterator[tuple[int, bytes]]:
        """Iterates over time in nanoseconds and bytes, as the game gave them.

        >>> import gametape as gt
        >>> time_ns, raw = next(gt.open("race.gtape").stream("physics").iter_frames(start=1))
        >>> time_ns >= 1_000_000_000, len(raw)
        (True, 800)
        """
        start_ns, stop_ns = self._window(lap, start, stop)
        frames = self._tape._native.frames([self._info.id], start_ns, stop_ns)
        return self._frames(frames)

    # -- tables -------------------------------------------------------------------------------------------------------

    def select(
        self,
        channels: Sequence[str] | None = None,
        *,
        lap: Lap | int | None = None,
        start: float | None = None,
        stop: float | None = None,
    ) -> Selection:
        """Chooses channels and a time for a table, without reading anything yet.

        >>> import duckdb, gametape as gt
        >>> slow = gt.open("race.gtape").stream("physics").select(["speedKmh", "gear"], lap=2)
        >>> duckdb.sql("select count(*) > 0 from slow").fetchall()
        [(True,)]
        """
        start_ns, stop_ns = self._window(lap, start, stop)
        return Selection(self, None if channels is None else list(channels), start_ns, stop_ns)

    def to_arrow(
        self,
        channels: Sequence[str] | None = None,
        *,
        lap: Lap | int | None = None,
        start: float | None = None,
        stop: float | None = None,
    ) -> pyarrow.Table:
        """A pyarrow Table with `t_ns`, `utc` and these channels, or all of them."""
        return self.select(channels, lap=lap, start=start, stop=stop).to_arrow()

    def to_pandas(
        self,
        channels: Sequence[str] | None = None,
        *,
        lap: Lap | int | None = None,
        start: float | None = None,
        stop: float | None = None,
    ) -> pandas.DataFrame:
        """A pandas DataFrame with `t_ns`, `utc` and these channels, or all of them. Needs no pyarrow.

        >>> import gametape as gt
        >>> list(gt.open("race.gtape").stream("physics").to_pandas(["gas"], start=10, stop=11))
        ['t_ns', 'utc', 'gas']
        """
        return self.select(channels, lap=lap, start=start, stop=stop).to_pandas()

    def to_polars(
        self,
        channels: Sequence[str] | None = None,
        *,
        lap: Lap | int | None = None,
        start: float | None = None,
        stop: float | None = None,
    ) -> polars.DataFrame:
        """A Polars DataFrame with `t_ns`, `utc` and these channels, or all of them. Needs no pyarrow."""
        return self.select(channels, lap=lap, start=start, stop=stop).to_polars()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The Arrow PyCapsule interface: all channels, read as the consumer asks for them."""
        return self.select().__arrow_c_stream__(requested_schema)

    # -- inside -------------------------------------------------------------------------------------------------------

    def _window(self, lap: Lap | int | None, start: float | None, stop: float | None) -> tuple[int | None, int | None]:
        if lap is not None:
            if start is not None or stop is not None:
                raise ValueError("lap= and start=, stop= exclude each other")
            found = self._tape.lap(lap) if isinstance(lap, int) else lap
            if found.tape is not self._tape:
                raise ValueError(f"lap {found.number} is of {found.tape.name}, not of {self._tape.name}")
            return found.start_ns, found.end_ns
        start_ns = None if start is None else to_ns(start, "start")
        stop_ns = None if stop is None else to_ns(stop, "stop")
        if start_ns is not None and stop_ns is not None and stop_ns < start_ns:
            raise ValueError(f"stop={stop!r} is before start={start!r}")
        return start_ns, stop_ns

    def _unknown(self, name: str) -> Exception:
        # The native half knows what is similar.
        try:
            self._tape._native.read(self._info.id, [name], 0, 0)
        except KeyError as error:
            return error
        return ChannelNotFoundError(f"{self._tape.name}: stream {self.name!r} has no channel {name!r}")

    def _frames(self, frames: _native.FrameIterator) -> Iterator[tuple[int, bytes]]:
        for _, time_ns, data in frames:
            yield time_ns, data
        self._warn_if_damaged()

    def _warn_if_damaged(self) -> None:
        """For readers that do not count what they leave out."""
        stream = self._info.id
        if any(kind in _COSTS_FRAMES and of == stream for kind, _, _, of, _, _ in self._tape._native.problems()):
            text = f"{self._tape.name}: stream {self.name!r} is damaged, rows may be missing; see Tape.problems"
            warnings.warn(text, DamagedTapeWarning, stacklevel=3)

    def _warn(self, damaged: int) -> None:
        if damaged:
            text = f"{self._tape.name}: {damaged} damaged parts of stream {self.name!r} were left out; see Tape.problems"
            warnings.warn(text, DamagedTapeWarning, stacklevel=3)


class Selection:
    """Chosen channels of a stream, of a lap or a time: a table that is read when something asks for it."""

    def __init__(self, stream: Stream, channels: list[str] | None, start_ns: int | None, stop_ns: int | None) -> None:
        self._stream = stream
        self._channels = [channel.name for channel in stream.channels] if channels is None else channels
        self._start_ns = start_ns
        self._stop_ns = stop_ns

    @property
    def stream(self) -> Stream:
        return self._stream

    @property
    def channels(self) -> list[str]:
        """The names of the channels."""
        return list(self._channels)

    def to_arrow(self) -> pyarrow.Table:
        """Reads a pyarrow Table."""
        table: pyarrow.Table = need("pyarrow", "to_arrow").table(_Capsule(self))
        self._stream._warn_if_damaged()
        return table

    def to_polars(self) -> polars.DataFrame:
        """Reads a Polars DataFrame."""
        frame: polars.DataFrame = need("polars", "to_polars").DataFrame(_Capsule(self))
        self._stream._warn_if_damaged()
        return frame

    def to_pandas(self) -> pandas.DataFrame:
        """Reads a pandas DataFrame, with the columns of `to_arrow`."""
        pd = need("pandas", "to_pandas")
        stream = self._stream
        native = stream._tape._native
        times, values, damaged = native.read(stream._info.id, self._channels, self._start_ns, self._stop_ns, True)
        stream._warn(damaged)
        assert times is not None
        data: dict[str, Any] = {"t_ns": times}
        start = native.start_utc_ns
        if start is not None:
            data["utc"] = pd.to_datetime((times + start) // 1000, unit="us", utc=True)
        for name, column in zip(self._channels, values):
            if column.ndim == 1:
                data[column_name(name)] = column
            elif column.shape[1] <= _MOST_ELEMENT_COLUMNS:
                data.update({f"{name}_{element}": column[:, element] for element in range(column.shape[1])})
            else:
                data[name] = list(column)
        frame: pandas.DataFrame = pd.DataFrame(data)
        return frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The Arrow PyCapsule interface."""
        native = self._stream._tape._native
        return native.arrow_stream(self._stream._info.id, self._channels, self._start_ns, self._stop_ns)

    def __repr__(self) -> str:
        return f"<Selection of {self._stream.name}: {', '.join(self._channels[:8])}{'…' if len(self._channels) > 8 else ''}>"


def column_name(channel: str) -> str:
    """The column of one element of an array: `wheelSlip_2` for `wheelSlip[2]`."""
    if channel.endswith("]") and "[" in channel:
        base, _, index = channel[:-1].rpartition("[")
        return f"{base}_{index}" if index.isdigit() else channel
    return channel
