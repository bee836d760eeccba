"""Where the bytes of a tape come from if it is not a file: file objects, and HTTP servers that answer ranges.

A source has `read_at(offset, size)` and `size()`. The native reader calls both from any thread.
"""

from __future__ import annotations

import http.client
import socket
import threading
from collections import OrderedDict
from typing import BinaryIO, Mapping
from urllib.parse import urljoin, urlsplit

PAGE_BYTES = 256 * 1024
PAGES_KEPT = 128
READ_AHEAD_PAGES = 16
REDIRECTS = 5
TIMEOUT_S = 30.0


class FileSource:
    """A binary file object that can seek."""

    def __init__(self, file: BinaryIO) -> None:
        if not file.seekable():
            raise ValueError("a tape is read in parts: this file object cannot seek; read it into bytes first")
        self._file = file
        self._lock = threading.Lock()

    def read_at(self, offset: int, size: int) -> bytes:
        with self._lock:
            self._file.seek(offset)
            data = self._file.read(size)
        if not isinstance(data, bytes):
            raise TypeError(f"the file object gives {type(data).__name__}, not bytes: open it in binary mode")
        return data

    def size(self) -> int:
        with self._lock:
            return self._file.seek(0, 2)


class HttpSource:
    """A file behind http:// or https://, read by ranges (RFC 9110) in pages that are kept.

    At most `PAGES_KEPT` pages are in memory. Reads that follow each other fetch more at once.
    """

    def __init__(self, url: str, headers: Mapping[str, str] | None = None) -> None:
        self._url = url
        self._headers = dict(headers or {})
        self._lock = threading.Lock()
        self._connection: http.client.HTTPConnection | None = None
        self._pages: OrderedDict[int, bytes] = OrderedDict()
        self._etag: str | None = None
        self._size = -1
        self._next_page = -1
        self._ahead = 1
        with self._lock:
            self._fetch(0, 1)

    def size(self) -> int:
        return self._size

    def read_at(self, offset: int, size: int) -> bytes:
        end = min(offset + size, self._size)
        parts = []
        with self._lock:
            while offset < end:
                page = offset // PAGE_BYTES
                data = self._page(page)
                start = offset - page * PAGE_BYTES
                part = data[start : start + end - offset]
                if not part:
                    raise OSError(f"{self._url}: the server has fewer bytes than it said ({self._size})")
                parts.append(part)
                offset += len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def close(self) -> None:
        with self._lock:
            self._pages.clear()
            self._disconnect()

    def _page(self, page: int) -> bytes:
        known = self._pages.get(page)
        if known is None:
            follows = page == self._next_page
            self._ahead = min(self._ahead * 2, READ_AHEAD_PAGES) if follows else 1
            known = self._fetch(page, self._ahead)
        else:
            self._pages.move_to_end(page)
        return known

    def _fetch(self, page: int, count: int) -> bytes:
        first = page * PAGE_BYTES
        last = first + count * PAGE_BYTES - 1
        if self._size >= 0:
            last = min(last, self._size - 1)
        body = self._range(first, last)
        self._next_page = page + count
        for number in range(count):
            part = body[number * PAGE_BYTES : (number + 1) * PAGE_BYTES]
            if part:
                self._pages[page + number] = part
        while len(self._pages) > PAGES_KEPT:
            self._pages.popitem(last=False)
        return self._pages.get(page, b"")

    def _range(self, first: int, last: int) -> bytes:
        headers = {"Range": f"bytes={first}-{last}", "Accept-Encoding": "identity", **self._headers}
        if self._etag is not None:
            headers["If-Match"] = self._etag
        for _ in range(REDIRECTS + 1):
            response = self._request(headers)
            status = response.status
            if status in (301, 302, 303, 307, 308) and response.getheader("Location"):
                response.read()
                self._follow(str(response.getheader("Location")))
                continue
            if status == 200:
                self._disconnect()
                raise OSError(
                    f"{self._url}: the server does not answer ranges (it sent the whole file): download it and open the file"
                )
            if status == 416 and first == 0:
                response.read()
                self._size = 0
                return b""
            if status == 412:
                self._disconnect()
                raise OSError(f"{self._url}: the file has changed since it was opened: open it again")
            if status != 206:
                detail = response.read(300).decode("utf-8", "replace")
                self._disconnect()
                raise _error_of_status(status, f"{self._url}: the server answered {status} {response.reason}: {detail}")
            return self._body(response, first, last)
        raise OSError(f"{self._url}: more than {REDIRECTS} redirects")

    def _body(self, response: http.client.HTTPResponse, first: int, last: int) -> bytes:
        described = response.getheader("Content-Range") or ""
        unit, _, rest = described.partition(" ")
        span, _, total = rest.partition("/")
        start = span.partition("-")[0]
        if unit != "bytes" or not total.isdigit() or not start.isdigit() or int(start) != first:
            self._disconnect()
            raise OSError(f"{self._url}: asked for bytes {first}-{last}, the server sent {described!r}")
        if self._size >= 0 and int(total) != self._size:
            self._disconnect()
            raise OSError(f"{self._url}: the file has changed since it was opened: open it again")
        self._size = int(total)
        etag = response.getheader("ETag")
        if etag and not etag.startswith("W/"):
            self._etag = etag
        expected = min(last + 1, self._size) - first
        body = response.read(expected)
        if len(body) != expected:
            self._disconnect()
            raise OSError(f"{self._url}: {len(body)} of {expected} bytes arrived at byte {first}")
        response.read()
        return body

    def _request(self, headers: Mapping[str, str]) -> http.client.HTTPResponse:
        parts = urlsplit(self._url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        for fresh in (self._connection is None, True):
            connection = self._connect()
            try:
                connection.request("GET", target, headers=dict(headers))
                return connection.getresponse()
            except (http.client.HTTPException, ConnectionError, socket.timeout) as error:
                # A server closes a connection that was idle.
                self._disconnect()
                if fresh:
                    raise OSError(f"{self._url}: {error or type(error).__name__}") from error
            except OSError as error:
                self._disconnect()
                raise type(error)(error.errno, f"{self._url}: {error.strerror or error}") from error
        raise AssertionError("unreachable")

    def _connect(self) -> http.client.HTTPConnection:
        if self._connection is None:
            self._connection = connection_to(self._url)
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _follow(self, location: str) -> None:
        before = urlsplit(self._url)
        self._url = urljoin(self._url, location)
        self._disconnect()
        now = urlsplit(self._url)
        if (now.scheme, now.netloc) != (before.scheme, before.netloc):
            # A token is for the server that it was given for.
            self._headers = {key: value for key, value in self._headers.items() if key.lower() != "authorization"}


def connection_to(url: str) -> http.client.HTTPConnection:
    """Opens no connection yet: `http.client` does with the first request."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{url!r} is not an address: write http://HOST:PORT or https://HOST:PORT")
    if parts.scheme == "https":
        return http.client.HTTPSConnection(parts.hostname, parts.port, timeout=TIMEOUT_S)
    return http.client.HTTPConnection(parts.hostname, parts.port, timeout=TIMEOUT_S)


def _error_of_status(status: int, message: str) -> OSError:
    if status == 404:
        return FileNotFoundError(message)
    if status in (401, 403):
        return PermissionError(message)
    return OSError(message)
