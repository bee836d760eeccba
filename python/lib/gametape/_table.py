"""Tables: columns of one length that pandas, Polars, pyarrow and DuckDB read. None of them is needed to make one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _native

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


def need(module: str, method: str) -> Any:
    """Imports an optional package, or says how to get it."""
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{method}() needs the package {module}: pip install {module}") from error


class Column:
    """A column: values, and which of them are known. Floats use NaN for unknown values."""

    __slots__ = ("values", "known", "unit")

    def __init__(self, values: NDArray[Any], unit: str = "", known: NDArray[np.bool_] | None = None) -> None:
        self.values = values
        self.unit = unit
        self.known = known

    @classmethod
    def of(cls, values: Sequence[Any], kind: type, unit: str = "") -> Column:
        """Makes a column of Python values, of which some may be None."""
        if kind is float:
            return cls(np.array([np.nan if value is None else value for value in values], dtype=np.float64), unit)
        if kind is str:
            return cls(np.array(values, dtype=object), unit)
        known = np.array([value is not None for value in values], dtype=np.bool_)
        filled = [kind() if value is None else value for value in values]
        return cls(np.array(filled, dtype=np.int64 if kind is int else np.bool_), unit, known)

    def _kind(self) -> str:
        kinds = {"f": "f64", "i": "i64", "u": "i64", "b": "bool", "O": "str", "U": "str"}
        return kinds[self.values.dtype.kind]

    def to_list(self) -> list[Any]:
        """The values as Python objects, None where unknown."""
        values: list[Any] = self.values.tolist()
        if self.values.dtype.kind == "f":
            return [None if value != value else value for value in values]
        if self.known is None:
            return values
        return [value if known else None for value, known in zip(values, self.known)]


class Table:
    """Columns of one length, by name.

    `table["speed_kmh"]` is a numpy array. The whole table goes to `to_pandas()`, `to_polars()`, `to_arrow()`, and every program that reads the
    Arrow stream interface takes the object itself: `duckdb.sql("select * from table")`.
    """

    def __init__(self, columns: Mapping[str, Column]) -> None:
        self._columns = dict(columns)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    @property
    def units(self) -> dict[str, str]:
        """The unit of each column that has one."""
        return {name: column.unit for name, column in self._columns.items() if column.unit}

    @property
    def rows(self) -> int:
        """The number of rows."""
        return next((len(column.values) for column in self._columns.values()), 0)

    def column(self, name: str) -> NDArray[Any]:
        """The values of a column. Unknown ones are NaN; integers and truth values become floats if some are unknown."""
        try:
            column = self._columns[name]
        except KeyError:
            raise KeyError(f"there is no column {name!r}; there are {', '.join(self._columns)}") from None
        if column.known is None or bool(column.known.all()):
            return column.values
        return np.where(column.known, column.values.astype(np.float64), np.nan)

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns as lists, None where unknown."""
        return {name: column.to_list() for name, column in self._columns.items()}

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas DataFrame. Nullable types are used for integers and truth values that may be unknown."""
        pd = need("pandas", "to_pandas")
        data: dict[str, Any] = {}
        for name, column in self._columns.items():
            if column.known is None:
                data[name] = column.values
            else:
                kind = "boolean" if column.values.dtype.kind == "b" else "Int64"
                data[name] = pd.array(column.to_list(), dtype=kind)
        frame: pandas.DataFrame = pd.DataFrame(data)
        return frame

    def to_polars(self) -> polars.DataFrame:
        """The table as a Polars DataFrame."""
        frame: polars.DataFrame = need("polars", "to_polars").DataFrame(_Capsule(self))
        return frame

    def to_arrow(self) -> pyarrow.Table:
        """The table as a pyarrow Table, with units as field metadata."""
        table: pyarrow.Table = need("pyarrow", "to_arrow").table(_Capsule(self))
        return table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The Arrow PyCapsule interface."""
        columns = [(name, one.unit, one._kind(), one.to_list()) for name, one in self._columns.items()]
        return _native.table_stream(columns)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.rows} rows, columns {', '.join(self._columns)}>"


class Frame(Table):
    """A table whose columns are read with brackets."""

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.column(name)

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return self.rows


class _Capsule:
    """Only the stream interface: libraries would otherwise take a table for a sequence or a mapping."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)
