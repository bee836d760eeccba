"""Writing tapes."""

from __future__ import annotations

import os
import time
from typing import Any, Mapping, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import _native
from ._stream import NS

_KINDS = {
    "u1": "u8", "i1": "i8", "u2": "u16", "i2": "i16", "u4": "u32", "i4": "i32", "u8": "u64", "i8": "i64",
    "f4": "f32", "f8": "f64", "b1": "bool",
}  # fmt: skip


class Written(NamedTuple):
    """A tape that was closed."""

    bytes: int
    frames: int
    dropped: int


def create(path: str | os.PathLike[str], *, start_utc: np.datetime64 | float | None = None) -> Writer:
    """Creates a tape. A file that exists is never overwritten (`FileExistsError`).

    A frame that `append` has accepted is in a journal beside the tape: it survives the end of this process, however it ends. Readers open the
    tape at any time. `start_utc` is the UTC at time 0, a `datetime64` or seconds since 1970; without it, that of the first call.

    >>> import gametape as gt, numpy as np
    >>> with gt.create("own.gtape") as writer:
    ...     car = writer.stream("car", np.dtype([("speed", "f4"), ("gear", "i1")]), units={"speed": "km/h"})
    ...     car.append(0.00, (101.5, 3))
    ...     car.append(0.01, (102.0, 3))
    ...     writer.mark(0.01, "here")
    >>> tape = gt.open("own.gtape")
    >>> tape["car/speed"], tape.stream("car").channel("speed").unit
    (array([101.5, 102. ], dtype=float32), 'km/h')
    """
    if start_utc is None:
        start_ns = time.time_ns()
    elif isinstance(start_utc, np.datetime64):
        start_ns = int(start_utc.astype("datetime64[ns]").astype(np.int64))
    else:
        start_ns = round(start_utc * NS)
    return Writer(_native.Writer(os.fspath(path), start_ns))


class Writer:
    """A tape that is being written. `create` makes it; `with` closes it.

    If the block ends with an exception, the tape is closed as well: what was accepted is whole.
    """

    def __init__(self, native: _native.Writer) -> None:
        self._native = native
        self._last_ns = 0

    def stream(
        self,
        name: str,
        dtype: DTypeLike,
        *,
        units: Mapping[str, str] | None = None,
        game: str = "",
    ) -> StreamWriter:
        """Adds a stream whose frames are records of this numpy type. Fields become channels; `("wheel", "f4", 4)` is an array channel.

        `S8` becomes text. Nested records get names with dots. Padding of an aligned type is kept.
        """
        record: np.dtype[Any] = np.dtype(dtype)
        if record.names is None:
            raise TypeError(f"stream {name!r} needs a numpy type with fields: np.dtype([('speed', 'f4'), ...])")
        units = dict(units or {})
        channels = _channels_of(record, "", 0, units)
        unknown = set(units) - {channel[0] for channel in channels}
        if unknown:
            raise ValueError(f"stream {name!r} has units for channels that it does not have: {', '.join(sorted(unknown))}")
        number = self._native.add_stream(name, record.itemsize, channels, game, False)
        return StreamWriter(self, number, record)

    def bytes_stream(self, name: str, *, game: str = "", json: bool = False) -> StreamWriter:
        """Adds a stream of frames of any size, without channels. `json=True` stores JSON texts far smaller."""
        return StreamWriter(self, self._native.add_stream(name, 0, [], game, json), None)

    def mark(self, time_s: float, text: str) -> None:
        """Sets a mark, as `gametape mark` does during a recording."""
        self.event(time_s, "mark", text)

    def event(self, time_s: float, kind: str, text: str = "", *, length_s: float | None = None) -> None:
        """Adds an event of any kind. `length_s` is how long what it ends has lasted."""
        self._native.event(self._time(time_s), kind, text, None if length_s is None else _ns(length_s))

    def metadata(self, **values: str) -> None:
        """Notes facts: `track`, `car`, `driver` and any other key. The last value of a key wins."""
        for key, value in values.items():
            self._native.metadata(self._last_ns, key, value)

    def close(self) -> Written:
        """Closes the tape. It is durable when this returns."""
        return Written(*self._native.finish())

    @property
    def closed(self) -> bool:
        return self._native.closed

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: object) -> None:
        if not self.closed:
            self.close()

    def _time(self, time_s: float) -> int:
        time_ns = _ns(time_s)
        self._last_ns = max(self._last_ns, time_ns)
        return time_ns


class StreamWriter:
    """A stream of a tape that is being written."""

    def __init__(self, writer: Writer, number: int, dtype: np.dtype[Any] | None) -> None:
        self._writer = writer
        self._number = number
        self._dtype = dtype

    def append(self, time_s: float, frame: Any) -> None:
        """Appends a frame: a record, a tuple of its fields, or bytes. Times of a stream never go back (`ValueError`)."""
        if isinstance(frame, (bytes, bytearray, memoryview)):
            data = bytes(frame)
        elif self._dtype is None:
            raise TypeError(f"a stream without channels takes bytes, not {type(frame).__name__}")
        else:
            data = np.array(frame, dtype=self._dtype).tobytes()
        if self._dtype is not None and len(data) != self._dtype.itemsize:
            raise ValueError(f"a frame of this stream has {self._dtype.itemsize} bytes, not {len(data)}")
        self._writer._native.append(self._number, [self._writer._time(time_s)], data, len(data))

    def append_array(self, times_s: ArrayLike, frames: NDArray[Any]) -> None:
        """Appends an array of records with their times in seconds. Waits while the disk is slower."""
        if self._dtype is None:
            raise TypeError("a stream without channels takes bytes: use append")
        times = np.asarray(times_s, dtype=np.float64)
        records = np.ascontiguousarray(frames, dtype=self._dtype)
        if times.ndim != 1 or records.ndim != 1 or len(times) != len(records):
            raise ValueError(f"times of shape {times.shape} do not fit frames of shape {records.shape}")
        if len(times) == 0:
            return
        if not (np.isfinite(times).all() and times.min() >= 0):
            raise ValueError("times must be seconds from 0 on")
        times_ns = np.round(times * NS).astype(np.int64)
        self._writer._native.append(self._number, times_ns.tolist(), records.tobytes(), self._dtype.itemsize)
        self._writer._last_ns = max(self._writer._last_ns, int(times_ns[-1]))


def _ns(seconds: float) -> int:
    ns = seconds * NS
    if not 0 <= ns < 2**63:
        raise ValueError(f"{seconds!r} is not a time on a tape: seconds from 0 on")
    return round(ns)


def _channels_of(record: np.dtype[Any], prefix: str, base: int, units: Mapping[str, str]) -> list[tuple[str, str, int, int, str]]:
    channels: list[tuple[str, str, int, int, str]] = []
    fields: Mapping[str, Any] = record.fields or {}
    for field in record.names or ():
        kind, offset = fields[field][:2]
        name, count = prefix + field, 1
        if kind.subdtype is not None:
            kind, shape = kind.subdtype
            count = int(np.prod(shape))
        if kind.names is not None:
            if count != 1:
                raise TypeError(f"field {name!r}: arrays of records are not supported")
            channels += _channels_of(kind, f"{name}.", base + offset, units)
            continue
        if kind.kind == "S" and count == 1:
            type_name, count = "char", kind.itemsize
        elif kind.byteorder == ">" or kind.str[1:] not in _KINDS:
            raise TypeError(f"field {name!r}: type {kind.str} is not supported; use little-endian numbers, bool or S")
        else:
            type_name = _KINDS[kind.str[1:]]
        channels.append((name, type_name, base + offset, count, units.get(name, "")))
    return channels
