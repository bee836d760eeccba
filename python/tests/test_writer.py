"""Writing: what is appended is read back, and survives the end of the process."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import gametape as gt
from conftest import Program

CAR = np.dtype([("speed", "<f4"), ("gear", "i1"), ("wheel", "<f4", 4), ("driver", "S12"), ("on", "?"), ("big", "<u8")])


def cars(count: int, seed: int = 1) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    random = np.random.default_rng(seed)
    made = np.zeros(count, dtype=CAR)
    made["speed"] = random.normal(100, 30, count)
    made["gear"] = random.integers(-1, 8, count)
    made["wheel"] = random.normal(0, 1, (count, 4))
    made["driver"] = b"Driver 1"
    made["on"] = random.integers(0, 2, count)
    made["big"] = random.integers(0, 2**64, count, dtype=np.uint64)
    return made


def test_what_is_written_is_read_by_both(tmp_path: pathlib.Path, program: Program) -> None:
    path = tmp_path / "own.gtape"
    made, times = cars(5000), np.arange(5000) / 100
    with gt.create(path, start_utc=np.datetime64("2026-01-02T03:04:05")) as writer:
        stream = writer.stream("car", CAR, units={"speed": "km/h"})
        stream.append_array(times[:4000], made[:4000])
        for time, record in zip(times[4000:], made[4000:]):
            stream.append(time, record)
        notes = writer.bytes_stream("notes", json=True)
        notes.append(1.5, b'{"a": 1}')
        writer.mark(2.5, "here")
        writer.event(3.5, "pause", "away", length_s=0.5)
        writer.metadata(track="Test Track", driver="Driver 1")
    tape = gt.open(path)
    car = tape.stream("car")
    assert tape.complete and tape.problems == [] and tape.verify()
    assert car.time_ns.tolist() == np.round(times * 1e9).astype(int).tolist()
    for name in ("speed", "gear", "wheel", "on", "big"):
        assert (car[name] == made[name]).all(), name
    assert set(car["driver"]) == {"Driver 1"}
    assert car.channel("speed").unit == "km/h" and car.frame_bytes == CAR.itemsize
    assert [raw for _, raw in tape.stream("notes").iter_frames()] == [b'{"a": 1}']
    assert [(event.time_ns, event.text) for event in tape.marks] == [(2_500_000_000, "here")]
    assert tape.events[-1].length_ns == 500_000_000
    assert (tape.track, tape.driver, str(tape.start_utc)[:19]) == ("Test Track", "Driver 1", "2026-01-02T03:04:05")
    printed = program.cat(path, "--stream", "car", "--channels", "speed,big", "--format", "csv")
    assert [np.float32(text) for text in printed["speed"]] == made["speed"].tolist()
    assert [int(text) for text in printed["big"]] == made["big"].tolist()


KILLED = """
import sys, itertools, numpy as np, gametape as gt
sys.path.insert(0, sys.argv[2])
from test_writer import cars
writer = gt.create(sys.argv[1])
stream = writer.stream("car", cars(1).dtype)
made = cars(50_000)
for n in itertools.count():
    stream.append(n / 1000, made[n % len(made)])
    if n % 500 == 0:
        print(n + 1, flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
@pytest.mark.parametrize("after", [500, 7_000, 30_000])
def test_a_killed_writer_loses_nothing_that_was_accepted(tmp_path: pathlib.Path, after: int, program: Program) -> None:
    path = tmp_path / "killed.gtape"
    here = pathlib.Path(__file__).parent
    with subprocess.Popen([sys.executable, "-c", KILLED, path, here], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        accepted = 0
        for line in process.stdout:
            accepted = int(line)
            if accepted >= after:
                break
        process.send_signal(signal.SIGKILL)
        rest = process.stdout.read().split()
        accepted = int(rest[-1]) if rest else accepted
    made = cars(50_000)
    tape = gt.open(path)
    assert not tape.complete and not tape.is_being_written
    read = tape.stream("car").read(["speed", "big"])
    count = len(read["speed"])
    assert count >= accepted
    rows = np.arange(count) % len(made)
    assert (read["speed"] == made["speed"][rows]).all() and (read["big"] == made["big"][rows]).all()
    recovered = gt.recover(path)
    assert recovered.frames >= count
    closed = gt.open(path, strict=True)
    assert closed.complete and closed.verify() and len(closed["car/speed"]) == count
    assert int(program.json("info", path, "--json")["streams"][0]["frames"]) == count


def test_a_tape_is_read_while_it_is_written(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "live.gtape"
    writer = gt.create(path)
    stream = writer.stream("car", CAR)
    stream.append_array(np.arange(3000) / 100, cars(3000))
    tape = gt.open(path)
    assert tape.is_being_written and len(tape["car/speed"]) == 3000
    with pytest.raises(gt.GametapeError, match="still being recorded"):
        gt.recover(path)
    written = writer.close()
    assert written.frames == 3000 and written.dropped == 0 and written.bytes == path.stat().st_size


def test_nothing_is_overwritten_and_wrong_frames_are_refused(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "own.gtape"
    with gt.create(path) as writer:
        stream = writer.stream("car", CAR)
        stream.append(1, cars(1)[0])
        with pytest.raises(ValueError, match="earlier"):
            stream.append(0.5, cars(1)[0])
        with pytest.raises(ValueError, match="bytes"):
            stream.append(2, b"short")
        with pytest.raises(ValueError, match="not a time"):
            stream.append(-1, cars(1)[0])
        with pytest.raises(ValueError, match="do not fit"):
            stream.append_array([1, 2], cars(3))
        with pytest.raises(TypeError, match="with fields"):
            writer.stream("plain", "f4")
        with pytest.raises(TypeError, match="field 'a'"):
            writer.stream("odd", np.dtype([("a", "c16")]))
        with pytest.raises(TypeError, match="field 'a'"):
            writer.stream("big-endian", np.dtype([("a", ">f4")]))
        with pytest.raises(ValueError, match="speeed"):
            writer.stream("other", CAR, units={"speeed": "km/h"})
        with pytest.raises(ValueError, match="already has a stream"):
            writer.stream("car", CAR)
    with pytest.raises(FileExistsError, match="nothing was overwritten"):
        gt.create(path)
    with pytest.raises(ValueError, match="is closed"):
        stream.append(3, cars(1)[0])
    with pytest.raises(ValueError, match="is closed"):
        writer.close()
    with pytest.raises(OSError, match="no/such"):
        gt.create(tmp_path / "no/such/folder.gtape")
    assert gt.open(path).stream("car").frames == 1


def test_nested_records_have_names_with_dots(tmp_path: pathlib.Path) -> None:
    inner = np.dtype([("x", "<f8"), ("y", "<f8")])
    with gt.create(tmp_path / "nested.gtape") as writer:
        stream = writer.stream(
            "p", np.dtype({"names": ["at", "n"], "formats": [inner, "<i2"], "offsets": [8, 0], "itemsize": 24})
        )
        stream.append(0, ((1.5, 2.5), 7))
    tape = gt.open(tmp_path / "nested.gtape")
    assert (tape["p/at.x"].tolist(), tape["p/at.y"].tolist(), tape["p/n"].tolist()) == ([1.5], [2.5], [7])


def test_threads_write_their_streams(tmp_path: pathlib.Path) -> None:
    made = cars(4000)
    with gt.create(tmp_path / "threads.gtape") as writer:
        streams = [writer.stream(f"car{number}", CAR) for number in range(4)]

        def write(stream: gt.StreamWriter) -> None:
            for start in range(0, 4000, 100):
                stream.append_array(np.arange(start, start + 100) / 100, made[start : start + 100])

        threads = [threading.Thread(target=write, args=(stream,)) for stream in streams]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    tape = gt.open(tmp_path / "threads.gtape")
    for number in range(4):
        assert (tape.stream(f"car{number}")["big"] == made["big"]).all()
