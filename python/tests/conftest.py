"""What all tests use: the program, a tape that it made, and the tapes of the repository.

`GAMETAPE_PROGRAM` is the program to compare with; `scripts/test` sets it. With `GAMETAPE_LONG`, tests that repeat something do it more often.
"""

from __future__ import annotations

import csv
import io
import json
import os
import pathlib
import shutil
import subprocess
from typing import Any

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("GAMETAPE_PROGRAM", REPOSITORY / "target/debug/gametape"))
LONG = bool(os.environ.get("GAMETAPE_LONG"))


def tapes_of_repository() -> list[pathlib.Path]:
    """Every tape that is kept for tests: one or more of each game, golden tapes of the format, and one whose recorder was killed."""
    crates = REPOSITORY / "crates"
    found = sorted(crates.glob("games/src/*/testcases/*/*.gtape")) + sorted(crates.glob("format/tests/golden/*.gtape"))
    assert len(found) >= 30, "the tapes are not where they were"
    return found


class Program:
    """The command line, as an independent witness."""

    def __init__(self, data: pathlib.Path) -> None:
        self.environment = {**os.environ, "GAMETAPE_DATA_DIR": str(data)}

    def run(self, *arguments: object) -> str:
        done = subprocess.run([PROGRAM, *map(str, arguments)], env=self.environment, capture_output=True, text=True, timeout=600)
        # 3: done, but the tape is damaged.
        assert done.returncode in (0, 3), done.stderr
        return done.stdout

    def json(self, *arguments: object) -> Any:
        return json.loads(self.run(*arguments))

    def cat(self, *arguments: object) -> dict[str, list[str]]:
        """The columns that `gametape cat` prints, as text."""
        header, *rows = csv.reader(io.StringIO(self.run("cat", *arguments)))
        columns = list(zip(*rows)) or [()] * len(header)
        # A name that several streams have is printed with its stream.
        stream = f"{arguments[arguments.index('--stream') + 1]}/" if "--stream" in arguments else ""
        return {name.removeprefix(stream): list(column) for name, column in zip(header, columns)}

    def sessions(self, path: pathlib.Path) -> Any:
        """The sessions that `gametape laps` finds."""
        done = subprocess.run(
            [PROGRAM, "laps", path, "--json"], env=self.environment, capture_output=True, text=True, timeout=600
        )
        # 4: there are none.
        assert done.returncode in (0, 3, 4), done.stderr
        return json.loads(done.stdout)["sessions"] if done.returncode != 4 else []


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    if not PROGRAM.exists():
        pytest.fail(f"{PROGRAM} is not there: cargo build -p gametape-cli, or set GAMETAPE_PROGRAM")
    return Program(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="session")
def race(program: Program, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Three laps of the simulated car, recorded by the program."""
    printed = program.run("demo", "--laps", 3, "--speed", 20, "--seed", 7, "--exit", "--bind", "127.0.0.1:0")
    recorded = printed.strip().splitlines()[-1]
    tape = tmp_path_factory.mktemp("race") / "race.gtape"
    shutil.copy(recorded, tape)
    return tape
