"""Damaged and hostile tapes: exceptions and warnings, never a crash, and nothing invented."""

from __future__ import annotations

import pathlib
import random
import warnings

import numpy as np
import pytest

import gametape as gt
from conftest import LONG, tapes_of_repository

ROUNDS = 3000 if LONG else 250


def use(data: bytes, strict: bool) -> None:
    """Everything that reads. Only exceptions of the package, of Python's I/O and of wrong arguments may come out."""
    try:
        with gt.open(data, strict=strict) as tape:
            tape.metadata, tape.events, tape.problems, tape.loss, repr(tape), tape.duration
            for stream in tape.streams:
                names = [channel.name for channel in stream.channels][:8]
                stream.time_ns
                if names:
                    stream.read(names)
                    stream.read(names, start=0.5, stop=2)
                    stream.to_polars(names)
                    if not stream.channels[0].is_text and stream.channels[0].count == 1:
                        stream.overview(names[0], points=50)
                for _, frame in zip(range(200), stream.iter_frames()):
                    assert isinstance(frame, tuple)
            for lap in tape.laps[:2]:
                lap.telemetry(hz=10)
            tape.verify()
    except (gt.GametapeError, OSError, ValueError, MemoryError):
        pass
    except Exception as error:
        # Polars wraps errors of the stream.
        if type(error).__module__.split(".")[0] not in ("polars", "builtins") or isinstance(error, (TypeError, AttributeError)):
            raise


@pytest.mark.parametrize("strict", [False, True])
def test_no_change_of_a_tape_crashes_python(strict: bool) -> None:
    source = random.Random(11)
    tapes = [path.read_bytes() for path in tapes_of_repository() if path.stat().st_size < 60_000]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gt.DamagedTapeWarning)
        for _ in range(ROUNDS):
            data = bytearray(source.choice(tapes))
            for _ in range(source.choice((1, 1, 2, 8, 64))):
                at = source.randrange(len(data))
                kind = source.randrange(4)
                if kind == 0:
                    data[at] ^= 1 << source.randrange(8)
                elif kind == 1:
                    data[at : at + 8] = source.choice((b"\xff" * 8, b"\0" * 8, source.randbytes(8)))[: len(data) - at]
                elif kind == 2:
                    del data[at:]
                else:
                    data[at:at] = data[: source.randrange(200)]
                if not data:
                    data = bytearray(b"\x89GTAPE\r\n")
            use(bytes(data), strict)


def damaged(race: pathlib.Path, tmp_path: pathlib.Path) -> pathlib.Path:
    """A copy with one changed byte in the middle: inside a block of frames."""
    data = bytearray(race.read_bytes())
    data[len(data) // 2] ^= 0x40
    path = tmp_path / "damaged.gtape"
    path.write_bytes(data)
    return path


def test_a_damaged_block_is_left_out_with_a_warning(race: pathlib.Path, tmp_path: pathlib.Path) -> None:
    path = damaged(race, tmp_path)
    whole = gt.open(race).stream("physics")
    tape = gt.open(path)
    physics = tape.stream("physics")
    names = [channel.name for channel in physics.channels]
    with pytest.warns(gt.DamagedTapeWarning, match="damaged.gtape: 1 damaged parts of stream 'physics'"):
        read = physics.read(names)
    # One block of frames, and all columns have the same rows.
    lost = set(whole.time_ns.tolist()) - set(read["time_ns"].tolist())
    assert 0 < len(lost) <= 1024
    assert {len(column) for column in read.values()} == {len(read["time_ns"])}
    kept = np.isin(whole.time_ns, read["time_ns"])
    for name in names[:20]:
        np.testing.assert_array_equal(read[name], whole[name][kept])
    [problem] = [one for one in tape.problems if one.kind == "block"]
    assert problem.stream == "physics" and problem.frames_lost == len(lost) and str(problem.offset) in problem.text
    assert not gt.open(path).verify()


def test_every_reader_of_a_damaged_stream_warns(race: pathlib.Path, tmp_path: pathlib.Path) -> None:
    path = damaged(race, tmp_path)
    whole = gt.open(race).stream("physics").frames
    with pytest.warns(gt.DamagedTapeWarning, match="rows may be missing"):
        assert gt.open(path).stream("physics").to_polars().height < whole
    with pytest.warns(gt.DamagedTapeWarning, match="rows may be missing"):
        assert gt.open(path).stream("physics").to_arrow().num_rows < whole
    with pytest.warns(gt.DamagedTapeWarning, match="rows may be missing"):
        assert sum(1 for _ in gt.open(path).stream("physics").iter_frames()) < whole
    with pytest.warns(gt.DamagedTapeWarning, match="rows may be missing"):
        assert sum(1 for _ in gt.open(path).iter_frames(["physics"])) < whole
    with pytest.warns(gt.DamagedTapeWarning, match="in search of laps"):
        assert gt.open(path).laps
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gt.open(path).stream("graphics").to_polars(["completedLaps"])
        gt.open(race).stream("physics").to_polars(["gas"])


def test_strict_raises_and_says_where(race: pathlib.Path, tmp_path: pathlib.Path) -> None:
    path = damaged(race, tmp_path)
    tape = gt.open(path, strict=True)
    physics = tape.stream("physics")
    names = [channel.name for channel in physics.channels]
    with pytest.raises(gt.DamagedTapeError, match=r"damaged.gtape is damaged: .* at byte \d+"):
        physics.read(names)
    with pytest.raises(gt.DamagedTapeError, match=r"at byte \d+"):
        list(physics.iter_frames())
    with pytest.raises(Exception, match=r"at byte \d+"):
        physics.to_arrow()
    cut = race.read_bytes()[:-100]
    with pytest.raises(gt.DamagedTapeError):
        gt.open(cut, strict=True)
    assert gt.open(cut).problems and gt.open(cut).stream("physics").frames > 0


def test_a_tape_that_claims_endless_frames_takes_no_memory() -> None:
    # The footer is the only place that could claim them; a changed one is found by its checksum.
    golden = next(path for path in tapes_of_repository() if path.name == "crashed-1.gtape")
    tape = gt.open(golden)
    assert not tape.complete
    for stream in tape.streams:
        stream.time_ns
