"""Packed sections, column codings and blocks of tape files, for reader.py: from docs/format.md, sections 3, 5 and 6."""
import struct

import numpy as np
import zstandard
from crc32c import crc32c

MIB = 1 << 20
U64 = np.uint64
ALL_BITS = (1 << 64) - 1


class Damage(Exception):
    """Something that breaks a rule of the document."""


def need(condition, text):
    """Raises `Damage` with the text if the condition does not hold."""
    if not condition:
        raise Damage(text)


class Cursor:
    """Takes numbers and strings from the front of some bytes."""

    def __init__(self, data):
        self.data, self.pos = data, 0

    def bytes(self, length):
        need(self.pos + length <= len(self.data), "ends early")
        self.pos += length
        return self.data[self.pos - length:self.pos]

    def take(self, layout):
        """One number, or a tuple of several, by a `struct` layout."""
        values = struct.unpack("<" + layout, self.bytes(struct.calcsize("<" + layout)))
        return values if len(values) > 1 else values[0]

    def array(self, width, count):
        return np.frombuffer(self.bytes(width * count), f"<u{width}").astype(U64)

    def str(self, limit=1024):
        length = self.take("H")
        need(length <= limit, "text too long")
        try:
            return self.bytes(length).decode()
        except UnicodeDecodeError:
            raise Damage("text is not UTF-8") from None


def unpack(data, limit):
    """Section 3, packed sections."""
    need(len(data) >= 5, "packed section ends early")
    method, length = struct.unpack_from("<BI", data)
    need(length <= limit, f"unpacked length {length} is over the limit {limit}")
    need(method < 2, f"unknown packing method {method}")
    out = data[5:]
    if method == 1:
        unpacker = zstandard.ZstdDecompressor().decompressobj()
        try:
            out = unpacker.decompress(out)
        except zstandard.ZstdError as error:
            raise Damage(str(error)) from None
        need(unpacker.eof and not unpacker.unused_data, "not just one zstd frame")
    need(len(out) == length, "unpacks to another length")
    return out


class Bits:
    """A bit stream, lowest bit first."""

    def __init__(self, data):
        self.data, self.pos = bytes(data), 0

    def read(self, k):
        start, self.pos = self.pos, self.pos + k
        need(self.pos <= 8 * len(self.data), "bit stream ends early")
        return int.from_bytes(self.data[start >> 3:(self.pos + 7) >> 3], "little") >> (start & 7) & ((1 << k) - 1)

    def read_many(self, widths):
        """The same as `read(k)` for each of the widths, as an array."""
        widths = np.asarray(widths, np.int64)
        starts = self.pos + np.cumsum(widths) - widths
        self.pos += int(widths.sum())
        need(self.pos <= 8 * len(self.data), "bit stream ends early")
        padded = np.frombuffer(self.data + bytes(16), np.uint8)
        words = padded[(starts >> 3)[:, None] + np.arange(8)].view("<u8").reshape(-1)
        shift = (starts & 7).astype(U64)
        above = padded[(starts >> 3) + 8].astype(U64) << (U64(8) - shift) << U64(56)
        mask = np.where(widths > 0, U64(ALL_BITS) >> (64 - np.maximum(widths, 1)).astype(U64), U64(0))
        return (words >> shift | np.where(shift > 0, above, U64(0))) & mask

    def end(self):
        """Checks that nothing but filling bits is left."""
        left = 8 * len(self.data) - self.pos
        need(left < 8 and self.read(left) == 0, "bit stream goes on after its end")


def decode_symbols(bits, counts, g, m):
    """Tabled asymmetric numeral system: m symbols."""
    size = 1 << g
    slot, step, p = [0] * size, (size >> 1) + (size >> 3) + 3, 0
    for symbol, count in enumerate(counts):
        for _ in range(count):
            slot[p] = symbol
            p = (p + step) % size
    following, width, to = list(counts), [0] * size, [0] * size
    for p in range(size):
        v = following[slot[p]]
        following[slot[p]] = v + 1
        width[p] = g - (v.bit_length() - 1)
        to[p] = (v << width[p]) - size
    k = 4 if m >= 256 else 1
    states, symbols = [bits.read(g) for _ in range(k)], [0] * m
    for i in range(m):
        p = states[i % k]
        symbols[i] = slot[p]
        if i + k < m:
            states[i % k] = to[p] + bits.read(width[p])
    return np.array(symbols, np.int64)


def residuals(bits, m, limit):
    """m numbers z of at most `limit` bits."""
    g = bits.read(4)
    if g == 0:
        k = bits.read(7)
        need(k <= limit, "residuals too wide")
        z = bits.read_many(np.full(m, k))
    else:
        need(5 <= g <= 10, f"residuals with g = {g}")
        lowest, classes, entries = bits.read(7), bits.read(7), []
        need(lowest + classes <= limit + 1, "class too high")
        for _ in range(bits.read(5)):
            k = bits.read(6)
            need(k < limit, "entry too wide")
            entries.append((1 << k) + bits.read(k))
        lengths = (bits.read(4) for _ in range(classes + len(entries)))
        counts = [(1 << j - 1) + bits.read(j - 1) if j else 0 for j in lengths]
        need(sum(counts) == 1 << g, "wrong sum of counts")
        symbols = decode_symbols(bits, counts, g, m)
        is_class = symbols < classes
        low_bits = np.where(is_class, lowest + symbols - 1, 0)
        top = np.where(low_bits >= 0, U64(1) << np.maximum(low_bits, 0).astype(U64), U64(0))
        entry = np.array(entries + [0], U64)[np.where(is_class, -1, symbols - classes)]
        z = np.where(is_class, top + bits.read_many(np.maximum(low_bits, 0)), entry)
    bits.end()
    return z


def unzigzag(z):
    """Modulo 2^64."""
    return (z >> U64(1)) ^ (U64(0) - (z & U64(1)))


def tame(v):
    return (v == 0) | ((np.abs(v) >= 2.0 ** -120) & (np.abs(v) < 2.0 ** 120))


def as_floats(bits, width):
    """Value bits of a float column as f64."""
    return bits.astype(f"<u{width}").view(f"<f{width}").astype(np.float64)


def foretell(b, coding, a, c, grid_s, width):
    """What the reference with values b foretells: u of the section Reference."""
    d, good = b, tame(b)
    if coding >= 7:
        d = np.concatenate(([0.0], b[1:] - b[:-1]))
        good[1:] &= tame(b[:-1])
    p = d * a + c
    good &= tame(p)
    p = np.where(good, p, 0.0)
    if grid_s is None:
        f = p.astype(f"<f{width}").view(f"<u{width}").astype(U64)
        top = U64(1 << 8 * width - 1)
        u = np.where(f & top, ~f, f | top)
    else:
        q = np.rint(p * 2.0 ** grid_s)
        good &= np.abs(q) < 2.0 ** (8 * width - 2)
        u = np.where(good, q, 0.0).astype(np.int64).astype(U64)
    last_good = np.maximum.accumulate(np.where(good, np.arange(len(b)), -1))
    return np.where(last_good >= 0, u[last_good], U64(0))


def predicted(body, n, width, is_float, coding=4, reference=None):
    """A body of predicted integers: the bits of n values."""
    cursor = Cursor(body)
    flags = cursor.take("B")
    transform, order, base_bytes = flags & 3, flags >> 2 & 3, flags >> 4
    need(transform < 3, "transform 3")
    need(transform == 0 or is_float, "float transform of an integer column")
    need(transform != 0 or coding == 4, "plain transform with a reference")
    s = cursor.take("b") if transform == 2 else None
    need(s is None or abs(s) <= 120, "s out of bounds")
    factor = cursor.take("d") if coding >= 5 else 0.0
    offset = cursor.take("d") if coding in (6, 8) else 0.0
    need(tame(factor) and tame(offset), "factor or offset not tame")
    need(base_bytes <= (8 if width == 8 else 4), "base too long")
    base = unzigzag(np.array([int.from_bytes(cursor.bytes(base_bytes), "little")], U64))
    z = residuals(Bits(body[cursor.pos:]), n - (order > 0), 64 if width == 8 else 32)
    y = unzigzag(z if order == 0 else np.concatenate((np.zeros(1, U64), z)))
    for _ in range(order):
        y = np.cumsum(y, dtype=U64)
    x = y + base
    if coding >= 5:
        x = x + foretell(reference, coding, factor, offset, s, width)
    x &= U64((1 << 8 * width) - 1)
    if transform == 1:
        top = U64(1 << 8 * width - 1)
        x = np.where(x & top, x ^ top, ~x)
    elif transform == 2:
        whole = x.astype(f"<u{width}").view(f"<i{width}").astype(np.float64)
        x = (whole * 2.0 ** -s).astype(f"<f{width}").view(f"<u{width}").astype(U64)
    return x & U64((1 << 8 * width) - 1)


def integers(body, n):
    """Section 6, Times and other integer sequences."""
    return predicted(body, n, 8, False)


def runs(body, n, width):
    bits = Bits(body)
    count, a, b, base = bits.read(10) + 1, bits.read(4), bits.read(7), 0
    need(a <= 10 and b <= 8 * width, "runs out of bounds")
    base = bits.read(8 * width)
    numbers = bits.read_many(np.tile([a, b], count))
    bits.end()
    lengths = numbers[0::2].astype(np.int64) + 1
    need(lengths.sum() == n, "runs have another number of rows")
    return np.repeat(numbers[1::2] + U64(base), lengths) & U64((1 << 8 * width) - 1)


def row_times(values, record):
    """The times of a block's rows from those relative to the first."""
    need(values[0] == 0 and np.all(values[1:] >= values[:-1]), "times do not begin with 0 or fall")
    need(record.first_time + int(values[-1]) == record.last_time, "last time is not that of the header")
    return [record.first_time + int(v) for v in values]


def column_block(payload, record, stream):
    """Sections 5 and 6: times, and the frames as a matrix of bytes."""
    n, columns = record.rows, stream.columns
    need(columns and record.raw_bytes == n * stream.frame_bytes, "raw bytes are not rows × frame bytes")
    head = Cursor(unpack(payload[:record.head_bytes], min(16 * MIB, 6 + 19 * len(columns))))
    lengths, checks = [head.take("H")], [head.take("I")]
    codings = list(head.bytes(len(columns)))
    need(max(codings) <= 8, f"unknown column coding {max(codings)}")
    other_columns = head.array(4 if len(columns) > 65536 else 2, sum(c == 2 or c >= 5 for c in codings)).tolist()
    constants = [head.bytes(columns[i].width) for i, c in enumerate(codings) if c == 1]
    bodies = sum(c >= 3 for c in codings)
    lengths += head.array(2, bodies).tolist()
    checks += head.array(4, bodies).tolist()
    need(head.pos == len(head.data), "column head goes on after its end")
    rest = Cursor(payload[record.head_bytes:])
    body_list = [rest.bytes(length) for length in lengths]
    need(rest.pos == len(rest.data), "bytes after the last body")
    need(all(crc32c(body) == check for body, check in zip(body_list, checks)), "wrong CRC of a body")
    body_list, other_columns, constants = iter(body_list), iter(other_columns), iter(constants)
    times = row_times(integers(next(body_list), n), record)
    frames, values = np.zeros((n, stream.frame_bytes), np.uint8), [None] * len(columns)
    for i, (column, coding) in enumerate(zip(columns, codings)):
        offset, width, is_float = column
        other = next(other_columns) if coding == 2 or coding >= 5 else None
        need(other is None or other < i, "other column is not lower")
        if coding == 1:
            frames[:, offset:offset + width] = np.frombuffer(next(constants), np.uint8)
        elif coding == 2:
            need(columns[other].width == width and codings[other] >= 3, "copy of an impossible column")
            values[i] = values[other]
        elif coding == 3:
            values[i] = runs(next(body_list), n, width)
        elif coding == 4:
            values[i] = predicted(next(body_list), n, width, is_float)
        elif coding >= 5:
            need(codings[other] in (3, 4) and is_float and columns[other].is_float, "impossible reference")
            reference = as_floats(values[other], columns[other].width)
            values[i] = predicted(next(body_list), n, width, is_float, coding, reference)
        if values[i] is not None:
            frames[:, offset:offset + width] = values[i].astype(f"<u{width}").view(np.uint8).reshape(n, width)
    return times, frames


def row_block(payload, record):
    """Section 5: times and frames."""
    cursor = Cursor(payload)
    times = row_times(integers(cursor.bytes(cursor.take("I")), record.rows), record)
    sizes = integers(cursor.bytes(cursor.take("I")), record.rows).tolist()
    need(sum(sizes) == record.raw_bytes, "sizes do not sum to the raw bytes")
    frames = Cursor(unpack(payload[cursor.pos:], record.raw_bytes))
    need(len(frames.data) == record.raw_bytes, "frames have another length")
    return times, [frames.bytes(size) for size in sizes]
