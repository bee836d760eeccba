"""Tapes from bytes, file objects and servers that answer ranges."""

from __future__ import annotations

import http.server
import io
import pathlib
import threading
from typing import Any, Iterator

import pytest

import gametape as gt


class Handler(http.server.BaseHTTPRequestHandler):
    """A file at `/tape`; other paths are faults."""

    protocol_version = "HTTP/1.1"
    data = b""
    asked: list[tuple[str, str | None, str | None]] = []

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        asked = self.headers.get("Range")
        self.asked.append((self.path, asked, self.headers.get("Authorization")))
        if self.path == "/missing":
            return self.send_error(404)
        if self.path == "/elsewhere":
            return self.answer(302, b"", {"Location": "/tape"})
        if self.path == "/loop":
            return self.answer(302, b"", {"Location": "/loop"})
        if self.path == "/whole" or asked is None:
            return self.answer(200, self.data, {})
        first, last = (int(part) for part in asked.removeprefix("bytes=").split("-"))
        last = min(last, len(self.data) - 1)
        part, total = self.data[first : last + 1], len(self.data)
        if self.path == "/shifted":
            first += 1
        if self.path == "/short":
            return self.answer(206, part[:-1], {"Content-Range": f"bytes {first}-{last}/{total}"}, length=len(part))
        if self.path == "/changing":
            total += len(self.asked)
        self.answer(206, part, {"Content-Range": f"bytes {first}-{last}/{total}"})

    def answer(self, status: int, body: bytes, headers: dict[str, str], length: int | None = None) -> None:
        self.send_response(status)
        for key, value in {**headers, "Content-Length": str(len(body) if length is None else length)}.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body)
        if length is not None:
            self.close_connection = True


@pytest.fixture
def server(race: pathlib.Path) -> Iterator[str]:
    Handler.data = race.read_bytes()
    Handler.asked = []
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_bytes_file_objects_and_addresses_give_what_the_file_gives(race: pathlib.Path, server: str) -> None:
    whole = gt.open(race)
    data = race.read_bytes()
    with race.open("rb") as file:
        for source in (
            data,
            bytearray(data),
            memoryview(data),
            file,
            io.BytesIO(data),
            str(race),
            f"{server}/tape",
            f"{server}/elsewhere",
        ):
            tape = gt.open(source)
            assert tape.id == whole.id
            assert (tape["physics/speedKmh"] == whole["physics/speedKmh"]).all()
            assert [lap.document for lap in tape.laps] == [lap.document for lap in whole.laps]
            assert sum(1 for _ in tape.stream("graphics").iter_frames()) == whole.stream("graphics").frames


def test_only_ranges_are_asked_for_and_only_what_is_needed(server: str) -> None:
    # A large tape: the ranges of a small one are all of it.
    tape = gt.open(f"{server}/tape", headers={"Authorization": "Bearer secret"})
    tape.stream("physics").read("gas", start=1, stop=2)
    assert all(asked is not None and asked.startswith("bytes=") for _, asked, _ in Handler.asked)
    assert all(token == "Bearer secret" for *_, token in Handler.asked)
    got = sum(int(asked.split("-")[1]) + 1 - int(asked.split("=")[1].split("-")[0]) for _, asked, _ in Handler.asked if asked)
    assert got < len(Handler.data)
    before = len(Handler.asked)
    tape.stream("physics").read("gas", start=1, stop=2)
    assert len(Handler.asked) == before, "pages are kept"


@pytest.mark.parametrize(
    ("path", "kind", "text"),
    [
        ("/missing", FileNotFoundError, "404"),
        ("/whole", OSError, "does not answer ranges"),
        ("/loop", OSError, "redirects"),
        ("/shifted", OSError, "the server sent"),
        ("/short", OSError, "bytes"),
        ("/changing", OSError, "has changed"),
    ],
)
def test_faults_of_servers_are_errors_that_name_the_address(server: str, path: str, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text) as raised:
        tape = gt.open(f"{server}{path}")
        tape["physics/speedKmh"], tape.laps
    assert server in str(raised.value)


def test_a_server_that_is_gone_is_an_error(server: str) -> None:
    with pytest.raises(OSError, match="127.0.0.1:9"):
        gt.open("http://127.0.0.1:9/tape")
    with pytest.raises(ValueError, match="s3:// is not supported"):
        gt.open("s3://bucket/tape.gtape")


def test_what_a_file_object_raises_comes_through(race: pathlib.Path) -> None:
    class Failing(io.BytesIO):
        fails = False

        def read(self, size: int | None = -1) -> bytes:
            if self.fails:
                raise PermissionError("the drive is gone")
            return super().read(size)

    file = Failing(race.read_bytes())
    tape = gt.open(file)
    file.fails = True
    with pytest.raises(PermissionError, match="the drive is gone"):
        tape["physics/speedKmh"]
    with pytest.raises(PermissionError, match="the drive is gone"):
        list(tape.stream("physics").iter_frames())
    with pytest.raises(Exception, match="the drive is gone"):
        tape.stream("physics").to_arrow(["speedKmh"])
    with race.open("r", encoding="latin-1") as text, pytest.raises(TypeError, match="binary mode"):
        gt.open(text)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="cannot open int"):
        gt.open(7)  # type: ignore[arg-type]


def test_what_is_no_tape_says_what_it_is(tmp_path: pathlib.Path) -> None:
    with pytest.raises(gt.NotATapeError, match="not a tape"):
        gt.open(b"PK\x03\x04 and so on")
    with pytest.raises(gt.NotATapeError):
        gt.open(b"")
    with pytest.raises(FileNotFoundError, match="no/such/file"):
        gt.open("no/such/file")
    with pytest.raises(OSError, match="folder"):
        gt.open(tmp_path)
