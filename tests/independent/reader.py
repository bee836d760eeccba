"""A second reader of tape files, written from docs/format.md alone, whose sections are named here.

Usage: reader.py TAPE... For each tape it prints `tape CODE PATH` (0 = no problem, 3 = damage or not closed, 1 = not a
tape), a line `problem TEXT` for each problem and a line `STREAM_ID SEQ TIME_NS LENGTH CRC32C` for each frame.
"""
import re
import struct
import sys
from collections import namedtuple
from pathlib import Path

import numpy as np
import zstandard
from crc32c import crc32c

MIB, NONE, U64 = 1 << 20, (1 << 64) - 1, np.uint64
DESCRIPTOR, COLUMN_BLOCK, ROW_BLOCK, INDEX_PAGE, FOOTER = range(1, 6)
BLOCKS = (COLUMN_BLOCK, ROW_BLOCK)
TYPE_WIDTHS, FLOATS = (0, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 1, 1, 2, 1, 2, 4, 8), (9, 10)
Record = namedtuple("Record", "kind coding stream payload_bytes head_bytes first_seq first_time last_time rows"
                    " raw_bytes head_crc offset bytes")
Stream = namedtuple("Stream", "name frame_bytes columns")
Column = namedtuple("Column", "width is_float")

class Damage(Exception):
    """Something that breaks a rule of the document."""

def need(condition, text):
    if not condition:
        raise Damage(text)

class Cursor:
    """Takes things from the front of some bytes."""
    def __init__(self, data):
        self.data, self.pos = data, 0

    def bytes(self, length):
        need(self.pos + length <= len(self.data), "ends early")
        self.pos += length
        return self.data[self.pos - length:self.pos]

    def take(self, layout):
        """A tuple of numbers by a `struct` layout."""
        return struct.unpack("<" + layout, self.bytes(struct.calcsize("<" + layout)))

    def str(self):
        text = self.bytes(*self.take("H"))
        need(len(text) <= 1024, "text too long")
        return text.decode()

    def integers(self, count):
        """A u32 length and integers(count values)."""
        return predicted(self.bytes(*self.take("I")), count, 8, False).tolist()

def sealed(header):
    """Whether these are 64 bytes that end with their CRC."""
    return len(header) == 64 and crc32c(header[:60]) == int.from_bytes(header[60:], "little")

def record_at(data, offset):
    """Section 3: the record whose valid header stands at the offset, or None."""
    header = data[offset:offset + 64]
    if header[:4] != b"GTR\x1a" or not sealed(header):
        return None
    fields = struct.unpack("<4xBBHIIQQQIIIQ4x", header)
    r = Record(*fields, 64 + fields[3])
    valid = r.offset == offset and r.rows <= 1024 and r.raw_bytes <= 16 * MIB
    valid &= r.head_bytes <= r.payload_bytes <= (16 * MIB + 65536 + 5 if r.kind == ROW_BLOCK else 32 * MIB)
    in_order = r.rows >= 1 and r.first_time <= r.last_time and r.first_seq + r.rows - 1 <= NONE
    return r if valid and (in_order or r.kind not in BLOCKS) else None

def unpack(data, limit):
    """Section 3: a packed section."""
    method, length = Cursor(data).take("BI")
    need(method < 2 and length <= limit, f"packing method {method}, {length} bytes of at most {limit}")
    out = data[5:]
    if method == 1:
        need(zstandard.frame_content_size(out) in (-1, length), "zstd frame of another length")
        out = zstandard.ZstdDecompressor().decompress(out, max_output_size=length + 1, allow_extra_data=False)
    need(len(out) == length, "unpacks to another length")
    return out

def stream_of(data):
    """Section 4: the stream of an unpacked descriptor."""
    cursor = Cursor(data)
    _, _, _, frame_bytes = cursor.take("BBHI")
    _, name, _, _ = [cursor.str() for _ in range(4)]
    (count,) = cursor.take("I")
    need(count <= 65536 and frame_bytes <= 16 * MIB and len(data) <= 4 * MIB, "over a limit")
    channels = [(cursor.str(), *cursor.take("BBII"), cursor.str()) for _ in range(count)]
    names, columns, at = {channel[0] for channel in channels}, [], 0
    need(len(names) == count and "" not in names, "channel names are empty or double")
    # The last is none: it makes the gap at the end of the frame.
    for _, kind, ranges, start, count, _ in sorted(channels, key=lambda c: c[3]) + [("", 1, 0, frame_bytes, 0, "")]:
        need(1 <= kind <= 17 and ranges <= 2 and (count or start == frame_bytes), "unknown type or ranges, or no count")
        end = start + TYPE_WIDTHS[kind] * count
        need(at <= start and end <= frame_bytes, "channels overlap or lie outside")
        while at < start:
            columns.append(Column(4 if at % 4 == 0 and start - at >= 4 else 1, False))
            at += columns[-1].width
        columns += [Column(TYPE_WIDTHS[kind], kind in FLOATS)] * count
        at = end
    need(len(columns) <= 131072, "too many columns")
    return Stream(name, frame_bytes, columns)

def row_times(values, record):
    """Section 5: the times of a block."""
    need(values[0] == 0 and values == sorted(values), "times do not begin with 0 or fall")
    need(record.first_time + values[-1] == record.last_time, "last time is not that of the header")
    return [record.first_time + v for v in values]

def row_block(payload, record):
    """Section 5: times and frames of a row block."""
    cursor = Cursor(payload)
    times, sizes = row_times(cursor.integers(record.rows), record), cursor.integers(record.rows)
    frames = Cursor(unpack(payload[cursor.pos:], record.raw_bytes))
    need(sum(sizes) == record.raw_bytes == len(frames.data), "sizes do not sum to the raw bytes")
    return times, [frames.bytes(size) for size in sizes]

def text_block(payload, record):
    """Section 5: times and frames of a row block that is split into skeletons and values."""
    cursor = Cursor(payload)
    times, numbers = row_times(cursor.integers(record.rows), record), cursor.integers(record.rows)
    sizes = cursor.integers(numbers.count(0))
    whole = Cursor(unpack(cursor.bytes(*cursor.take("I")), record.raw_bytes))
    need(max(numbers) <= 255 and sum(sizes) == len(whole.data), "wrong templates or sizes")
    frames = [iter([whole.bytes(size) for size in sizes])]
    for number in range(1, max(numbers) + 1):
        template = Template(unpack(cursor.bytes(*cursor.take("I")), 32 * MIB))
        head_bytes, head_crc, length = cursor.take("III")
        values, rows = cursor.bytes(length), numbers.count(number)
        if template.columns:
            need(crc32c(values[:head_bytes]) == head_crc, "wrong CRC of the head")
            row_bytes = sum(column.width for column in template.columns)
            need(rows * row_bytes <= 16 * MIB, "too many values")
            _, values = column_rows(values, rows, head_bytes, template.columns)
        else:
            need(head_bytes == head_crc == length == 0, "values without columns")
            values = [b""] * rows
        frames.append(iter([template.render(Cursor(row)) for row in values]))
    need(cursor.pos == len(payload), "goes on after its end")
    frames = [next(frames[number]) for number in numbers]
    need(sum(map(len, frames)) == record.raw_bytes, "frames do not sum to the raw bytes")
    return times, frames

class Template:
    """Section 5: what the frames of a table have in common."""
    def __init__(self, data):
        cursor, self.columns = Cursor(data), []
        (count,) = cursor.take("I")
        need(count <= 1 << 20, "too many values")
        self.kinds = [self.kind(cursor) for _ in range(count)]
        self.literals = [cursor.bytes(length) for length in cursor.take(f"{count + 1}I")]
        need(cursor.pos == len(data), "template goes on after its end")

    def kind(self, cursor):
        """How the next value becomes text: a function of the cursor that reads its columns."""
        (kind,) = cursor.take("B")
        setting = cursor.take("B")[0] if kind in (0, 1, 2, 3, 6) else 0
        high, low = setting >> 7, setting & 127
        if kind in (0, 1):
            self.columns.append(Column(8 if high else 4, False))
            places, fixed = low & 63, low >> 6
            need(kind == 1 or low == 0, "setting of an integer")
            return lambda row: steps(row.take("q" if high else "i")[0], places, kind == 0 or fixed)
        if kind == 2:
            need(1 <= low <= 6, "power of a grid")
            self.columns.append(Column(4, False))
            ten = np.float32(10 ** low)
            return lambda row: spelled(*(np.float32(k) / ten if high else np.float32(k) * np.float32(10.0 ** -low)
                                         for k in row.take("i")), 8, False)
        if kind == 3:
            need(6 <= low <= 9, "digits of a float")
            self.columns.append(Column(4, True))
            return lambda row: spelled(np.float32(row.take("f")[0]), low, high)
        if kind == 4:
            self.columns += [Column(8, False), Column(1, False)]
            return lambda row: decimal(*row.take("qB"))
        if kind == 5:
            (count,) = cursor.take("H")
            need(count <= 1024, "too many texts")
            texts = [cursor.bytes(length) for length in cursor.take(f"{count}I")]
            self.columns.append(Column(2, False))
            return lambda row: texts[row.take("H")[0]]
        need(kind == 6, f"unknown kind {kind}")
        parts = re.findall(rb"[0-9]{1,9}|[^0-9]+", cursor.bytes(setting))
        self.columns += [Column(4, False)] * sum(part.isdigit() for part in parts)
        return lambda row: b"".join(b"%0*d" % (len(part), *row.take("I")) if part.isdigit() else part for part in parts)

    def render(self, row):
        parts = [part for literal, kind in zip(self.literals, self.kinds) for part in (literal, kind(row))]
        return b"".join(parts) + self.literals[-1]

def decimal(m, code):
    """Section 5: the text of a mantissa and a code."""
    sign, m, places = b"-" if m < 0 else b"", 0 if m == -1 << 63 else abs(m), code & 63
    need(m < 10 ** 18 and places <= 62 and code < 192, "no decimal")
    if code < 64:
        digits = b"%0*d" % (places + 1, m)
        return sign + (digits[:-places] + b"." + digits[-places:] if places else digits)
    digits = b"%d" % m
    exponent = places - len(digits) + 1
    need(len(digits) > 1 and exponent >= 1 and (code < 128 or exponent < 10), "no exponent")
    return sign + digits[:1] + b"." + digits[1:] + (b"e-0" if code >= 128 else b"e-") + b"%d" % exponent

def steps(value, places, fixed):
    while not fixed and places > 1 and (value % 10 == 0 or value == -1 << 63):
        value, places = value if value == -1 << 63 else value // 10, places - 1
    return decimal(value, places)

def spelled(x, digits, padded):
    """Section 5: a float with so many digits."""
    if x == 0:
        return b"-0.0" if np.signbit(x) else b"0.0"
    v = abs(float(x))
    need(v < 1e16, "no such float")
    power = lambda k: float(10 ** k) if k >= 0 else 1.0 / float(10 ** -k)
    e = ((struct.unpack("<q", struct.pack("<d", v))[0] >> 52) - 1023) * 1233 >> 12
    e += v >= power(e + 1)
    p = digits - 1 - e
    m = round(v * power(p) if p >= 0 else v / power(-p))
    if m == 10 ** digits:
        m, e, p = m // 10, e + 1, p - 1
    least = 1 - e if e < -4 else 1
    while p > least and m % 10 == 0:
        m, p = m // 10, p - 1
    while p < least:
        m, p = m * 10, p + 1
    return decimal(-m if x < 0 else m, p + ((128 if padded and e > -10 else 64) if e < -4 else 0))

def column_block(payload, record, stream):
    """Section 6: times and frames of a column block."""
    need(stream.columns and record.raw_bytes == record.rows * stream.frame_bytes, "raw bytes are not rows × frame bytes")
    times, frames = column_rows(payload, record.rows, record.head_bytes, stream.columns)
    return row_times(times, record), frames

def column_rows(payload, n, head_bytes, columns):
    """Section 6, payload and head: times as they are stored, and rows."""
    count = len(columns)
    head = Cursor(unpack(payload[:head_bytes], min(16 * MIB, 6 + 19 * count)))
    times_length, times_crc, *codings = head.take(f"HI{count}B")
    need(max(codings) <= 8, f"unknown column coding {max(codings)}")
    with_other = [i for i, coding in enumerate(codings) if coding == 2 or coding >= 5]
    with_body = [i for i, coding in enumerate(codings) if coding >= 3]
    others = dict(zip(with_other, head.take(f"{len(with_other)}{'I' if count > 65536 else 'H'}")))
    constants = {i: head.bytes(columns[i].width) for i, coding in enumerate(codings) if coding == 1}
    lengths, checks = head.take(f"{len(with_body)}H"), head.take(f"{len(with_body)}I")
    rest, values = Cursor(payload[head_bytes:]), []
    times_body, bodies = rest.bytes(times_length), dict(zip(with_body, [rest.bytes(length) for length in lengths]))
    need(head.pos == len(head.data) and rest.pos == len(rest.data), "head or payload goes on after its end")
    need([crc32c(body) for body in (times_body, *bodies.values())] == [times_crc, *checks], "wrong CRC of a body")
    for i, ((width, is_float), coding) in enumerate(zip(columns, codings)):
        other = others.get(i, 0)
        need(other < i or i not in others, "other column is not lower")
        if coding <= 1:
            values.append(np.frombuffer(constants.get(i, bytes(width)) * n, f"<u{width}"))
        elif coding == 2:
            need(columns[other].width == width and codings[other] >= 3, "copy of an impossible column")
            values.append(values[other])
        elif coding == 3:
            values.append(runs(bodies[i], n, width))
        elif coding == 4:
            values.append(predicted(bodies[i], n, width, is_float))
        else:
            need(codings[other] in (3, 4) and is_float and columns[other].is_float, "impossible reference")
            reference = values[other].view(f"<f{columns[other].width}").tolist()
            values.append(predicted(bodies[i], n, width, is_float, coding, reference))
    frames = np.hstack([column.view(np.uint8).reshape(n, -1) for column in values])
    return predicted(times_body, n, 8, False).tolist(), [frame.tobytes() for frame in frames]

class Bits:
    """Section 6: a bit stream."""
    def __init__(self, data):
        self.value, self.left = int.from_bytes(data, "little"), 8 * len(data)

    def read(self, k):
        need(k <= self.left, "bit stream ends early")
        number, self.value, self.left = self.value & (1 << k) - 1, self.value >> k, self.left - k
        return number

    def number(self, length):
        """A number of this bit length, whose highest bit is not stored."""
        return (1 << length - 1) + self.read(length - 1) if length else 0

    def end(self):
        need(self.left < 8 and self.value == 0, "bit stream goes on after its end")

def runs(body, n, width):
    """Section 6: a body of runs."""
    bits, values = Bits(body), []
    count, a, b, base = bits.read(10) + 1, bits.read(4), bits.read(7), bits.read(8 * width)
    need(a <= 10 and b <= 8 * width, "runs out of bounds")
    for _ in range(count):
        length = bits.read(a) + 1
        values += [base + bits.read(b) & NONE] * length
    bits.end()
    need(len(values) == n, "runs have another number of rows")
    return np.array(values, U64).astype(f"<u{width}")

def predicted(body, n, width, is_float, coding=4, reference=None):
    """Section 6: a body of predicted integers; the bits of n values."""
    cursor, top = Cursor(body), 1 << 8 * width - 1
    (flags,) = cursor.take("B")
    transform, order, base_bytes = flags & 3, flags >> 2 & 3, flags >> 4
    need(transform < 3 and (is_float or transform == 0) and (coding == 4 or transform > 0), "wrong transform")
    need(base_bytes <= max(width, 4), "base too long")
    (s,) = cursor.take("b") if transform == 2 else (None,)
    (factor,) = cursor.take("d") if coding >= 5 else (0.0,)
    (offset,) = cursor.take("d") if coding in (6, 8) else (0.0,)
    need(tame(factor) and tame(offset) and (s is None or abs(s) <= 120), "factor, offset or s out of bounds")
    base = int.from_bytes(cursor.bytes(base_bytes), "little")
    z = residuals(Bits(body[cursor.pos:]), n - (order > 0), max(8 * width, 32))
    z = np.array([base] + [0] * (order > 0) + z, U64)
    r = (z >> U64(1)) ^ (U64(0) - (z & U64(1)))
    x = r[1:]
    for _ in range(order):
        x = np.cumsum(x, dtype=U64)
    x = (x + r[0]).astype(f"<u{width}")
    if coding >= 5:
        x += np.array(foretold(reference, coding, factor, offset, s, width), f"<u{width}")
    if transform == 1:
        x = np.where(x & top, x ^ top, ~x)
    elif transform == 2:
        x = (x.view(f"<i{width}").astype(float) * 2.0 ** -s).astype(f"<f{width}").view(f"<u{width}")
    return x

def tame(v):
    return v == 0 or 2.0 ** -120 <= abs(v) < 2.0 ** 120

def foretold(b, coding, a, c, s, width):
    """Section 6, reference: what one with the values b foretells, u."""
    u, last, half = [], 0, 1 << 8 * width - 1
    for value, before in zip(b, b[:1] + b):
        p = (value if coding <= 6 else value - before) * a + c
        if tame(value) and tame(p) and (coding <= 6 or tame(before)):
            if s is None:
                f = int.from_bytes(struct.pack("<f" if width == 4 else "<d", p), "little")
                last = f + half if f < half else 2 * half - 1 - f
            elif abs(q := round(p * 2.0 ** s)) < half // 2:
                last = q % (2 * half)
        u.append(last)
    return u

def residuals(bits, m, limit):
    """Section 6: m numbers z of at most `limit` bits."""
    g = bits.read(4)
    need(g == 0 or 5 <= g <= 10, f"residuals with g = {g}")
    if g == 0:
        k = bits.read(7)
        need(k <= limit, "residuals too wide")
        z = [bits.read(k) for _ in range(m)]
    else:
        lowest, classes, count = bits.read(7), bits.read(7), bits.read(5)
        entries = [bits.number(bits.read(6) + 1) for _ in range(count)]
        need(lowest + classes <= limit + 1 and max(entries, default=0) >> limit == 0, "class or entry too high")
        counts = [bits.number(bits.read(4)) for _ in range(classes + count)]
        need(sum(counts) == 1 << g, "wrong sum of counts")
        z = [bits.number(lowest + i) if i < classes else entries[i - classes] for i in symbols(bits, counts, g, m)]
    bits.end()
    return z

def symbols(bits, counts, g, m):
    """Section 6, tabled asymmetric numeral system: m symbols."""
    size, slot, following, table = 1 << g, {}, list(counts), []
    for i, symbol in enumerate(symbol for symbol, count in enumerate(counts) for _ in range(count)):
        slot[i * (size // 2 + size // 8 + 3) % size] = symbol
    for p in range(size):
        v = following[slot[p]]
        following[slot[p]] = v + 1
        width = g + 1 - v.bit_length()
        table.append((slot[p], width, (v << width) - size))
    k = 4 if m >= 256 else 1
    states, found = [bits.read(g) for _ in range(k)], []
    for i in range(m):
        symbol, width, to = table[states[i % k]]
        found.append(symbol)
        if i + k < m:
            states[i % k] = to + bits.read(width)
    return found

class Tape:
    """Section 10, of a tape that nobody writes any more: `frames[stream id, number] = (time, length, CRC)`."""
    def __init__(self, path):
        self.problems, self.streams, self.frames, self.rows, self.footer = [], {}, {}, [], None
        self.data = path.read_bytes()
        self.header, trailer = self.data[:64], self.data[-32:]
        has_trailer = trailer[24:] == b"GTAPEEND" and crc32c(trailer[:20]).to_bytes(4, "little") == trailer[20:24]
        if sealed(self.header):
            need(struct.unpack("<8sHxxI48x", self.header) in [(b"\x89GTAPE\r\n", v, 64) for v in (0, 1)], "unknown version")
        else:
            shown = self.header[:8] == b"\x89GTAPE\r\n" or record_at(self.data, 64) or has_trailer
            need(len(self.header) == 64 and shown, "neither magic nor record nor trailer")
            self.problems.append("wrong CRC of the file header")
        self.records = list(self.hop(len(self.data) - 32 * has_trailer))
        readers = {DESCRIPTOR: lambda r: self.describe(r.stream, unpack(self.payload(r), 4 * MIB)),
                   INDEX_PAGE: self.check_page, FOOTER: self.read_footer}
        for r in [r for r in self.records if r.kind in readers]:
            self.attempt(f"record of kind {r.kind} at {r.offset}", readers[r.kind], r)
        if not has_trailer or self.footer != (*struct.unpack("<QQ16x", trailer), 32):
            self.problems.append("not closed")
            name = re.compile(re.escape(path.name) + r"-journal-\d+")
            journals = [(p.read_bytes(), p.name) for p in path.absolute().parent.iterdir() if name.fullmatch(p.name)]
            for data, name in sorted(journals, key=lambda journal: journal[0][16:24][::-1]):
                if data[:64] != bytes(64):
                    self.attempt(name, self.read_journal, name, data)
        for r in sorted([r for r in self.records if r.kind in BLOCKS], key=lambda r: r.first_seq):
            self.attempt(f"block at {r.offset}: frames {r.first_seq} + {r.rows} of {r.stream}", self.read_block, r)
        for stream, seq, time, frame in self.rows:
            if stream in self.streams:
                self.frames.setdefault((stream, seq), (time, len(frame), crc32c(frame)))
            else:
                self.problems.append(f"row of stream {stream}, which no descriptor describes")
        numbers = sorted(self.frames)
        self.problems += [f"no frames between {a[1]} and {b[1]} of stream {a[0]}"
                          for a, b in zip(numbers, numbers[1:]) if a[0] == b[0] and a[1] + 1 < b[1]]

    def attempt(self, what, action, *arguments):
        """Runs the action; damage becomes a problem."""
        try:
            action(*arguments)
        except (Damage, UnicodeDecodeError, zstandard.ZstdError) as error:
            self.problems.append(f"{what}: {error}")

    def hop(self, end):
        """Section 3: all records, whatever lies between them."""
        at = 64
        for sync in re.finditer(b"GTR\x1a", self.data):
            record = record_at(self.data, sync.start()) if sync.start() >= at else None
            if record and record.offset > at:
                self.problems.append(f"bytes {at} to {record.offset} are no record")
            if record and record.offset + record.bytes > end:
                break
            if record:
                yield record
                at = record.offset + record.bytes
        if at < end:
            self.problems.append(f"bytes {at} to {end} are no record, or one that was cut")

    def payload(self, record):
        """The payload of a record, its head checked."""
        payload = self.data[record.offset + 64:record.offset + record.bytes]
        need(record.kind in (COLUMN_BLOCK, INDEX_PAGE) or record.head_bytes == len(payload), "head is not all")
        need(crc32c(payload[:record.head_bytes]) == record.head_crc, "wrong CRC of the head")
        return payload

    def describe(self, stream, data):
        if stream not in self.streams:
            new = stream_of(data)
            need(new.name not in [s.name for s in self.streams.values()], f"a second stream {new.name}")
            self.streams[stream] = new

    def read_block(self, record):
        known = (0,) if record.kind == COLUMN_BLOCK else (0, 2)
        need(record.stream in self.streams and record.coding in known, f"no descriptor, or unknown coding {record.coding}")
        stream, payload = self.streams[record.stream], self.payload(record)
        if record.kind == COLUMN_BLOCK:
            block = column_block(payload, record, stream)
        else:
            block = (text_block if record.coding == 2 else row_block)(payload, record)
        need((record.stream, record.first_seq) not in self.frames, "holds frames of another block")
        for seq, (time, frame) in enumerate(zip(*block), record.first_seq):
            self.frames[record.stream, seq] = (time, len(frame), crc32c(frame))

    def check_page(self, page):
        """Section 7: compares the entries of an index page (not its ranges) with the blocks before it."""
        head = Cursor(unpack(self.payload(page)[:page.head_bytes], 16 * MIB))
        entries = list(zip(*[head.integers(page.rows) for _ in range(7)]))
        blocks = [(r.offset, r.bytes, r.first_seq, r.rows, r.first_time, r.last_time, r.raw_bytes)
                  for r in self.records if r.kind in BLOCKS and r.stream == page.stream and r.offset < page.offset]
        need(entries and entries == blocks[-len(entries):], "other blocks than those before it")

    def read_footer(self, footer):
        """Section 7: compares the footer, which is valid even if that fails, with the records."""
        cursor = Cursor(unpack(self.payload(footer), 16 * MIB))
        same, (count,) = cursor.bytes(64) == self.header, cursor.take("I")
        for _ in range(count):
            stream, descriptor, frames, raw, stored = cursor.take("HQQQQ72x")
            pages = [cursor.take("QIIQQQ") for _ in range(*cursor.take("I"))]
            mine = [r for r in self.records if r.stream == stream]
            blocks = [(r.rows, r.raw_bytes, r.bytes) for r in mine if r.kind in BLOCKS]
            same &= [sum(numbers) for numbers in zip((0, 0, 0), *blocks)] == [frames, raw, stored]
            same &= pages == [(r.offset, r.bytes, r.rows, r.first_seq, r.first_time, r.last_time)
                              for r in mine if r.kind == INDEX_PAGE] and sum(p[2] for p in pages) == len(blocks)
            same &= any(r.kind == DESCRIPTOR and r.offset == descriptor for r in mine)
        self.footer = (footer.offset, footer.bytes, len(self.data) - footer.offset - footer.bytes)
        need(same, "tells of other records than there are")

    def read_journal(self, name, data):
        """Section 9: takes the rows, describes the streams."""
        need(sealed(data[:64]) and len(data) <= 1024 * MIB, "header is damaged")
        *fixed, tape_id, file_bytes = struct.unpack("<8sHxxI8x16s8xQ8x", data[:64])
        its_tape = tape_id == self.header[16:32] or not sealed(self.header)
        need(fixed in [[b"\x89GTJRNL\n", v, 64] for v in (0, 1)] and its_tape, "no journal of this tape")
        end = 64
        for mark in re.finditer(b"\xa5", data):
            at = mark.start() - 27
            if at < end or len(data) < at + 32:
                continue
            length, check, seq, time, stream, kind, _, header_check = struct.unpack_from("<IIQQHBBI", data, at)
            header = data[at:at + 28] + tape_id + data[16:24] + at.to_bytes(8, "little")
            if length > min(16 * MIB, len(data) - at - 32) or crc32c(header) != header_check:
                continue
            payload, between, end = data[at + 32:at + 32 + length], data[end:at], at + 32 + length
            if between.strip(b"\0") or crc32c(payload) != check:
                self.problems.append(f"{name}: damage before or in the row at {at}, frame {seq} of stream {stream}")
            if kind == 0 and crc32c(payload) == check:
                self.rows.append((stream, seq, time, payload))
            elif kind == 1 and crc32c(payload) == check:
                self.attempt(f"{name}: descriptor of stream {stream}", self.describe, stream, payload)
        need(file_bytes == len(data) and not data[end:].strip(b"\0"), f"was cut, or has more than rows after {end}")

if __name__ == "__main__":
    for path in sys.argv[1:]:
        try:
            tape = Tape(Path(path))
            lines = [f"tape {3 if tape.problems else 0} {path}"] + [f"problem {problem}" for problem in tape.problems]
            lines += [f"{stream} {seq} {time} {length} {crc:08x}"
                      for (stream, seq), (time, length, crc) in sorted(tape.frames.items())]
        except (Damage, OSError) as error:
            lines = [f"tape 1 {path}", f"problem {error}"]
        print("\n".join(lines))
