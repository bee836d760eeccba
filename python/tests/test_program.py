"""Threads, many opens, the server, imports, types: what a program does with the package."""

from __future__ import annotations

import gc
import os
import pathlib
import re
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Iterator

import numpy as np
import pytest

import gametape as gt
from conftest import LONG, PROGRAM, REPOSITORY, Program

PACKAGE = pathlib.Path(gt.__file__).parent
OPENS = 10_000 if LONG else 1_500


def test_threads_read_one_tape_at_once(race: pathlib.Path) -> None:
    tape = gt.open(race)
    physics = tape.stream("physics")
    names = [channel.name for channel in physics.channels if not channel.is_text][:24]
    alone = {name: physics[name] for name in names}
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            for name, values in zip(names, pool.map(physics.read, names)):
                np.testing.assert_array_equal(values, alone[name])
        laps = list(pool.map(lambda _: [lap.id for lap in tape.laps], range(8)))
    assert all(found == laps[0] for found in laps)


def test_other_threads_run_while_one_decodes(race: pathlib.Path) -> None:
    # With the lock held, this thread would rest for at least as long as the call computes. On a busy machine it may rest for other reasons.
    assert any(longest_rest(race) < 0.5 for _ in range(50))


def longest_rest(race: pathlib.Path) -> float:
    """Returns for how long this thread did not run during one call of another thread, as a part of the time that the call computed."""
    tape = gt.open(race)
    computed = []

    def read() -> None:
        start = time.thread_time()
        assert tape.verify()
        computed.append(time.thread_time() - start)

    thread = threading.Thread(target=read)
    ticks = [time.perf_counter()]
    thread.start()
    while thread.is_alive():
        time.sleep(0)
        ticks.append(time.perf_counter())
    thread.join()
    ticks.append(time.perf_counter())
    return max(after - before for before, after in zip(ticks, ticks[1:])) / computed[0]


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="counts through /proc")
def test_many_opens_leave_nothing_behind(race: pathlib.Path) -> None:
    data = race.read_bytes()[:200_000]

    def resident() -> int:
        return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def opens(count: int) -> None:
        for number in range(count):
            tape = gt.open(race)
            physics = tape.stream("physics")
            physics.read("gas", start=1, stop=1.2)
            if number % 10 == 0:
                next(iter(physics.iter_frames()))
                physics.select(["gas"], start=1, stop=2).to_polars()
                gt.open(data).problems
            if number % 2:
                tape.close()

    opens(200)
    gc.collect()
    files, before, threads = len(os.listdir("/proc/self/fd")), resident(), len(os.listdir("/proc/self/task"))
    opens(OPENS)
    gc.collect()
    for _ in range(50):
        if len(os.listdir("/proc/self/task")) <= threads:
            break
        time.sleep(0.1)
    assert len(os.listdir("/proc/self/fd")) <= files
    assert len(os.listdir("/proc/self/task")) <= threads + 1
    grown = resident() - before
    assert grown < 24 << 20, f"{grown / OPENS:.0f} bytes more for each open"


@pytest.fixture
def server(race: pathlib.Path, program: Program) -> Iterator[str]:
    command = [PROGRAM, "serve", "--store", "demo", "--names", f"py{os.getpid()}-", "--bind", "127.0.0.1:0"]
    with subprocess.Popen(
        command, env=program.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()


def test_a_server_gives_laps_and_tapes(server: str, race: pathlib.Path) -> None:
    local = gt.open(race)
    with gt.connect(server) as store:
        laps = list(store.laps(track="gametape ring", limit=2))
        assert {lap["id"]: lap["time_ms"] for lap in laps} == {lap.id: lap.time_ms for lap in local.laps}
        assert len(laps) > 2, "several pages"
        [found] = [one for one in store.tapes() if one["id"] == local.id]
        tape = store.open(found["id"])
        assert (tape["physics/speedKmh"] == local["physics/speedKmh"]).all()
        assert store.lap(laps[0]["id"])["id"] == laps[0]["id"]
        assert list(store.laps(track="nowhere")) == []
        with pytest.raises(gt.ServerError, match="unknown field") as refused:
            list(store.laps(nothing=1))
        assert refused.value.status == 400 and refused.value.code == "bad_request"
        with pytest.raises(OSError):
            store.open("0" * 32)
    with pytest.raises(OSError, match="is `gametape serve` running"):
        gt.connect("http://127.0.0.1:9")
    with pytest.raises(ValueError, match="write http://HOST:PORT"):
        gt.connect("localhost:7223")


def test_an_import_is_that_of_the_program(tmp_path: pathlib.Path, program: Program) -> None:
    points = "".join(
        f'<trkpt lat="{50 + n / 10000}" lon="{6 + n / 20000}"><time>2026-01-01T00:00:{n:02}Z</time></trkpt>' for n in range(60)
    )
    source = tmp_path / "drive.gpx"
    source.write_text(
        f'<?xml version="1.0"?><gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>{points}</trkseg></trk></gpx>'
    )
    imported = gt.import_file(source, tmp_path / "python.gtape")
    program.run("import", source, "--output", tmp_path / "program.gtape")
    assert (tmp_path / "python.gtape").read_bytes() == (tmp_path / "program.gtape").read_bytes()
    tape = gt.open(tmp_path / "python.gtape")
    assert imported.tape_id == tape.id and imported.frames == 60
    with pytest.raises(FileExistsError):
        gt.import_file(source, tmp_path / "python.gtape")
    with pytest.raises(FileNotFoundError):
        gt.import_file(tmp_path / "nothing.ibt", tmp_path / "other.gtape")
    (tmp_path / "noise").write_bytes(b"\x01\x02\x03" * 50)
    with pytest.raises(gt.GametapeError, match="unknown file format"):
        gt.import_file(tmp_path / "noise", tmp_path / "other.gtape")
    assert not (tmp_path / "other.gtape").exists()


def mypy(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", *map(str, arguments)]
    configuration = REPOSITORY / "python"
    return subprocess.run(command, cwd=configuration, capture_output=True, text=True, timeout=1200)


def test_types_are_strict_and_those_of_the_module(tmp_path: pathlib.Path) -> None:
    here = pathlib.Path(__file__).parent
    wrong = tmp_path / "wrong.py"
    wrong.write_text('import gametape as gt\nlap: int = gt.open("x").laps.pick_fastest()\ngt.open("x").stream(3)\n')
    checked = mypy("mypy", "--strict", "--cache-dir", tmp_path / "cache", here / "typed_use.py", "lib/gametape")
    assert checked.returncode == 0, checked.stdout
    # Of the installed package, and a wrong use is found: otherwise it would have no types at all.
    found = mypy("mypy", "--strict", "--cache-dir", tmp_path / "cache", wrong)
    assert found.returncode == 1 and "Found 2 errors" in found.stdout, found.stdout
    stubs = mypy("mypy.stubtest", "gametape._native")
    assert stubs.returncode == 0, stubs.stdout


def test_examples_in_docstrings_run(race: pathlib.Path, tmp_path: pathlib.Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--doctest-modules", "--confcutdir", PACKAGE]
    options = ["-o", "doctest_optionflags=ELLIPSIS IGNORE_EXCEPTION_DETAIL", "-c", os.devnull, "--rootdir", tmp_path, PACKAGE]
    (tmp_path / "race.gtape").write_bytes(race.read_bytes())
    done = subprocess.run([*command, *options], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout
    assert int(re.findall(r"(\d+) passed", done.stdout)[0]) >= 15
