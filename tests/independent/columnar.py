"""Reads tables that gametape exported with pyarrow, DuckDB, Polars and DataFusion, and compares them with the frames they were made from.

Usage: columnar.py SPEC.json. The specification is an object:
  parquet   {stream: file}: tables of streams
  arrow     {stream: file}: the same tables as Arrow streams
  streams   {stream: {frames, frame_bytes, times, channels: [{name, kind, offset, count}]}}: the raw bytes of its frames in a file, their
            times as 64-bit integers in a file, and where the channels are in a frame
  cat       {stream, channel, file, laps: [{lap, start_ns, end_ns}]}: what `gametape cat` prints for one channel, and the laps
  lake      a folder of neutral tables, with `sessions` [{game, track, car, rows}]
Each part is optional. It ends with exit code 1 and says what differs, or prints the number of values that it compared.
"""
import csv
import json
import sys
from pathlib import Path

import datafusion
import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

WIDTHS = {"U8": 1, "I8": 1, "Bits8": 1, "Bool": 1, "Char": 1, "U16": 2, "I16": 2, "Bits16": 2, "Char16": 2,
          "U32": 4, "I32": 4, "Bits32": 4, "F32": 4, "U64": 8, "I64": 8, "Bits64": 8, "F64": 8}
compared = 0


def need(condition, text):
    if not condition:
        sys.exit(f"columnar.py: {text}")


def bits(column):
    """The values of a column as unsigned integers of their width, and which are null."""
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    nulls = np.asarray(column.is_null())
    if pa.types.is_boolean(column.type):
        return np.asarray(column.fill_null(False)).astype(np.uint8), nulls
    width = column.type.bit_width // 8
    data = np.frombuffer(column.buffers()[1], dtype=f"<u{width}")
    return data[column.offset:column.offset + len(column)], nulls


def text(kind, raw):
    if kind == "Char16":
        units = np.frombuffer(raw, "<u2")
        end = np.flatnonzero(units == 0)
        return units[:end[0] if len(end) else None].tobytes().decode("utf-16-le", "replace")
    raw = raw.split(b"\0")[0]
    one = lambda byte: bytes([byte]).decode("cp1252") if byte not in (0x81, 0x8D, 0x8F, 0x90, 0x9D) else chr(byte)
    return "".join(map(one, raw))


def check_values(table, stream, who):
    """Every value of a table against the bytes of the frames."""
    global compared
    times = np.fromfile(stream["times"], "<i8")
    frames = np.fromfile(stream["frames"], np.uint8).reshape(len(times), stream["frame_bytes"])
    need(table.num_rows == len(times), f"{who}: {table.num_rows} rows for {len(times)} frames")
    found, nulls = bits(table["t_ns"])
    need((found.view("<i8") == times).all() and not nulls.any(), f"{who}: times differ")
    names = {name.lower(): name for name in table.column_names}
    for channel in stream["channels"]:
        kind, offset, count = channel["kind"], channel["offset"], channel["count"]
        width = WIDTHS[kind]
        if kind in ("Char", "Char16"):
            name = names[channel["name"].lower()]
            expected = [text(kind, row.tobytes()) for row in frames[:, offset:offset + width * count]]
            need(table[name].to_pylist() == expected, f"{who}: {name} differs")
            compared += len(expected)
            continue
        spread = 1 < count <= 8
        for element in range(count if spread else 1):
            name = names[(f"{channel['name']}_{element}" if spread else channel["name"]).lower()]
            at, many = offset + element * width, 1 if spread else count
            expected = np.ascontiguousarray(frames[:, at:at + width * many]).view(f"<u{width}").ravel()
            if kind == "Bool":
                expected = (expected != 0).astype(np.uint8)
            column = table[name].combine_chunks()
            column = column.flatten() if many > 1 else column
            found, nulls = bits(column)
            need(not nulls.any(), f"{who}: {name} has nulls")
            need(len(found) == len(expected) and (found == expected).all(),
                 f"{who}: {name} differs, first in row {np.flatnonzero(found != expected)[:1]}")
            compared += len(expected)


def tables_of(path):
    """A Parquet file as each engine reads it."""
    yield "pyarrow", pq.read_table(path)
    yield "polars", pl.read_parquet(path).to_arrow()
    yield "duckdb", duckdb.sql(f"select * from read_parquet('{path}')").to_arrow_table()
    context = datafusion.SessionContext(datafusion.SessionConfig().with_target_partitions(1))
    yield "datafusion", pa.table(context.read_parquet(str(path)).sort(datafusion.col("t_ns")).to_arrow_table())


def streams_of(path):
    """An Arrow stream as each engine reads it."""
    with pa.ipc.open_stream(path) as reader:
        batches = list(reader)
        need(all(batch.num_rows <= 1024 for batch in batches), "a batch has more rows than a block")
        whole = pa.Table.from_batches(batches, reader.schema)
    yield "pyarrow stream", whole
    yield "polars stream", pl.read_ipc_stream(path).to_arrow()
    yield "duckdb stream", duckdb.sql("select * from whole").to_arrow_table()
    yield "datafusion stream", datafusion.SessionContext().from_arrow(whole).to_arrow_table()


def check_layout(path):
    """The parts of a file are as docs/export.md says."""
    file = pq.ParquetFile(path)
    for number in range(file.metadata.num_row_groups):
        group = file.metadata.row_group(number)
        need(group.num_rows <= 131_072, f"{path}: a row group of {group.num_rows} rows")
        need([sorting.column_index for sorting in group.sorting_columns] == [file.schema_arrow.names.index("t_ns")], f"{path}: sorting columns")
        for place in range(group.num_columns):
            column = group.column(place)
            need(column.has_column_index and column.has_offset_index, f"{path}: {column.path_in_schema} has no page index")
            need(column.compression == "ZSTD", f"{path}: {column.compression}")
    metadata = file.schema_arrow.metadata
    units = json.loads(metadata[b"gametape.units"])
    for field in file.schema_arrow:
        unit = (field.metadata or {}).get(b"unit", b"").decode()
        need(units.get(field.name, "") == unit, f"{path}: unit of {field.name}")
    need(file.schema_arrow.field("t_ns").type == pa.int64() and not file.schema_arrow.field("t_ns").nullable, "t_ns")
    need(file.schema_arrow.field("utc").type == pa.timestamp("us", tz="UTC"), "utc")


def check_query(path, cat):
    """One statement in four engines, and what `gametape cat` printed."""
    with open(cat["file"], newline="") as file:
        rows = [(int(row["time_ns"]), float(row[cat["channel"]])) for row in csv.DictReader(file)]
    expected = []
    for lap in cat["laps"]:
        values = [value for time, value in rows if lap["start_ns"] <= time < lap["end_ns"]]
        expected.append((lap["lap"], len(values), min(values), max(values)))
    need(len(expected) > 1, "several laps are needed")
    name = cat["channel"]
    query = f'select lap, count(*) as n, min("{name}") as low, max("{name}") as high from {{}} where lap is not null group by lap order by lap'
    context = datafusion.SessionContext()
    context.register_parquet("tape", path)
    frame = pl.scan_parquet(path).filter(pl.col("lap").is_not_null()).group_by("lap").agg(
        pl.len().alias("n"), pl.col(name).min().alias("low"), pl.col(name).max().alias("high")).sort("lap").collect()
    table = pq.read_table(path, columns=["lap", name], filters=[("lap", ">", 0)])
    grouped = table.group_by("lap").aggregate([(name, "count"), (name, "min"), (name, "max")]).sort_by("lap")
    answers = {
        "duckdb": duckdb.sql(query.format(f"read_parquet('{path}')")).fetchall(),
        "datafusion": [tuple(row.values()) for row in context.sql(query.format("tape")).to_pylist()],
        "polars": frame.rows(),
        "pyarrow": list(zip(*(grouped[column].to_pylist() for column in ("lap", f"{name}_count", f"{name}_min", f"{name}_max")))),
    }
    exact = lambda rows: [(lap, n, np.float32(low), np.float32(high)) for lap, n, low, high in rows]
    for who, answer in answers.items():
        need(exact(answer) == exact(expected), f"{who} finds {answer}, cat says {expected}")


def check_lake(lake, sessions):
    """Partition folders are columns with the names that the game gave, and all tables have one schema."""
    expected = sorted((s["game"], s["track"], s["car"], s["rows"]) for s in sessions)
    files = sorted(Path(lake).rglob("*.parquet"))
    need(len(files) == len(expected), f"{files}")
    schemas = {pq.read_schema(file).remove_metadata() for file in files}
    need(len(schemas) == 1, f"{len(schemas)} schemas")
    query = "select game, track, car, count(*) from {} group by all order by all"
    found = duckdb.sql(query.format(f"read_parquet('{lake}/**/*.parquet', hive_partitioning = true)")).fetchall()
    need(sorted(found) == expected, f"duckdb finds {found}, not {expected}")
    found = pl.scan_parquet(f"{lake}/**/*.parquet").group_by("game", "track", "car").len().collect().rows()
    need(sorted(found) == expected, f"polars finds {found}, not {expected}")
    found = pl.scan_parquet(lake, hive_partitioning=True).group_by("game", "track", "car").len().collect().rows()
    need(sorted(found) == expected, f"polars with partitions finds {found}, not {expected}")
    import pyarrow.dataset as ds
    found = ds.dataset(lake, format="parquet", partitioning="hive").to_table(columns=["game", "track", "car"])
    found = found.group_by(["game", "track", "car"]).aggregate([([], "count_all")]).to_pylist()
    need(sorted(tuple(row.values()) for row in found) == expected, f"pyarrow finds {found}, not {expected}")
    context = datafusion.SessionContext()
    context.register_parquet("lake", lake)
    found = context.sql("select game, track, car, count(*) as n from lake group by game, track, car").to_pylist()
    need(sorted(tuple(row.values()) for row in found) == expected, f"datafusion finds {found}, not {expected}")


def main():
    spec = json.loads(Path(sys.argv[1]).read_text())
    for stream, path in spec.get("parquet", {}).items():
        check_layout(path)
        for who, table in tables_of(path):
            check_values(table, spec["streams"][stream], f"{who}, {stream}")
    for stream, path in spec.get("arrow", {}).items():
        for who, table in streams_of(path):
            check_values(table, spec["streams"][stream], f"{who}, {stream}")
    if cat := spec.get("cat"):
        check_query(spec["parquet"][cat["stream"]], cat)
    if lake := spec.get("lake"):
        check_lake(lake, spec["sessions"])
    print(compared)


main()
