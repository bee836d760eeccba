"""Values are those that `gametape cat` prints, to the bit, on every tape of the repository."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

import gametape as gt
from conftest import Program, tapes_of_repository

NAMES = [str(path.relative_to(path.parents[2])) for path in tapes_of_repository()]


def expected(printed: list[str], dtype: np.dtype[Any]) -> Any:
    if dtype.kind == "O":
        return np.array(printed, dtype=object)
    if dtype.kind == "b":
        return np.array([text == "true" for text in printed])
    # `cat` prints exact numbers: the shortest text that gives the same bits.
    return np.array([dtype.type(text) for text in printed], dtype=dtype)


def same(values: Any, other: Any) -> bool:
    if values.dtype.kind == "f":
        nan = np.isnan(values) & np.isnan(other)
        bits = f"u{values.dtype.itemsize}"
        return bool((nan | (np.ascontiguousarray(values).view(bits) == np.ascontiguousarray(other).view(bits))).all())
    return bool((values == other).all())


@pytest.mark.parametrize("path", tapes_of_repository(), ids=NAMES)
def test_all_channels_are_what_cat_prints(path: pathlib.Path, program: Program) -> None:
    tape = gt.open(path)
    assert tape.streams
    for stream in tape.streams:
        if not stream.channels or not stream.frames or len(stream.channels) > 600:
            continue
        printed = program.cat(path, "--stream", stream.name, "--format", "csv")
        names = [channel.name for channel in stream.channels]
        read = stream.read(names)
        rows = len(read["time_ns"])
        # Frames of another size than the layout have empty cells.
        whole = [row for row, text in enumerate(printed[names[0]] if names[0] in printed else printed[f"{names[0]}[0]"]) if text]
        if stream.channels[0].is_text:
            whole = list(range(rows))
        assert rows == len(whole)
        assert read["time_ns"].tolist() == [int(printed["time_ns"][row]) for row in whole]
        assert stream.time_ns.tolist() == read["time_ns"].tolist()
        for channel in stream.channels:
            values = read[channel.name]
            assert values.dtype == channel.dtype
            if channel.is_text or channel.count == 1:
                texts = [printed[channel.name][row] for row in whole]
                assert same(values, expected(texts, channel.dtype)), channel
                continue
            assert values.shape == (rows, channel.count)
            for element in range(channel.count):
                texts = [printed[f"{channel.name}[{element}]"][row] for row in whole]
                assert same(values[:, element], expected(texts, channel.dtype)), (channel, element)


def test_a_recording_is_what_cat_prints(race: pathlib.Path, program: Program) -> None:
    tape = gt.open(race)
    physics = tape.stream("physics")
    printed = program.cat(race, "--stream", "physics", "--channels", "speedKmh,wheelSlip,gear", "--format", "csv")
    assert physics.time_ns.tolist() == [int(text) for text in printed["time_ns"]]
    assert same(physics["speedKmh"], expected(printed["speedKmh"], np.dtype("f4")))
    assert same(physics["gear"], expected(printed["gear"], np.dtype("i4")))
    assert same(physics["wheelSlip[3]"], expected(printed["wheelSlip[3]"], np.dtype("f4")))
    assert same(physics["wheelSlip"][:, 1], expected(printed["wheelSlip[1]"], np.dtype("f4")))


def test_a_part_by_time_is_what_cat_prints(race: pathlib.Path, program: Program) -> None:
    physics = gt.open(race).stream("physics")
    for start, stop in [(0.0, 1.0), (12.345, 31.2), (60, 1000)]:
        arguments = ("--stream", "physics", "--channels", "gas", "--format", "csv", "--from", start, "--to", stop)
        printed = program.cat(race, *arguments)
        part = physics.read(["gas"], start=start, stop=stop)
        assert part["time_ns"].tolist() == [int(text) for text in printed["time_ns"]]
        assert same(part["gas"], expected(printed["gas"], np.dtype("f4")))
        assert same(physics.read("gas", start=start, stop=stop), part["gas"])
    assert len(physics.read("gas", start=5, stop=5)) == 0
    assert len(physics.read("gas", start=100_000)) == 0


def test_an_array_is_not_a_copy_of_what_was_decoded(race: pathlib.Path) -> None:
    speed = gt.open(race)["physics/speedKmh"]
    # numpy does not own the memory: the decoder's buffer belongs to the array's base.
    assert not speed.flags.owndata and speed.base is not None and speed.flags.writeable


def test_an_array_outlives_its_tape(race: pathlib.Path) -> None:
    with gt.open(race) as tape:
        speed = tape["physics/speedKmh"]
        copy = speed.copy()
    assert tape.closed and same(speed, copy)
    with pytest.raises(ValueError, match="is closed"):
        tape.stream("physics")["gas"]
    with pytest.raises(ValueError, match="is closed"):
        tape.laps


def test_overviews_hold_all_values(race: pathlib.Path) -> None:
    physics = gt.open(race).stream("physics")
    speed = physics["speedKmh"]
    low, high = physics.overview("speedKmh", points=200)
    assert len(low) == len(high) == 200
    assert low.min() == speed.min() and high.max() == speed.max()
    slip_low, _ = physics.overview("wheelSlip[2]", points=10)
    assert slip_low.min() == physics["wheelSlip[2]"].min()
    part, _ = physics.overview("speedKmh", points=5, start=20, stop=30)
    assert part.min() <= physics.read("speedKmh", start=20, stop=30).min()


def test_frames_are_the_bytes_that_the_game_gave(race: pathlib.Path) -> None:
    physics = gt.open(race).stream("physics")
    channel = physics.channel("speedKmh")
    frames = list(physics.iter_frames(start=10, stop=20))
    at = slice(channel.offset, channel.offset + 4)
    speeds = np.array([np.frombuffer(raw[at], "f4")[0] for _, raw in frames])
    assert same(speeds, physics.read("speedKmh", start=10, stop=20))
    assert sum(1 for _ in physics.iter_frames()) == physics.frames
    merged = list(gt.open(race).iter_frames())
    assert [time_ns for _, time_ns, _ in merged] == sorted(time_ns for _, time_ns, _ in merged)
    assert len(merged) == sum(stream.frames for stream in gt.open(race).streams)
    # An iterator that is given up ends its thread.
    next(physics.iter_frames())


def test_facts_are_those_of_info(race: pathlib.Path, program: Program) -> None:
    info = program.json("info", race, "--json")
    tape = gt.open(race)
    assert (tape.id, tape.game, tape.complete, tape.size) == (info["tape_id"], info["game"], True, info["bytes"])
    assert [stream.name for stream in tape.streams] == [stream["name"] for stream in info["streams"]]
    assert [stream.frames for stream in tape.streams] == [stream["frames"] for stream in info["streams"]]
    assert (tape.track, tape.car, tape.driver) == ("gametape ring", "gametape_gt", "Driver 1")
    assert tape.duration == pytest.approx(info["duration_ns"] / 1e9)
    assert not any(tape.loss.values()) and tape.problems == [] and tape.verify()


def test_names_that_do_not_exist_are_key_errors_that_help(race: pathlib.Path) -> None:
    tape = gt.open(race)
    with pytest.raises(gt.ChannelNotFoundError, match="did you mean speedKmh"):
        tape.stream("physics")["speedkmh"]
    with pytest.raises(KeyError, match="there are physics, graphics, static"):
        tape.stream("phys")
    with pytest.raises(KeyError, match="did you mean speedKmh"):
        tape["speedkmh"]
    with pytest.raises(KeyError, match=r"wheelSlip\[4\]"):
        tape.stream("physics")["wheelSlip[4]"]
    with pytest.raises(KeyError, match="physics/packetId, graphics/packetId"):
        tape["packetId"]
    with pytest.raises(ValueError, match=r"write wheelSlip\[0\] to wheelSlip\[3\]"):
        tape.stream("physics").overview("wheelSlip")
    for start, stop in [(-1, None), (float("nan"), None), (5, 4)]:
        with pytest.raises(ValueError):
            tape.stream("physics").read("gas", start=start, stop=stop)
