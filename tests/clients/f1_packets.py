"""Prints values that the library f1-packets reads: see README.md."""

import re
import sys

import listening
from f1.listener import PacketListener


def value_at(packet, path):
    """The value at a path such as `car_telemetry_data[3].speed`."""
    for name, index in re.findall(r"(\w+)(?:\[(\d+)\])?", path):
        packet = getattr(packet, name)
        if index:
            packet = packet[int(index)]
    return packet


def main():
    wanted = listening.wanted(sys.argv[1:])
    listener = PacketListener(host="127.0.0.1", port=0)
    listening.tell_port(listener.socket)
    while True:
        packet = listener.get()
        kind = type(packet).__name__
        paths = wanted.get(kind, [])
        if paths:
            values = [value_at(packet, path) for path in paths]
            listening.tell({"packet": kind, "frame": packet.header.frame_identifier, "values": values})


listening.end_with_stdin()
main()
