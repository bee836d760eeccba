"""Plots two laps of a tape: speed, pedals, and the time between them.

pip install gametape matplotlib
python two_laps.py race.gtape            the fastest lap, and the one before it
python two_laps.py race.gtape 3 7        lap 7 compared with lap 3
python two_laps.py race.gtape 3 7 --out laps.png
"""

from __future__ import annotations

import argparse

import gametape as gt


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tape", help="a path or an http(s) address")
    parser.add_argument("laps", nargs="*", type=int, help="the reference lap and the lap to compare with it")
    parser.add_argument("--out", help="write an image instead of opening a window")
    arguments = parser.parse_args()

    import matplotlib

    if arguments.out:
        matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    with gt.open(arguments.tape) as tape:
        if len(arguments.laps) == 2:
            reference, lap = (tape.lap(number) for number in arguments.laps)
        else:
            reference = tape.laps.pick_fastest()
            others = tape.laps.pick_complete().pick(lambda other: other != reference)
            if not len(others):
                raise SystemExit(f"{arguments.tape} has only one complete lap")
            lap = others[-1]
        compared = gt.compare(reference, lap, channels=["speed_kmh", "throttle", "brake"])

        figure, (speed, pedals, delta) = plt.subplots(3, 1, sharex=True, figsize=(12, 8), height_ratios=[3, 2, 1])
        distance = compared["distance_m"]
        for which, name, width in ((reference, "reference", 2), (lap, "lap", 1)):
            label = f"lap {which.number}" + ("" if which.time is None else f", {which.time:.3f} s")
            speed.plot(distance, compared[f"speed_kmh_{name}"], label=label, linewidth=width)
            pedals.plot(distance, compared[f"throttle_{name}"], linewidth=width)
            pedals.plot(distance, -compared[f"brake_{name}"], linewidth=width)
        delta.plot(distance, compared["delta_ms"] / 1000)
        delta.axhline(0, color="gray", linewidth=0.5)
        speed.set_title(f"{tape.game}, {tape.track}, {tape.car}")
        speed.set_ylabel("speed (km/h)")
        pedals.set_ylabel("throttle, −brake")
        delta.set_ylabel("behind (s)")
        delta.set_xlabel("distance from the line (m)")
        speed.legend()
        figure.tight_layout()
        if arguments.out:
            figure.savefig(arguments.out, dpi=120)
        else:
            plt.show()


if __name__ == "__main__":
    main()
