"""Prints values that the library RaceTelemetry reads: see README.md.

The first argument is the library's name for the game, such as `FM8`.
"""

import importlib
import re
import socket
import sys

import listening
from RaceTelemetry import TelemetryManager


class ReportingSocket(socket.socket):
    """The library does not tell on which port it listens."""

    def bind(self, address):
        super().bind(address)
        listening.tell_port(self)


def value_at(packet, path):
    """The value at a path such as `sParticipants[3].sRacePosition`."""
    for name, index in re.findall(r"(\w+)(?:\[(\d+)\])?", path):
        packet = getattr(packet, name)
        if index:
            packet = packet[int(index)]
    return packet


def main():
    wanted = listening.wanted(sys.argv[2:])
    structures = importlib.import_module(f"RaceTelemetry.data_structures.{sys.argv[1]}_struct")
    socket.socket = ReportingSocket
    manager = TelemetryManager()
    manager.updateMeta(type("AnyPort", (structures.MetaData,), {"port": 0}))
    manager.updateLocalIP("127.0.0.1")
    # Enumerations as the numbers that the game sends.
    manager.setEnumMode(1)
    for packet, _, _ in manager.GetTelemetry():
        # None after a second without a packet.
        kind = getattr(packet, "__name__", None)
        if kind in wanted:
            listening.tell({"packet": kind, "values": [value_at(packet, path) for path in wanted[kind]]})


listening.end_with_stdin()
main()
