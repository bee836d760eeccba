#!/usr/bin/env python3
"""A second reader of tape files, written from docs/format.md alone, whose sections are named here.

    reader.py TAPE             a line for each frame: STREAM_ID SEQ TIME_NS LENGTH CRC32C
    reader.py --index TAPE     also, for each range: RANGE STREAM_ID PAGE_OFFSET SLOT BLOCK MIN MAX
    reader.py --streams TAPE   the stream descriptors as JSON instead

Problems go to stderr. Exit code: 0 no problem, 3 damage or not closed, 1 not a tape.
"""
import json
import re
import struct
import sys
from collections import namedtuple
from pathlib import Path

import numpy as np
from crc32c import crc32c

from columns import MIB, Cursor, Damage, column_block, integers, need, row_block, unpack

NONE64 = (1 << 64) - 1
SYNC, COLUMN_BLOCK, ROW_BLOCK = b"GTR\x1a", 2, 3
WIDTHS = dict(zip(range(1, 18), (1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 1, 1, 2, 1, 2, 4, 8)))
TYPES = " u8 i8 u16 i16 u32 i32 u64 i64 f32 f64 bool char char16 bits8 bits16 bits32 bits64".split(" ")
ROLES = dict(enumerate("data describe events clock metadata status".split()))
SIGNED, FLOATS = (2, 4, 6, 8), (9, 10)


class NotATape(Exception):
    """The file is not a tape, or of a version this reader does not know."""


# ---- sections 3, 4 and 7: records, descriptors, index ----------------------------------------------------------------

Record = namedtuple("Record", "kind coding stream payload_bytes head_bytes first_seq first_time last_time rows"
                    " raw_bytes head_crc offset")
Column = namedtuple("Column", "offset width is_float")
Channel = namedtuple("Channel", "name type ranges offset count unit")


def record_at(data, offset):
    """The record whose valid header stands at the offset, or None."""
    header = data[offset:offset + 64]
    if len(header) < 64 or header[:4] != SYNC or crc32c(header[:60]) != struct.unpack_from("<I", header, 60)[0]:
        return None
    record = Record(*struct.unpack_from("<BBHIIQQQIIIQ", header, 4))
    return record if record.offset == offset and record.payload_bytes <= 32 * MIB else None


class Stream:
    """Section 4, from an unpacked descriptor."""

    def __init__(self, stream_id, data):
        need(len(data) <= 4 * MIB, "descriptor too long")
        cursor, self.id = Cursor(data), stream_id
        self.role, self.flags, self.describes, self.frame_bytes = cursor.take("BBHI")
        self.game, self.name, self.transport, self.layout = (cursor.str() for _ in range(4))
        count = cursor.take("I")
        need(self.frame_bytes <= 16 * MIB and count <= 65536, "frame bytes or channels over the limit")
        self.channels = [Channel(cursor.str(), *cursor.take("BBII"), cursor.str()) for _ in range(count)]
        names, end, self.columns = {c.name for c in self.channels}, 0, []
        need(len(names) == count and "" not in names, "channel names are empty or double")
        for c in sorted(self.channels, key=lambda c: c.offset):
            need(c.type in WIDTHS and c.ranges <= 2 and c.count >= 1, "unknown type, ranges, or no elements")
            width = WIDTHS[c.type]
            need(end <= c.offset <= c.offset + width * c.count <= self.frame_bytes, "channels overlap or lie outside")
            need(len(self.columns) + c.count <= 131072, "too many columns")
            self._gap(end, c.offset)
            end = c.offset + width * c.count
            self.columns += [Column(at, width, c.type in FLOATS) for at in range(c.offset, end, width)]
        self._gap(end, self.frame_bytes)
        need(len(self.columns) <= 131072, "too many columns")

    def _gap(self, at, end):
        while at < end:
            width = 4 if at % 4 == 0 and end - at >= 4 else 1
            self.columns.append(Column(at, width, False))
            at += width

    def slot_types(self):
        """The type of each range slot."""
        return [c.type for c in self.channels for _ in range((0, 1, c.count)[c.ranges])]

    def ranges(self, frames):
        """Minimum and maximum of each slot over a matrix of frames, mapped as in section 7."""
        slots = []
        for c in (c for c in self.channels if c.ranges):
            width = WIDTHS[c.type]
            part = np.ascontiguousarray(frames[:, c.offset:c.offset + width * c.count])
            bits, top = part.view(f"<u{width}"), 1 << 8 * width - 1
            valid = ~np.isnan(part.view(f"<f{width}")) if c.type in FLOATS else np.ones(bits.shape, bool)
            if c.type in FLOATS:
                bits = np.where(bits & bits.dtype.type(top), ~bits, bits | bits.dtype.type(top))
            elif c.type in SIGNED:
                bits = bits ^ bits.dtype.type(top)
            axis = 0 if c.ranges == 2 else None
            low = np.atleast_1d(np.where(valid, bits, bits.dtype.type(2 * top - 1)).min(axis)).tolist()
            slots += zip(low, np.atleast_1d(np.where(valid, bits, bits.dtype.type(0)).max(axis)).tolist())
        return slots

    def json(self):
        """What --streams prints: a channel is its name, type, offset, count and unit."""
        channels = [[c.name, TYPES[c.type], c.offset, c.count, c.unit] for c in self.channels]
        return json.dumps({"id": self.id, "role": ROLES.get(self.role, self.role), "name": self.name, "game": self.game,
                           "frame_bytes": self.frame_bytes, "channels": channels})


def index_page(payload, record, types):
    """Section 7: the rows of the page, one for each block, and for each slot the (minimum, maximum) of each block."""
    n = record.rows
    need(1 <= n <= 1024, "number of blocks out of bounds")
    head, rest = Cursor(unpack(payload[:record.head_bytes], 16 * MIB)), Cursor(payload[record.head_bytes:])
    lists = [integers(head.bytes(head.take("I")), n).tolist() for _ in range(7)]
    need(head.take("I") == len(types), "number of slots is not that of the descriptor")
    slots = []
    for width in (WIDTHS[t] for t in types):
        kind = head.take("B")
        need(kind <= 3, "unknown kind of slot")
        low, high = [(1 << 8 * width) - 1] * n, [0] * n
        if kind == 1:
            low = high = head.array(width, 1).tolist() * n
        elif kind == 2:
            low, high = head.array(width, n).tolist(), head.array(width, n).tolist()
        elif kind == 3:
            run_bytes, check = head.take("II")
            run = Cursor(rest.bytes(run_bytes))
            need(crc32c(run.data) == check, "wrong CRC of a run")
            low, high = (integers(run.bytes(run.take("I")), n).tolist() for _ in range(2))
            need(run.pos == run_bytes, "run goes on after its end")
        slots.append(list(zip(low, high)))
    need(head.pos == len(head.data) and rest.pos == len(rest.data), "index page goes on after its end")
    return list(zip(*lists)), slots


FooterStream = namedtuple("FooterStream", "id descriptor frames raw stored first_time last_time status pages")


def parse_footer(data):
    """Section 7: the copy of the header, and a FooterStream for each stream."""
    cursor = Cursor(unpack(data, 16 * MIB))
    header, count, streams = cursor.bytes(64), cursor.take("I"), []
    need(count <= 1024, "too many streams")
    for _ in range(count):
        numbers, status, pages = cursor.take("HQQQQQQ"), cursor.take("7Q"), cursor.take("I")
        streams.append(FooterStream(*numbers, status, [cursor.take("QIIQQQ") for _ in range(pages)]))
    need(cursor.pos == len(cursor.data), "footer goes on after its end")
    return header, streams


# ---- sections 9 and 10: journals, the whole tape ---------------------------------------------------------------------

def list_journals(path):
    """(name, bytes) of every journal beside the tape, by generation."""
    while True:
        pattern = re.compile(re.escape(path.name) + r"-journal-(\d+)")
        found = [(int(m[1]), p) for p in path.absolute().parent.iterdir() if (m := pattern.fullmatch(p.name))]
        try:
            return [(p.name, p.read_bytes()) for _, p in sorted(found)]
        except FileNotFoundError:
            continue


class Tape:
    """Everything in a tape: `frames[stream id][sequence number] = (time, length, CRC)`."""

    def __init__(self, path):
        self.problems, self.streams, self.frames, self.status, self.range_lines = [], {}, {}, {}, []
        self.blocks, self.ranges, self.records, self.undecoded = {}, {}, {}, set()
        journals = list_journals(path)
        self.data = path.read_bytes()
        header, end, footer = self.data[:64], len(self.data), None
        try:
            footer_offset, footer = self.read_trailer()
            end -= 32
        except Damage as damage:
            self.problems.append(f"not closed: {damage}")
        self.hop(end)
        if len(header) < 64 or header[:8] != b"\x89GTAPE\r\n" and not self.records:
            raise NotATape("no magic and no record")
        if struct.unpack_from("<I", header, 60)[0] != crc32c(header[:60]):
            self.problems.append("wrong CRC of the file header")
            header = footer[0] if footer else header
        elif struct.unpack_from("<HxxI", header, 8) != (0, 64):
            raise NotATape("unknown version")
        if footer and header != footer[0]:
            self.problems.append("the footer's copy of the header differs")
        journals = [] if footer else journals
        rows = [row for name, data in journals for row in self.journal_rows(name, data, header[16:32])]
        for record in self.records.values():
            if record.kind == 1:
                self.attempt(f"descriptor at {record.offset}", lambda: self.describe(
                    record.stream, unpack(self.payload(record), 4 * MIB)))
        for kind, stream, _, _, payload in rows:
            if kind == 1:
                self.attempt(f"descriptor of stream {stream} in a journal", lambda: self.describe(stream, payload))
        for record in self.records.values():
            if record.kind in (COLUMN_BLOCK, ROW_BLOCK):
                self.blocks.setdefault(record.stream, []).append(record)
                self.undecoded.add(record.offset)
                self.attempt(f"block at {record.offset} ({record.rows} frames of stream {record.stream} from "
                             f"{record.first_seq} on)", lambda: self.read_block(record))
        for kind, stream, seq, time, payload in rows:
            if kind == 0 and stream not in self.streams:
                self.problems.append(f"row of stream {stream}, which no descriptor describes")
            elif kind == 0:
                self.add(stream, seq, time, payload)
        for record in self.records.values():
            if record.kind == 4:
                self.attempt(f"index page at {record.offset}", lambda: self.check_page(record))
        if footer:
            self.attempt("footer", lambda: self.check_footer(footer_offset, footer[1]))
        for stream, frames in self.frames.items():
            numbers = sorted(frames)
            self.problems += [f"stream {stream}: no frames {a + 1} to {b - 1}" for a, b in zip(numbers, numbers[1:])
                              if b > a + 1]

    def attempt(self, what, action):
        """Runs the action; damage becomes a problem."""
        try:
            action()
        except Damage as damage:
            self.problems.append(f"{what}: {damage}")

    def read_trailer(self):
        trailer = self.data[-32:]
        need(len(self.data) >= 96 and trailer[24:] == b"GTAPEEND", "no trailer")
        offset, length, zero, check = struct.unpack_from("<QQII", trailer)
        need(check == crc32c(trailer[:20]) and zero == 0, "trailer is damaged")
        record = record_at(self.data, offset)
        need(record and record.kind == 5 and length == 64 + record.payload_bytes, "no footer where the trailer says")
        need(offset + length + 32 == len(self.data), "the trailer does not follow the footer")
        return offset, parse_footer(self.payload(record))

    def hop(self, end):
        """Section 3: all records, whatever lies between them."""
        at = 64
        while at < end:
            record = record_at(self.data, at)
            if record is None:
                start = at
                while (at := self.data.find(SYNC, at + 1, end)) >= 0 and record_at(self.data, at) is None:
                    pass
                at = at if at >= 0 else end
                self.problems.append(f"bytes {start} to {at} are no record")
            elif at + 64 + record.payload_bytes > end:
                self.problems.append(f"the record at {at} was cut")
                at = end
            else:
                self.records[at] = record
                at += 64 + record.payload_bytes

    def payload(self, record):
        """The payload of a record, its head checked."""
        payload = self.data[record.offset + 64:record.offset + 64 + record.payload_bytes]
        need(record.head_bytes <= len(payload) == record.payload_bytes, "head longer than the payload")
        need(record.kind in (COLUMN_BLOCK, 4) or record.head_bytes == len(payload), "head is not the whole payload")
        need(crc32c(payload[:record.head_bytes]) == record.head_crc, "wrong CRC of the head")
        return payload

    def describe(self, stream, data):
        if stream not in self.streams:
            self.streams[stream] = Stream(stream, data)

    def add(self, stream, seq, time, frame):
        """Takes a frame unless there is one of that number."""
        frames = self.frames.setdefault(stream, {})
        if seq not in frames:
            frames[seq] = (time, len(frame), crc32c(frame))
            if self.streams[stream].role == 5 and len(frame) == 64:
                of, *counts = struct.unpack("<H6x7Q", frame)
                self.status.setdefault(time, {})[of] = tuple(counts)

    def read_block(self, record):
        need(record.coding == 0, f"unknown block coding {record.coding}")
        need(1 <= record.rows <= 1024 and record.raw_bytes <= 16 * MIB, "rows or raw bytes out of bounds")
        need(record.stream in self.streams, "no descriptor describes its stream")
        stream, payload = self.streams[record.stream], self.payload(record)
        if record.kind == COLUMN_BLOCK:
            times, matrix = column_block(payload, record, stream)
            self.ranges[record.offset] = stream.ranges(matrix)
            frames = [row.tobytes() for row in matrix]
        else:
            times, frames = row_block(payload, record)
            self.ranges[record.offset] = [((1 << 8 * WIDTHS[t]) - 1, 0) for t in stream.slot_types()]
        self.undecoded.discard(record.offset)
        for i, (time, frame) in enumerate(zip(times, frames)):
            self.add(record.stream, record.first_seq + i, time, frame)

    def check_page(self, record):
        """Compares an index page with the blocks it lists."""
        need(record.stream in self.streams, "no descriptor describes its stream")
        blocks, slots = index_page(self.payload(record), record, self.streams[record.stream].slot_types())
        need((record.first_seq, record.first_time, record.last_time) == (blocks[0][2], blocks[0][4], blocks[-1][5]),
             "record header does not fit its blocks")
        for slot, values in enumerate(slots):
            self.range_lines += [f"RANGE {record.stream} {record.offset} {slot} {i} {low:x} {high:x}"
                                 for i, (low, high) in enumerate(values)]
        for i, row in enumerate(blocks):
            r = self.records.get(row[0])
            need(r and r.kind in (COLUMN_BLOCK, ROW_BLOCK) and r.stream == record.stream, f"no block at {row[0]}")
            need(row[1:] == (64 + r.payload_bytes, r.first_seq, r.rows, r.first_time, r.last_time, r.raw_bytes),
                 f"says {row} of the block at {row[0]}")
            need(row[0] in self.undecoded or [s[i] for s in slots] == self.ranges[row[0]],
                 f"other ranges than in the block at {row[0]}")

    def check_footer(self, offset, streams):
        """Compares the footer with the records."""
        need(list(self.records)[-1:] == [offset], "the footer is not the last record")
        need({s.id for s in streams} == set(self.streams), "other streams than the descriptors")
        last_status = self.status[max(self.status)] if self.status else {}
        for s in streams:
            blocks, what = self.blocks.get(s.id, []), f"stream {s.id}: "
            r = self.records.get(s.descriptor)
            need(r and r.kind == 1 and r.stream == s.id, what + "no descriptor there")
            pages = [(r.offset, 64 + r.payload_bytes, r.rows, r.first_seq, r.first_time, r.last_time)
                     for r in self.records.values() if r.kind == 4 and r.stream == s.id]
            need(s.pages == pages, what + "other index pages")
            need(sum(p[2] for p in pages) == len(blocks), what + "other number of blocks than in its index pages")
            sums = tuple(sum(x) for x in zip((0, 0, 0), *((b.rows, b.raw_bytes, 64 + b.payload_bytes) for b in blocks)))
            need(s[2:5] == sums, what + f"frames and bytes {s[2:5]}, not {sums}")
            times = (blocks[0].first_time, blocks[-1].last_time) if blocks else (NONE64, NONE64)
            need(s[5:7] == times, what + f"times {s[5:7]}, not {times}")
            status = last_status.get(s.id, (NONE64,) + (0,) * 6)
            need(s.status == status or self.undecoded, what + f"status {s.status}, not {status}")

    def journal_rows(self, name, data, tape_id):
        """(kind, stream, sequence number, time, payload) of each good row of a journal."""
        whole = len(data) >= 64 and data[:8] == b"\x89GTJRNL\n"
        if not whole or data[60:64] != crc32c(data[:60]).to_bytes(4, "little") \
                or struct.unpack_from("<HxxI", data, 8) != (0, 64) or data[24:40] != tape_id:
            self.problems.append(f"{name}: no journal of this tape")
            return
        if struct.unpack_from("<Q", data, 48)[0] != len(data):
            self.problems.append(f"{name}: was cut")
        generation, at = data[16:24], 64
        while (at := self.next_row(data, at, generation)) is not None:
            length, check, seq, time, stream, kind = struct.unpack_from("<IIQQHB", data, at)
            payload = data[at + 32:at + 32 + length]
            if crc32c(payload) == check:
                yield kind, stream, seq, time, payload
            else:
                self.problems.append(f"{name}: row at {at} (frame {seq} of stream {stream}) is damaged")
            at += 32 + length

    def next_row(self, data, start, generation):
        """Where the next valid row header stands, at `start` or later."""
        at = start
        while (mark := data.find(b"\xa5", at + 27)) >= 0:
            at = mark - 27
            length, check = struct.unpack_from("<I", data, at)[0], data[at + 28:at + 32]
            if at + 32 + length <= len(data) and check == crc32c(data[at:at + 28] + generation).to_bytes(4, "little"):
                break
            at += 1
        at = at if mark >= 0 else None
        if data[start:at].strip(b"\0"):
            self.problems.append(f"journal: bytes {start} to {at} are neither rows nor zero")
        return at


def main(arguments):
    """Prints what the arguments ask for and returns the exit code."""
    options = {a for a in arguments if a.startswith("--")}
    paths = [a for a in arguments if not a.startswith("--")]
    if len(paths) != 1 or options - {"--index", "--streams"}:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        with np.errstate(all="ignore"):
            tape = Tape(Path(paths[0]))
    except (NotATape, OSError) as error:
        print(f"not a tape: {error}", file=sys.stderr)
        return 1
    lines = tape.range_lines if "--index" in options else []
    if "--streams" in options:
        lines = ["[" + ",\n".join(tape.streams[i].json() for i in sorted(tape.streams)) + "]"]
    else:
        lines = [f"{stream} {seq} {time} {length} {crc:08x}" for stream, frames in sorted(tape.frames.items())
                 for seq, (time, length, crc) in sorted(frames.items())] + lines
    sys.stdout.write("".join(line + "\n" for line in lines))
    sys.stderr.write("".join(line + "\n" for line in tape.problems))
    return 3 if tape.problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
