"""Reads, analyses and writes game telemetry tapes (`.gtape`).

>>> import gametape as gt
>>> tape = gt.open("race.gtape")
>>> tape["physics"]["speedKmh"].max() > 200
np.True_
>>> tape.laps.pick_fastest().time
36...
"""

from ._errors import (
    ChannelNotFoundError,
    DamagedTapeError,
    DamagedTapeWarning,
    GametapeError,
    LapNotFoundError,
    NotATapeError,
    ServerError,
    StreamNotFoundError,
)
from ._importing import Imported, Recovered, import_file, recover
from ._laps import Comparison, Corner, Lap, Laps, Session, Stretch, Telemetry, compare
from ._native import VERSION as __version__
from ._polars import scan_polars
from ._server import Store, connect
from ._stream import Channel, Loss, Selection, Stream
from ._table import Frame, Table
from ._tape import Event, Problem, Tape, open
from ._writer import StreamWriter, Written, Writer, create

__all__ = [
    "Channel",
    "ChannelNotFoundError",
    "Comparison",
    "Corner",
    "DamagedTapeError",
    "DamagedTapeWarning",
    "Event",
    "Frame",
    "GametapeError",
    "Imported",
    "Lap",
    "LapNotFoundError",
    "Laps",
    "Loss",
    "NotATapeError",
    "Problem",
    "Recovered",
    "Selection",
    "ServerError",
    "Session",
    "Store",
    "Stream",
    "StreamNotFoundError",
    "StreamWriter",
    "Stretch",
    "Table",
    "Tape",
    "Telemetry",
    "Writer",
    "Written",
    "__version__",
    "compare",
    "connect",
    "create",
    "import_file",
    "open",
    "recover",
    "scan_polars",
]
