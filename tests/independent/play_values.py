"""Watches a memory that a player writes, as any program with pyirsdk does. Prints what it sees of some variables, until the game is gone.

    play_values.py FILE NAME...
    ready           when pyirsdk has started up
    row HEX...      for each new tick: the bytes of the variables, from the newest buffer, frozen
    second HEX      the first variable as it is read without freezing: from the second newest buffer
    text HEX        the session text, whenever its number rose
    track NAME      what pyirsdk's own YAML reading makes of it
"""

import struct
import sys
import time

import irsdk

PACK = ["c", "?", "i", "I", "f", "d"]


def packed(ir, name):
    header = ir._var_headers_dict[name]
    value = ir[name]
    values = value if header.count > 1 else [value]
    return struct.pack("<%d%s" % (header.count, PACK[header.type]), *values).hex()


def main(path, names):
    ir = irsdk.IRSDK()
    if not ir.startup(test_file=path) or not ir.is_connected:
        sys.exit("pyirsdk did not start up")
    print("ready", flush=True)
    tick, update = 0, 0
    while ir._header.status == 1:
        newest = max(buffer.tick_count for buffer in ir._header.var_buf)
        if newest == tick:
            time.sleep(0.0002)
            continue
        tick, out = newest, []
        ir.freeze_var_buffer_latest()
        out.append("row " + " ".join(packed(ir, name) for name in names))
        ir.unfreeze_var_buffer_latest()
        out.append("second " + packed(ir, names[0]))
        if ir._header.session_info_update > update:
            update = ir._header.session_info_update
            start = ir._header.session_info_offset
            text = ir._shared_mem[start : start + ir._header.session_info_len].rstrip(b"\0")
            out.append("text " + text.hex())
            out.append("track " + ir["WeekendInfo"]["TrackName"])
        print("\n".join(out), flush=True)


main(sys.argv[1], sys.argv[2:])
