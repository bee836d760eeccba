"""Reads packets with granturismo, as any program with it does, and prints some of their values.

    granturismo_values.py ADDRESS PORT COUNT
    ready                          when it has sent its first heartbeat
    ID CAR X SPEED RPM             for each packet; the last three are the bits of floats

The package has the ports of the console as constants of a class. They are set here, so that tests can run side by side.
"""

import struct
import sys

from granturismo.intake import Listener


def bits(value):
    return "%08x" % struct.unpack("<I", struct.pack("<f", value))


def main(address, port, count):
    Listener._HEARTBEAT_PORT = port
    # Any free port.
    Listener._BIND_PORT = 0
    with Listener(address) as listener:
        print("ready", flush=True)
        for _ in range(count):
            packet = listener.get(timeout=60.0)
            values = [packet.position.x, packet.car_speed, packet.engine_rpm]
            print(packet.packet_id, packet.car_id, *map(bits, values), flush=True)


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
