"""Laps, telemetry and comparisons are those of the program."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

import gametape as gt
from conftest import Program, tapes_of_repository


def test_laps_are_those_that_the_program_prints(race: pathlib.Path, program: Program) -> None:
    printed = program.json("laps", race, "--json")
    sessions = gt.open(race).sessions
    assert [session.document for session in sessions] == printed["sessions"]
    laps = gt.open(race).laps
    assert len(laps) >= 3
    assert [lap.time_ms for lap in laps] == [lap["time_ms"] for session in printed["sessions"] for lap in session["laps"]]


@pytest.mark.parametrize("path", tapes_of_repository()[::5], ids=str)
def test_laps_of_other_games_are_those_that_the_program_prints(path: pathlib.Path, program: Program) -> None:
    tape = gt.open(path)
    if tape.game is None:
        with pytest.raises(gt.GametapeError, match="unknown game"):
            tape.laps
        return
    assert [session.document for session in tape.sessions] == program.sessions(path)


def test_laps_are_picked(race: pathlib.Path) -> None:
    laps = gt.open(race).laps
    fast = laps.pick_fastest()
    assert fast.time == min(lap.time for lap in laps if lap.eligible and lap.time is not None)
    assert all(lap.valid is not False and lap.complete for lap in laps.pick_valid())
    assert len(laps.pick_driver("driver 1")) == len(laps) and len(laps.pick_driver("Driver 2")) == 0
    assert laps.number(2).number == 2 and laps[0].number == 1 and laps[-1] == laps[len(laps) - 1]
    assert [lap.number for lap in laps[1:3]] == [2, 3]
    assert fast.time is not None and sum(one for one in fast.sectors if one is not None) == pytest.approx(fast.time, abs=0.002)
    with pytest.raises(gt.LapNotFoundError, match="there are 1, 2"):
        laps.number(99)
    with pytest.raises(gt.LapNotFoundError, match="only_eligible=False"):
        laps.pick(lambda lap: False).pick_fastest()


def test_a_channel_of_a_lap_is_that_of_its_time(race: pathlib.Path) -> None:
    tape = gt.open(race)
    lap = tape.lap(2)
    physics = tape.stream("physics")
    times, speed = physics.time_ns, physics["speedKmh"]
    assert lap.end_ns is not None
    inside = (times >= lap.start_ns) & (times < lap.end_ns)
    assert (physics.read("speedKmh", lap=2) == speed[inside]).all()
    assert (physics.read("speedKmh", lap=lap) == speed[inside]).all()
    with pytest.raises(ValueError, match="is of"):
        gt.open(race).stream("physics").read("gas", lap=lap)
    with pytest.raises(ValueError, match="exclude"):
        physics.read("gas", lap=2, start=1)


def test_telemetry_by_distance_by_time_and_as_recorded(race: pathlib.Path) -> None:
    lap = gt.open(race).laps.pick_fastest()
    length = lap.track_length_m
    assert length is not None and lap.time is not None
    placed = lap.telemetry(step_m=10)
    distance = placed["distance_m"]
    assert (np.diff(distance)[:-1] == 10).all() and distance[-1] == pytest.approx(length)
    assert placed["time_s"][0] == pytest.approx(0, abs=1e-6) and placed["time_s"][-1] == pytest.approx(lap.time)
    timed = lap.telemetry(["speed_kmh", "physics/wheelSlip.2"], hz=50)
    assert timed.columns == ["distance_m", "time_s", "share", "speed_kmh", "physics/wheelSlip.2"]
    assert np.diff(timed["time_s"]) == pytest.approx(0.02)
    recorded = lap.telemetry(["speed_kmh"])
    speed = gt.open(race).stream("physics").read("speedKmh", lap=2)
    # The neutral channel is the game's own value.
    assert set(recorded["speed_kmh"].astype("f4")) >= set(speed[1:-1]) if lap.number == 2 else True
    assert lap.channels["speed_kmh"] == "km/h" and "physics/wheelSlip.0" in lap.channels
    with pytest.raises(gt.ChannelNotFoundError, match="lap.channels"):
        lap.telemetry(["nothing"])
    with pytest.raises(ValueError, match="exclude"):
        lap.telemetry(step_m=5, hz=50)
    for wrong in (0, -1, float("nan"), float("inf")):
        with pytest.raises(ValueError):
            lap.telemetry(step_m=wrong)


def test_a_comparison_is_that_of_the_program(race: pathlib.Path, program: Program) -> None:
    laps = gt.open(race).laps
    printed = program.json("compare", f"{race}#1", f"{race}#2", "--json", "--step", 20)
    compared = gt.compare(laps[0], laps[1], step_m=20)
    table = compared.to_dict()
    rows = {row["distance_m"]: row for row in printed["grid"]}
    assert len(rows) > 50
    for distance, delta, speed in zip(table["distance_m"], table["delta_ms"], table["speed_kmh_lap"]):
        row = next((row for at, row in rows.items() if abs(at - distance) < 0.01), None)
        if row is not None:
            assert delta == pytest.approx(row["delta_ms"], abs=0.06)
    assert len(compared.corners) == len(printed["corners"])
    other = gt.open(race)
    assert gt.compare(laps[0], other.lap(2), step_m=20)["delta_ms"][-1] == compared["delta_ms"][-1]


def test_a_table_of_laps_has_unknown_values(race: pathlib.Path) -> None:
    laps = gt.open(race).laps
    table = laps.to_pandas()
    assert table["lap"].tolist() == [lap.number for lap in laps]
    arrow = laps.to_arrow()
    assert arrow.column("time_s").null_count == sum(lap.time is None for lap in laps)
    assert laps.to_polars()["time_s"].to_list() == [lap.time for lap in laps]
    assert arrow.schema.field("time_s").metadata == {b"unit": b"s"}
