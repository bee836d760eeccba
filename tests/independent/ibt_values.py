"""Prints every value of every variable of an .ibt file, as pyirsdk reads it: name, type, count, then the bytes of all rows as hex."""

import struct
import sys

import irsdk

PACK = ["c", "?", "i", "I", "f", "d"]


def main(path):
    ibt = irsdk.IBT()
    ibt.open(path)
    for header in ibt._var_headers:
        code = "<%d%s" % (header.count, PACK[header.type])
        rows = ibt.get_all(header.name)
        cells = (row if header.count > 1 else [row] for row in rows)
        data = b"".join(struct.pack(code, *row) for row in cells)
        print(header.name, header.type, header.count, data.hex())
    ibt.close()


main(sys.argv[1])
