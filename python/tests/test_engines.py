"""Programs that nobody here wrote read the tables: DuckDB, Polars, pyarrow, pandas. None of them is needed to open a tape."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import duckdb
import numpy as np
import polars as pl
import pytest

import gametape as gt
from gametape import _polars
from conftest import tapes_of_repository


def test_duckdb_and_polars_query_a_stream_by_name(race: pathlib.Path) -> None:
    physics = gt.open(race).stream("physics")
    speed = physics["speedKmh"]
    query = "select max(speedKmh), count(*), min(t_ns), sum(wheelSlip_2::double) from physics"
    [(top, rows, first, slip)] = duckdb.sql(query).fetchall()
    assert (np.float32(top), rows, first) == (speed.max(), len(speed), int(physics.time_ns[0]))
    assert slip == pytest.approx(physics["wheelSlip"][:, 2].astype("f8").sum())
    chosen = physics.select(["speedKmh", "gear"], lap=2)
    [(rows,)] = duckdb.sql("select count(*) from chosen where gear > 3").fetchall()
    assert rows == (physics.read("gear", lap=2) > 3).sum()
    found = pl.SQLContext(physics=physics.to_polars(["speedKmh"])).execute("select max(speedKmh) from physics").collect()
    assert found.item() == speed.max()
    laps = gt.open(race).laps
    [(best,)] = duckdb.sql("select min(time_s) from laps where eligible").fetchall()
    assert best == laps.pick_fastest().time


def test_one_statement_over_many_tapes(race: pathlib.Path) -> None:
    tapes = [gt.open(race).stream("physics").select(["speedKmh"]) for _ in range(5)]
    a, b, c, d, e = tapes
    union = " union all ".join(f"select * from {name}" for name in "abcde")
    [(rows,)] = duckdb.sql(f"select count(*) from ({union})").fetchall()
    assert rows == 5 * gt.open(race).stream("physics").frames


@pytest.mark.parametrize("path", tapes_of_repository()[::4], ids=str)
def test_all_three_tables_of_a_stream_are_its_arrays(path: pathlib.Path) -> None:
    for stream in gt.open(path).streams:
        names = [channel.name for channel in stream.channels][:60]
        if not names:
            continue
        read = stream.read(names)
        arrow, polars, pandas = stream.to_arrow(names), stream.to_polars(names), stream.to_pandas(names)
        assert arrow.column_names == polars.columns == list(pandas.columns)
        assert arrow.num_rows == polars.height == len(pandas) == len(read["time_ns"])
        assert arrow.column("t_ns").to_pylist() == read["time_ns"].tolist()
        for channel in stream.channels[:60]:
            values = read[channel.name]
            if channel.count == 1 or channel.is_text:
                for column in (arrow.column(channel.name).to_numpy(), polars[channel.name].to_numpy(), pandas[channel.name]):
                    np.testing.assert_array_equal(np.asarray(column), values)
            elif channel.count <= 8:
                for element in range(channel.count):
                    name = f"{channel.name}_{element}"
                    np.testing.assert_array_equal(arrow.column(name).to_numpy(), values[:, element])
                    np.testing.assert_array_equal(pandas[name], values[:, element])
            else:
                assert arrow.column(channel.name).to_pylist()[:50] == values[:50].tolist() or values.dtype.kind == "f"
            if channel.unit and channel.count == 1:
                assert arrow.schema.field(channel.name).metadata == {b"unit": channel.unit.encode()}


def test_utc_is_the_start_and_the_time(race: pathlib.Path) -> None:
    tape = gt.open(race)
    physics = tape.stream("physics")
    utc = physics.utc
    assert utc[0] == tape.start_utc + np.timedelta64(int(physics.time_ns[0]), "ns")
    micros = physics.to_polars(["gas"])["utc"].to_numpy()
    assert (micros.astype("datetime64[us]") == utc.astype("datetime64[us]")).all()


def test_streams_of_two_rates_in_one_table(race: pathlib.Path) -> None:
    tape = gt.open(race)
    names = ["physics/speedKmh", "graphics/completedLaps"]
    table = tape.select(names, hz=20, start=5, stop=50)
    times = table["t_ns"]
    assert times[0] == 5_000_000_000 and (np.diff(times) == 50_000_000).all()
    for name in names:
        stream, channel = name.split("/")
        source = tape.stream(stream)
        rows = np.searchsorted(source.time_ns, times, side="right") - 1
        assert (table[name] == source[channel][rows]).all()
    # Unknown until the first frame of each stream, never 0.
    everything = tape.to_polars(["physics/gear", "graphics/completedLaps"])
    assert everything["t_ns"].is_sorted() and everything.height >= tape.stream("physics").frames


def test_a_lazy_table_reads_the_columns_and_times_of_the_query(
    race: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        (tmp_path / f"{number}.gtape").write_bytes(race.read_bytes())
    table = gt.scan_polars(tmp_path / "*.gtape", stream="physics")
    asked = []
    read = _polars._read

    def recorded(tape: gt.Tape, stream: str, channels: list[str], start: int | None, stop: int | None) -> pl.DataFrame:
        asked.append((sorted(channels), start, stop))
        return read(tape, stream, channels, start, stop)

    monkeypatch.setattr(_polars, "_read", recorded)
    query = table.filter(pl.col("t_ns") >= 10_000_000_000, pl.col("t_ns") < 20_000_000_000, pl.col("gear") > 2)
    found = query.select("tape", "speedKmh", "wheelSlip_1").collect()
    assert asked == [(["gear", "speedKmh", "wheelSlip[1]"], 10_000_000_000, 20_000_000_000)] * 3
    part = gt.open(race).stream("physics").read(["gear", "speedKmh", "wheelSlip[1]"], start=10, stop=20)
    wanted = part["gear"] > 2
    assert found.height == 3 * wanted.sum() and found["tape"].n_unique() == 3
    assert (found.filter(pl.col("tape").str.ends_with("1.gtape"))["wheelSlip_1"].to_numpy() == part["wheelSlip[1]"][wanted]).all()
    # What is not understood is filtered by Polars.
    odd = table.filter((pl.col("t_ns") % 2 == 0) | (pl.col("t_ns") < 5)).select(pl.len()).collect().item()
    times = gt.open(race).stream("physics").time_ns
    assert odd == 3 * ((times % 2 == 0) | (times < 5)).sum()
    assert table.head(7).collect().height == 7
    assert table.select(pl.len()).collect().item() == 3 * len(times)
    with pytest.raises(gt.GametapeError, match="none of the 3 tapes has a stream 'nothing'"):
        gt.scan_polars(tmp_path / "*.gtape", stream="nothing")
    with pytest.raises(gt.GametapeError, match="no tape matches"):
        gt.scan_polars(tmp_path / "*.none", stream="physics")


def test_nothing_but_numpy_is_needed(race: pathlib.Path) -> None:
    code = f"""
import sys
for name in ("pandas", "polars", "pyarrow", "duckdb"):
    sys.modules[name] = None
import gametape as gt
tape = gt.open({str(race)!r})
tape["physics/speedKmh"], tape.laps.pick_fastest().telemetry(step_m=5)
for method in (tape.laps.to_pandas, tape.laps.to_arrow, tape.stream("physics").to_polars):
    try:
        method()
    except ImportError as error:
        assert "pip install" in str(error), error
    else:
        raise AssertionError(method)
print(sorted(name for name in sys.modules if name.split(".")[0] in ("pandas", "polars", "pyarrow") and sys.modules[name]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr
