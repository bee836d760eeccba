"""Sessions and laps of a tape: a sequence and a table, the telemetry of a lap, and comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterator, NamedTuple, Sequence, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._errors import LapNotFoundError
from ._table import Column, Frame, Table

if TYPE_CHECKING:
    from ._tape import Tape

T = TypeVar("T")

COMPARED = ("speed_kmh", "throttle", "brake", "steering")


class Lap:
    """A lap of a tape.

    >>> import gametape as gt
    >>> fast = gt.open("race.gtape").laps.pick_fastest()
    >>> fast
    <Lap 2: 36... s, valid>
    >>> len(fast.sectors)
    3
    """

    def __init__(self, session: Session, document: dict[str, Any], top_speed: float | None, coverage: float | None) -> None:
        self._session = session
        self.document = document
        """The lap as `gametape laps --json` prints it."""
        self._top_speed = top_speed
        self._coverage = coverage

    @property
    def tape(self) -> Tape:
        """The tape that it is on."""
        return self._session.tape

    @property
    def session(self) -> Session:
        """The session that it is in."""
        return self._session

    @property
    def id(self) -> str:
        """The id, the same whenever the tape is read again."""
        return str(self.document["id"])

    @property
    def number(self) -> int:
        """The number on the tape, from 1: that of `gametape laps` and `--lap`."""
        return int(self.document["tape_lap"])

    @property
    def game_number(self) -> int | None:
        """The game's number of the lap in its session."""
        return _optional(int, self.document["number"])

    @property
    def time_ms(self) -> int | None:
        """The lap time in milliseconds; None if it has none."""
        return _optional(int, self.document["time_ms"])

    @property
    def time(self) -> float | None:
        """The lap time in seconds; None if it has none."""
        return None if self.time_ms is None else self.time_ms / 1000

    @property
    def sectors(self) -> list[float | None]:
        """The sector times in seconds, None where unknown. Empty if the game has no sectors."""
        return [None if ms is None else ms / 1000 for ms in self.document["sectors_ms"]]

    @property
    def valid(self) -> bool | None:
        """Whether the game counts the lap; None if it does not say."""
        return _optional(bool, self.document["valid"])

    @property
    def eligible(self) -> bool:
        """Whether it may be a best lap: complete, valid as far as known, and driven by the user."""
        return bool(self.document["eligible"])

    @property
    def reasons(self) -> list[str]:
        """Why it is invalid or does not count: codes such as `game_invalid`."""
        return list(self.document["reasons"])

    @property
    def complete(self) -> bool:
        """Whether all of it was recorded."""
        return bool(self.document["complete"])

    @property
    def state(self) -> str:
        """`final`, `provisional`, `running` or `aborted`."""
        return str(self.document["state"])

    @property
    def phase(self) -> str:
        """`flying`, `out`, `in` and so on."""
        return str(self.document["phase"])

    @property
    def driver(self) -> str | None:
        """The driver."""
        driver = self.document["driver"] or self._session.driver
        return _optional(str, driver)

    @property
    def stint(self) -> int | None:
        """The number of its stint in the session."""
        return _optional(int, self.document["stint"])

    @property
    def start_ns(self) -> int:
        """Its start on the tape, in nanoseconds."""
        return int(self.document["start_ns"])

    @property
    def end_ns(self) -> int | None:
        """Its end on the tape, in nanoseconds; None while it runs."""
        return _optional(int, self.document["end_ns"])

    @property
    def fuel_used_l(self) -> float | None:
        """The fuel used, in litres; None if unknown or if the car was refuelled."""
        return _optional(float, self.document["fuel_used_l"])

    @property
    def top_speed_kmh(self) -> float | None:
        """The highest speed."""
        return self._top_speed

    @property
    def conditions(self) -> dict[str, Any]:
        """Temperatures, grip, rain, tyre: None where the game does not say."""
        return dict(self.document["conditions"])

    @property
    def track_length_m(self) -> float | None:
        """The length of the track; None if neither the game nor a complete lap tells it."""
        return self.tape._tracked().track_length_m(self.number)

    @property
    def channels(self) -> dict[str, str]:
        """The names and units of all channels that `telemetry` can give: the neutral ones of the game, then those of the tape."""
        *_, available = self.tape._tracked().columns(self.number, ["speed_kmh"], None, 1.0)
        return dict(available)

    def telemetry(
        self,
        channels: Sequence[str] | None = None,
        *,
        step_m: float | None = None,
        hz: float | None = None,
        length_m: float | None = None,
    ) -> Telemetry:
        """The channels of the lap: by distance (`step_m`), by time (`hz`), or as recorded.

        Without names, the neutral channels that are the same for all games: `speed_kmh`, `rpm`, `gear`, `throttle`, `brake`, `steering`, `x_m` …
        Channels of the tape are named with their stream: `physics/wheelSlip.2`. `length_m` replaces a track length that is not known.

        >>> import gametape as gt
        >>> car = gt.open("race.gtape").laps.pick_fastest().telemetry(step_m=5)
        >>> car["distance_m"][:3]
        array([ 0.,  5., 10.])
        >>> car.units["speed_kmh"]
        'km/h'
        """
        if step_m is not None and hz is not None:
            raise ValueError("step_m= and hz= exclude each other")
        for name, value in (("step_m", step_m), ("hz", hz), ("length_m", length_m)):
            if value is not None and not 0 < value < float("inf"):
                raise ValueError(f"{name}={value!r} must be a number above 0")
        names = [] if channels is None else list(channels)
        tracked = self.tape._tracked()
        share, time_ms, columns, available = tracked.columns(self.number, names, step_m, hz, length_m)
        if channels is None:
            # What this game does not give would be empty columns.
            given = {name for name, _ in available}
            columns = [column for column in columns if column[0] in given]
        length = length_m if length_m is not None else self.track_length_m
        table = {"time_s": Column(time_ms / 1000, "s"), "share": Column(share)}
        if length is not None:
            distance = share * length
            if step_m is not None:
                # Exact, where the share is rounded.
                distance = np.minimum(np.arange(len(share)) * step_m, length)
            table = {"distance_m": Column(distance, "m"), **table}
        table.update({name: Column(values, unit) for name, unit, values in columns})
        return Telemetry(self, table)

    def __repr__(self) -> str:
        time = "no time" if self.time is None else f"{self.time:.3f} s"
        valid = {True: ", valid", False: ", invalid", None: ""}[self.valid]
        return f"<Lap {self.number}: {time}{valid}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lap) and other.id == self.id

    def __hash__(self) -> int:
        return hash(self.id)


class Telemetry(Frame):
    """The channels of a lap. `time_s` is the time since the line, `share` the part of the lap that is done, `distance_m` the place."""

    def __init__(self, lap: Lap, columns: dict[str, Column]) -> None:
        super().__init__(columns)
        self.lap = lap


class Laps(Table, Sequence[Lap]):
    """Laps: a sequence (`laps[0]` is the first one) and a table.

    >>> import gametape as gt
    >>> laps = gt.open("race.gtape").laps
    >>> len(laps), laps[0].number
    (4, 1)
    >>> all(lap.complete for lap in laps.pick_valid())
    True
    >>> laps.to_pandas()["time_s"].min()
    np.float64(36...)
    """

    def __init__(self, laps: Sequence[Lap]) -> None:
        self._laps = tuple(laps)
        super().__init__(_columns_of(self._laps))

    @overload
    def __getitem__(self, index: int) -> Lap: ...

    @overload
    def __getitem__(self, index: slice) -> Laps: ...

    def __getitem__(self, index: int | slice) -> Lap | Laps:
        if isinstance(index, slice):
            return Laps(self._laps[index])
        return self._laps[index]

    def __len__(self) -> int:
        return len(self._laps)

    def __iter__(self) -> Iterator[Lap]:
        return iter(self._laps)

    def number(self, number: int) -> Lap:
        """Returns the lap with this number on its tape, from 1."""
        for lap in self._laps:
            if lap.number == number:
                return lap
        known = ", ".join(str(lap.number) for lap in self._laps) or "none"
        raise LapNotFoundError(f"there is no lap {number}; there are {known}")

    def pick(self, condition: Callable[[Lap], bool]) -> Laps:
        """The laps for which the condition holds."""
        return Laps([lap for lap in self._laps if condition(lap)])

    def pick_driver(self, driver: str) -> Laps:
        """The laps of a driver. Upper and lower case are the same."""
        return self.pick(lambda lap: lap.driver is not None and lap.driver.casefold() == driver.casefold())

    def pick_valid(self) -> Laps:
        """The laps that have a time and count: complete, and not invalid as far as the game says."""
        return self.pick(lambda lap: lap.time_ms is not None and lap.complete and lap.valid is not False)

    def pick_complete(self) -> Laps:
        """The laps of which everything was recorded."""
        return self.pick(lambda lap: lap.complete)

    def pick_fastest(self, *, only_eligible: bool = True) -> Lap:
        """The fastest lap that counts; with `only_eligible=False`, the fastest of all that have a time.

        `LapNotFoundError` if there is none.
        """
        timed = [lap for lap in self._laps if lap.time_ms is not None and (lap.eligible or not only_eligible)]
        if not timed:
            hint = "; only_eligible=False also takes laps that do not count" if only_eligible else ""
            raise LapNotFoundError(f"none of the {len(self._laps)} laps has a time that counts{hint}")
        return min(timed, key=lambda lap: lap.time_ms or 0)

    def __repr__(self) -> str:
        return f"<Laps: {len(self)}>"


class Session:
    """A session of a game: practice, qualifying, a race …"""

    def __init__(self, tape: Tape, document: dict[str, Any], facts: dict[str, tuple[float | None, float | None]]) -> None:
        self._tape = tape
        self.document = document
        """The session as `gametape laps --json` prints it."""
        nothing: tuple[float | None, float | None] = (None, None)
        self._laps = Laps([Lap(self, lap, *facts.get(lap["id"], nothing)) for lap in document["laps"]])

    @property
    def tape(self) -> Tape:
        return self._tape

    @property
    def id(self) -> str:
        return str(self.document["id"])

    @property
    def game(self) -> str:
        return str(self.document["game"])

    @property
    def type(self) -> str:
        """`practice`, `qualifying`, `race` …"""
        return str(self.document["type"])

    @property
    def track(self) -> str | None:
        return _optional(str, self.document["track"])

    @property
    def track_layout(self) -> str | None:
        return _optional(str, self.document["layout"])

    @property
    def car(self) -> str | None:
        return _optional(str, self.document["car"])

    @property
    def driver(self) -> str | None:
        return _optional(str, self.document["driver"])

    @property
    def started_utc(self) -> str | None:
        """When it began: ISO 8601."""
        return _optional(str, self.document["started_utc"])

    @property
    def stints(self) -> list[dict[str, Any]]:
        return list(self.document["stints"])

    @property
    def laps(self) -> Laps:
        return self._laps

    def __repr__(self) -> str:
        parts = [self.type, self.track, self.car, self.driver]
        return f"<Session: {', '.join(part for part in parts if part)}, {len(self._laps)} laps>"


class Stretch(NamedTuple):
    """A part of the track, and the time that the lap loses on it; negative is gained."""

    from_m: float
    to_m: float
    lost_ms: float | None


class Corner(NamedTuple):
    """A corner of the reference lap, the lowest speeds of both laps in it, and the time that the lap loses."""

    number: int
    from_m: float
    apex_m: float
    to_m: float
    reference_kmh: float | None
    lap_kmh: float | None
    lost_ms: float | None


class Comparison(Frame):
    """A lap beside a reference lap, by place. `delta_ms` is positive where the lap is behind.

    Columns: `distance_m`, `delta_ms`, `reference_time_s`, `lap_time_s`, and each channel as `NAME_reference` and `NAME_lap`.
    """

    def __init__(
        self,
        reference: Lap,
        lap: Lap,
        columns: dict[str, Column],
        length_m: float,
        stretches: list[Stretch],
        corners: list[Corner],
    ) -> None:
        super().__init__(columns)
        self.reference = reference
        self.lap = lap
        self.length_m = length_m
        self.stretches = stretches
        self.corners = corners


def compare(reference: Lap, lap: Lap, *, step_m: float = 5.0, channels: Sequence[str] = COMPARED) -> Comparison:
    """Compares a lap with a reference lap, place by place. The laps may be on different tapes.

    >>> import gametape as gt
    >>> laps = gt.open("race.gtape").laps
    >>> compared = gt.compare(laps.pick_fastest(), laps[2])
    >>> float(compared["delta_ms"][-1]) == round(1000 * (laps[2].time - laps.pick_fastest().time))
    True
    """
    if not 0.5 <= step_m <= 500:
        raise ValueError(f"step_m={step_m!r} must be from 0.5 to 500 metres")
    one, other = (reference.session.track, reference.session.track_layout), (lap.session.track, lap.session.track_layout)
    if one[0] is not None and other[0] is not None and one != other:
        raise ValueError(f"the laps are on different tracks: {one[0]} and {other[0]}")
    parts = [(one.tape._tracked(), one.number) for one in (reference, lap)]
    found = _native.compare_laps(parts, step_m, list(channels))
    times = [_seconds(time) for time in found["time_ms"]]
    columns = {
        "distance_m": Column(found["distance_m"], "m"),
        "delta_ms": Column(found["delta_ms"][1], "ms"),
        "reference_time_s": Column(times[0], "s"),
        "lap_time_s": Column(times[1], "s"),
    }
    for (name, unit, values), (_, _, others) in zip(*found["channels"]):
        columns[f"{name}_reference"] = Column(values, unit)
        columns[f"{name}_lap"] = Column(others, unit)
    stretches = [Stretch(from_m, to_m, lost[1]) for from_m, to_m, lost in found["stretches"]]
    corners = [
        Corner(number, from_m, apex_m, to_m, slowest[0], slowest[1], lost[1])
        for number, from_m, apex_m, to_m, slowest, lost in found["corners"]
    ]
    return Comparison(reference, lap, columns, found["length_m"], stretches, corners)


def _seconds(ms: NDArray[np.float64]) -> NDArray[np.float64]:
    seconds: NDArray[np.float64] = ms / 1000
    return seconds


def _columns_of(laps: Sequence[Lap]) -> dict[str, Column]:
    def of(kind: type, get: Callable[[Lap], Any], unit: str = "") -> Column:
        return Column.of([get(lap) for lap in laps], kind, unit)

    sectors = max((len(lap.sectors) for lap in laps), default=0)
    columns = {
        "lap": of(int, lambda lap: lap.number),
        "time_s": of(float, lambda lap: lap.time, "s"),
        "valid": of(bool, lambda lap: lap.valid),
        "eligible": of(bool, lambda lap: lap.eligible),
        "complete": of(bool, lambda lap: lap.complete),
        "phase": of(str, lambda lap: lap.phase),
        "state": of(str, lambda lap: lap.state),
        "reasons": of(str, lambda lap: ",".join(lap.reasons)),
    }
    for number in range(sectors):
        columns[f"sector_{number + 1}_s"] = of(float, lambda lap, at=number: _at(lap.sectors, at), "s")  # type: ignore[misc]
    columns |= {
        "driver": of(str, lambda lap: lap.driver),
        "car": of(str, lambda lap: lap.session.car),
        "track": of(str, lambda lap: lap.session.track),
        "game": of(str, lambda lap: lap.session.game),
        "session_type": of(str, lambda lap: lap.session.type),
        "stint": of(int, lambda lap: lap.stint),
        "game_number": of(int, lambda lap: lap.game_number),
        "start_ns": of(int, lambda lap: lap.start_ns, "ns"),
        "end_ns": of(int, lambda lap: lap.end_ns, "ns"),
        "fuel_used_l": of(float, lambda lap: lap.fuel_used_l, "l"),
        "top_speed_kmh": of(float, lambda lap: lap.top_speed_kmh, "km/h"),
        "air_celsius": of(float, lambda lap: lap.conditions["air_celsius"], "degC"),
        "track_celsius": of(float, lambda lap: lap.conditions["track_celsius"], "degC"),
        "tyre": of(str, lambda lap: lap.conditions["tyre"]),
        "id": of(str, lambda lap: lap.id),
        "session": of(str, lambda lap: lap.session.id),
    }
    return columns


def _at(values: Sequence[float | None], index: int) -> float | None:
    return values[index] if index < len(values) else None


def _optional(kind: Callable[[Any], T], value: Any) -> T | None:
    return None if value is None else kind(value)
