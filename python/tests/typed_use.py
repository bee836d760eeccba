"""Uses everything with its exact types: mypy --strict checks it, nothing runs it."""

from __future__ import annotations

import io
import pathlib
from typing import Any

from typing_extensions import assert_type

import numpy as np
from numpy.typing import NDArray

import gametape as gt


def read() -> None:
    for source in ("race.gtape", pathlib.Path("race.gtape"), b"", io.BytesIO(b""), "https://example.org/race.gtape"):
        assert_type(gt.open(source, strict=True), gt.Tape)
    with gt.open("race.gtape") as tape:
        assert_type(tape.id, str | None)
        assert_type(tape.duration, float)
        assert_type(tape.metadata, dict[str, str])
        assert_type(tape.loss, dict[str, gt.Loss])
        assert_type(tape.problems, list[gt.Problem])
        assert_type(tape.start_utc, np.datetime64 | None)
        for stream in tape.streams:
            assert_type(stream, gt.Stream)
            for channel in stream.channels:
                assert_type(channel.dtype, np.dtype[Any])
        physics = tape.stream("physics")
        assert_type(physics["speedKmh"], NDArray[Any])
        assert_type(physics.time_ns, NDArray[np.int64])
        assert_type(physics.utc, NDArray[np.datetime64])
        assert_type(physics.read("gas", lap=3), NDArray[Any])
        assert_type(physics.read(["gas"], start=1.5, stop=2), dict[str, NDArray[Any]])
        low, high = physics.overview("speedKmh", points=10)
        assert_type(low, NDArray[np.float64])
        assert_type(physics.select(["gas"]), gt.Selection)
        assert_type(tape.select(["physics/gas"], hz=60), gt.Frame)
        for time_ns, raw in physics.iter_frames():
            assert_type((time_ns, raw), tuple[int, bytes])
        for name, time_ns, raw in tape.iter_frames(["physics"]):
            assert_type(name, str)
        for event in tape.events:
            assert_type(event.length_ns, int | None)


def laps() -> None:
    tape = gt.open("race.gtape")
    assert_type(tape.sessions, list[gt.Session])
    laps = tape.laps
    assert_type(laps[3], gt.Lap)
    assert_type(laps[1:], gt.Laps)
    assert_type(laps.pick_driver("Driver 1").pick_valid(), gt.Laps)
    fast = laps.pick_fastest()
    assert_type(fast.time, float | None)
    assert_type(fast.sectors, list[float | None])
    assert_type(fast.valid, bool | None)
    assert_type(fast.telemetry(step_m=5)["speed_kmh"], NDArray[Any])
    compared = gt.compare(fast, laps[3])
    assert_type(compared.corners, list[gt.Corner])
    assert_type(compared.units, dict[str, str])


def write() -> None:
    with gt.create("own.gtape", start_utc=0.0) as writer:
        car = writer.stream("car", np.dtype([("speed", "f4")]), units={"speed": "km/h"})
        assert_type(car, gt.StreamWriter)
        car.append(0.5, (1.0,))
        car.append_array([1.0], np.zeros(1, dtype=[("speed", "f4")]))
        writer.mark(1, "here")
    assert_type(writer.close(), gt.Written)
    assert_type(gt.import_file("race.ibt", "race.gtape"), gt.Imported)
    assert_type(gt.recover("race.gtape"), gt.Recovered)


def serve() -> None:
    with gt.connect("http://127.0.0.1:7223", token=None) as store:
        for lap in store.laps(track="Spa"):
            assert_type(lap, dict[str, Any])
        assert_type(store.open("id"), gt.Tape)
