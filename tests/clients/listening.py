"""What the Python scripts of this folder share."""

import json
import os
import sys
import threading


def wanted(arguments):
    """Paths by packet, from arguments such as `PACKET:PATH`."""
    paths = {}
    for argument in arguments:
        packet, path = argument.split(":", 1)
        paths.setdefault(packet, []).append(path)
    return paths


def tell(what):
    """Prints a line of JSON at once."""
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def tell_port(bound):
    """Prints on which port a socket listens."""
    tell({"port": bound.getsockname()[1]})


def end_with_stdin():
    """Ends the process when its standard input ends."""

    def wait():
        sys.stdin.buffer.read()
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()
