"""A minimal client of the HTTP API of `gametape serve`. Every answer is the JSON of the API (`/openapi.json` describes it)."""

from __future__ import annotations

import http.client
import json
import threading
from typing import Any, Iterator, Mapping
from urllib.parse import quote, urlencode, urlsplit

from ._errors import ServerError
from ._sources import connection_to
from ._tape import Tape, open as open_tape

MOST_BYTES = 64 << 20


def connect(server: str, *, token: str | None = None) -> Store:
    """Connects to a server: `store = gt.connect("http://127.0.0.1:7223")`. Asks it whether it is there.

    A token is only needed where the server asks for one (`gametape token add` makes it).
    """
    store = Store(server, token)
    store.get("/api/v1/tapes", limit=1)
    return store


class Store:
    """The laps, sessions and tapes of a server.

    Lists are read page by page, as the loop goes on. Filters are those of the API: `track`, `car`, `driver`, `game`, `valid` …
    """

    def __init__(self, server: str, token: str | None = None) -> None:
        parts = urlsplit(server)
        if parts.query or parts.fragment:
            raise ValueError(f"{server!r} is not the address of a server: write http://HOST:PORT")
        self._base = parts.path.rstrip("/")
        self._root = f"{parts.scheme}://{parts.netloc}"
        self._connection: http.client.HTTPConnection | None = connection_to(server)
        self._headers = {"Accept": "application/json"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"
        self._lock = threading.Lock()

    def laps(self, **filters: Any) -> Iterator[dict[str, Any]]:
        """Iterates over laps, newest first: `store.laps(track="Spa", valid=True)`."""
        return self._pages("/api/v1/laps", "laps", filters)

    def sessions(self, **filters: Any) -> Iterator[dict[str, Any]]:
        """Iterates over sessions, newest first."""
        return self._pages("/api/v1/sessions", "sessions", filters)

    def tapes(self, **filters: Any) -> Iterator[dict[str, Any]]:
        """Iterates over tapes, newest first."""
        return self._pages("/api/v1/tapes", "tapes", filters)

    def bests(self, **filters: Any) -> Iterator[dict[str, Any]]:
        """Iterates over the best laps of each driver, car and track."""
        return self._pages("/api/v1/bests", "bests", filters)

    def lap(self, lap_id: str) -> dict[str, Any]:
        """Returns a lap."""
        return self.get(f"/api/v1/laps/{quote(lap_id, safe='')}")

    def lap_channels(
        self, lap_id: str, channels: str | None = None, *, step_m: float | None = None, hz: float | None = None
    ) -> dict[str, Any]:
        """Returns the channels of a lap, without opening its tape."""
        return self.get(f"/api/v1/laps/{quote(lap_id, safe='')}/channels", channels=channels, step_m=step_m, hz=hz)

    def open(self, tape_id: str, *, strict: bool = False) -> Tape:
        """Opens a tape of the server by ranges: only what is read is transferred."""
        path = f"{self._base}/api/v1/tapes/{quote(tape_id, safe='')}/file"
        return open_tape(self._root + path, strict=strict, headers=self._headers)

    def get(self, path: str, **parameters: Any) -> dict[str, Any]:
        """Asks for any document of the API. Parameters that are None are left out."""
        given = {key: _text(value) for key, value in parameters.items() if value is not None}
        target = self._base + path + (f"?{urlencode(given)}" if given else "")
        with self._lock:
            status, body = self._request(target)
        try:
            document = json.loads(body)
        except ValueError:
            document = None
        if status != 200:
            error = document.get("error", {}) if isinstance(document, dict) else {}
            text = error.get("message") or f"status {status}: is this a gametape server?"
            raise ServerError(f"{self._root}{target}: {text}", status, error.get("code"))
        if not isinstance(document, dict):
            raise ServerError(f"{self._root}{target}: the answer is not JSON: is this a gametape server?", status)
        return document

    def close(self) -> None:
        """Closes the connection. The next request opens another one."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Store {self._root}{self._base}>"

    def _pages(self, path: str, key: str, filters: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        cursor: str | None = None
        while True:
            page = self.get(path, **filters, **({} if cursor is None else {"cursor": cursor}))
            found = page.get(key)
            if not isinstance(found, list):
                raise ServerError(f"{self._root}{path}: the answer has no {key!r}: is this a gametape server?")
            yield from found
            following = page.get("next")
            if not following or following == cursor:
                return
            cursor = str(following)

    def _request(self, target: str) -> tuple[int, bytes]:
        connection = self._connection
        assert connection is not None
        for last in (False, True):
            try:
                connection.request("GET", target, headers=self._headers)
                response = connection.getresponse()
                body = response.read(MOST_BYTES + 1)
                if len(body) > MOST_BYTES:
                    connection.close()
                    raise ServerError(f"{self._root}{target}: the answer has more than {MOST_BYTES} bytes")
                return response.status, body
            except (http.client.HTTPException, ConnectionResetError, BrokenPipeError) as error:
                # A server closes a connection that was idle.
                connection.close()
                if last:
                    raise ServerError(f"{self._root}: {error or type(error).__name__}") from error
            except OSError as error:
                connection.close()
                text = f"{self._root}: {error.strerror or error}: is `gametape serve` running there?"
                raise type(error)(error.errno, text) from error
        raise AssertionError("unreachable")


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(str(one) for one in value)
    return str(value)
