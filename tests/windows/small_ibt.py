"""Writes a small .ibt of a car that gets faster: row N has SessionTime 100 + N / 64 s and Speed N / 8 m/s.

    small_ibt.py FILE ROWS         writes it
    small_ibt.py --check ROWS      reads lines "TIME s SPEED m/s" (or km/h), fails unless each is of one row; other lines do not matter
"""

import re
import struct
import sys

VARIABLES = [(5, 0, "SessionTime", "s"), (4, 8, "Speed", "m/s")]
ROW = "<df"


def row(number):
    return 100 + number / 64, number / 8


def write(path, rows):
    text = b"---\nWeekendInfo:\n TrackName: test\n BuildVersion: 2026.01.02.03\n"
    text_at = 144 + 144 * len(VARIABLES)
    rows_at = text_at + len(text)
    size = struct.calcsize(ROW)
    head = struct.pack("<14i", 2, 1, 60, 0, len(text), text_at, len(VARIABLES), 144, 1, size, 0, 0, 77, rows_at)
    disk = struct.pack("<qddii", 1_700_000_000, row(0)[0], row(rows)[0], 1, rows)
    with open(path, "wb") as file:
        file.write(head.ljust(112, b"\0") + disk)
        for kind, offset, name, unit in VARIABLES:
            file.write(struct.pack("<4i32s64s32s", kind, offset, 1, 0, name.encode(), b"", unit.encode()))
        file.write(text)
        for number in range(rows):
            file.write(struct.pack(ROW, *row(number)))


def check(rows):
    seen = 0
    for line in sys.stdin:
        match = re.fullmatch(r"\s*([\d.]+) s\s+([\d.]+) (m/s|km/h)\s*", line)
        if not match:
            continue
        time, speed = float(match[1]), float(match[2]) / (3.6 if match[3] == "km/h" else 1)
        number = round((time - 100) * 64)
        # pyirsdk reads the two one after the other: the speed may be of a row soon after.
        late = 0 if match[3] == "m/s" else 64
        if not (0 <= number < rows and number - 0.2 <= speed * 8 <= number + late + 0.2):
            sys.exit("not of row %d: %s" % (number, line))
        seen += 1
    print("%d speeds, each of its row" % seen)
    sys.exit(seen == 0)


if sys.argv[1] == "--check":
    check(int(sys.argv[2]))
else:
    write(sys.argv[1], int(sys.argv[2]))
