"""A lazy Polars table over many tapes. Polars calls its interface for such sources unstable: nothing else here depends on it."""

from __future__ import annotations

import glob
import json
import os
from typing import TYPE_CHECKING, Any, Iterator, Sequence

from ._errors import GametapeError
from ._stream import Selection, Stream, column_name
from ._table import need
from ._tape import Tape, open as open_tape

if TYPE_CHECKING:
    import polars

TAPE = "tape"
TIME = "t_ns"


def scan_polars(tapes: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], *, stream: str) -> polars.LazyFrame:
    """Scans a stream of many tapes as one lazy Polars table: `tape` (the path), `t_ns`, `utc`, then the channels.

    `tapes` is a path, a pattern (`tapes/**/*.gtape`) or a list of them. Only the channels that a query uses are decoded, and only the blocks of
    the times that it filters by `t_ns`. The columns are those of the first tape: a tape with another layout is an error that names it.

    >>> import gametape as gt, polars as pl
    >>> table = gt.scan_polars("*.gtape", stream="physics")
    >>> first_minute = table.filter(pl.col("t_ns") < 60_000_000_000)
    >>> first_minute.select(pl.col("speedKmh").max()).collect().item() > 200
    True
    """
    pl = need("polars", "scan_polars")
    plugins = need("polars.io.plugins", "scan_polars")
    paths = list(_paths(tapes))
    having = [path for path in paths if _has(path, stream)]
    if not having:
        where = f"none of the {len(paths)} tapes has a stream {stream!r}" if paths else f"no tape matches {tapes!r}"
        raise GametapeError(f"scan_polars: {where}")
    with open_tape(having[0]) as first:
        schema = _schema(pl, first.stream(stream))
        channels = _channels(first.stream(stream))

    def source(
        with_columns: list[str] | None,
        predicate: polars.Expr | None,
        n_rows: int | None,
        batch_size: int | None,
    ) -> Iterator[polars.DataFrame]:
        columns = list(schema) if with_columns is None else with_columns
        wanted = [channels[column] for column in columns if column in channels]
        # A row limit counts rows before they are filtered.
        start_ns, stop_ns = (None, None) if n_rows is not None else _time_range(predicate)
        left = n_rows
        for path in having:
            if left is not None and left <= 0:
                return
            with open_tape(path) as tape:
                frame = _read(tape, stream, wanted, start_ns, stop_ns)
            frame = frame.with_columns(pl.lit(path).alias(TAPE))
            missing = [column for column in columns if column not in frame.columns]
            if missing:
                raise GametapeError(f"{path}: stream {stream!r} has no {', '.join(missing)}, as the first tape has")
            if left is not None:
                frame = frame.head(left)
                left -= frame.height
            frame = frame.select([pl.col(column).cast(schema[column]) for column in columns])
            yield frame if predicate is None else frame.filter(predicate)

    lazy: polars.LazyFrame = plugins.register_io_source(source, schema=schema)
    return lazy


def _paths(tapes: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> Iterator[str]:
    patterns = [tapes] if isinstance(tapes, (str, os.PathLike)) else list(tapes)
    for path in patterns:
        pattern = os.fspath(path)
        # A file may have brackets in its name.
        if os.path.exists(pattern) or not glob.has_magic(pattern):
            yield pattern
        else:
            yield from sorted(glob.glob(pattern, recursive=True))


def _has(path: str, stream: str) -> bool:
    with open_tape(path) as tape:
        return stream in tape


def _schema(pl: Any, stream: Stream) -> dict[str, Any]:
    nothing = stream.select(start=0, stop=0).to_polars()
    return {TAPE: pl.String, **dict(nothing.schema)}


def _channels(stream: Stream) -> dict[str, str]:
    """The channel of each column: arrays of up to eight elements have one for each."""
    columns = {}
    for channel in stream.channels:
        if channel.count == 1 or channel.is_text or channel.count > 8:
            columns[channel.name] = channel.name
        else:
            names = [f"{channel.name}[{element}]" for element in range(channel.count)]
            columns.update({column_name(name): name for name in names})
    return columns


def _read(tape: Tape, stream: str, channels: list[str], start_ns: int | None, stop_ns: int | None) -> polars.DataFrame:
    found = tape.stream(stream)
    known = {channel.name for channel in found.channels}
    wanted = [name for name in channels if name in known or name.rpartition("[")[0] in known]
    return Selection(found, wanted, start_ns, stop_ns).to_polars()


def _time_range(predicate: Any) -> tuple[int | None, int | None]:
    """The range of `t_ns` outside of which the predicate is false. Polars filters the rest: what is not understood costs time, not rows."""
    if predicate is None:
        return None, None
    try:
        tree = json.loads(predicate.meta.serialize(format="json"))
    except Exception:  # noqa: BLE001 - the format is Polars' own and may change
        return None, None
    start, stop = _bounds(tree)
    start_ns = None if start is None else max(start, 0)
    stop_ns = None if stop is None else max(stop, 0)
    return start_ns, stop_ns


def _bounds(tree: Any) -> tuple[int | None, int | None]:
    """Returns the first time and the time after the last one."""
    node = tree.get("BinaryExpr") if isinstance(tree, dict) else None
    if not isinstance(node, dict):
        return None, None
    left, right, operator = node.get("left"), node.get("right"), node.get("op")
    if operator in ("And", "LogicalAnd"):
        (a_start, a_stop), (b_start, b_stop) = _bounds(left), _bounds(right)
        starts = [one for one in (a_start, b_start) if one is not None]
        stops = [one for one in (a_stop, b_stop) if one is not None]
        return max(starts, default=None), min(stops, default=None)
    flipped = {"Lt": "Gt", "LtEq": "GtEq", "Gt": "Lt", "GtEq": "LtEq", "Eq": "Eq"}
    if _is_time(right):
        left, right, operator = right, left, flipped.get(str(operator))
    value = _integer(right)
    if not _is_time(left) or value is None:
        return None, None
    bounds: dict[str, tuple[int | None, int | None]] = {
        "Lt": (None, value),
        "LtEq": (None, value + 1),
        "Gt": (value + 1, None),
        "GtEq": (value, None),
        "Eq": (value, value + 1),
    }
    return bounds.get(str(operator), (None, None))


def _is_time(node: Any) -> bool:
    return isinstance(node, dict) and node.get("Column") == TIME


def _integer(node: Any) -> int | None:
    """The only integer in a literal, in whatever wrappers."""
    if not isinstance(node, dict) or "Literal" not in node:
        return None
    found: list[int] = []

    def walk(part: Any) -> None:
        if isinstance(part, bool):
            found.extend([0, 0])
        elif isinstance(part, int):
            found.append(part)
        elif isinstance(part, dict):
            for value in part.values():
                walk(value)
        elif isinstance(part, (list, str, float)):
            found.extend([0, 0])

    walk(node["Literal"])
    return found[0] if len(found) == 1 else None
